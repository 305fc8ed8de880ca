# scripts/figures/training.gp -- how training went: a panel for each column of a learning curve, a line per file.
#
# Needs: name, data, series, title[], style[], panels, panel_title[], from[], to[], of[]; xname, last_x.

nice(m) = m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10
few(x) = nice(x / 4.0 / 10.0 ** floor(log10(x / 4.0))) * 10.0 ** floor(log10(x / 4.0))
if (last_x > 0) { set xtics few(last_x) }
set tics font ',11'
width = 360 * columns_of(panels) + legend_at
height = panels == 1 ? 400 : 280 * rows_of(panels)

do for [kind = 1:3] {
    eval picture(kind, width, height)
    set multiplot
    do for [p = 1:panels] {
        eval place(p, panels, width)
        set lmargin 9
        set bmargin 3.6
        set tmargin 2.5
        set title panel_title[p] offset 0, 0.3
        set xlabel xname
        if (!is_bottom(p, panels)) { unset xlabel }
        if (p == 1) {
            eval legend(width)
            plot for [c = from[p]:to[p]] data index c - 1 using 1:2 with lines ls style[of[c]] notitle, \
                 for [i = 1:series] keyentry with lines ls style[i] title title[i]
        } else {
            plot for [c = from[p]:to[p]] data index c - 1 using 1:2 with lines ls style[of[c]] notitle
        }
    }
    unset multiplot
}
unset output
