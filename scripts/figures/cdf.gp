# scripts/figures/cdf.gp -- cumulative distributions: one step curve per policy, log10 axis, a panel per class of jobs.
#
# Needs: name, data, series, title[], style[], panels, panel_title[], from[], to[], and of each curve (a block of the data)
# of[], first_x[], first_y[]; left, right, xname, yname, seconds (1: x is a time), marked (x of a line, 0: none) and mark_text.
# What lies left of the left edge, zeros among it, is drawn at the edge.

at(x) = x > left ? x : left

set logscale x 10
set xrange [left / 1.0001:right * 1.0001] # a hair beyond, for the ticks at its ends
set yrange [0:100]
if (seconds && panels > 1) {
    set xtics ('1 µs' 1e-6, '1 ms' 1e-3, '1 s' 1, '1 min' 60, '1 h' 3600, '1 d' 86400, '30 d' 2592000, '1 yr' 31557600, '100 yr' 3155760000.0)
}
if (seconds && panels == 1) {
    set xtics ('1 µs' 1e-6, '10 µs' 1e-5, '100 µs' 1e-4, '1 ms' 1e-3, '10 ms' 1e-2, '0.1 s' 0.1, '1 s' 1, '10 s' 10, \
               '1 min' 60, '10 min' 600, '1 h' 3600, '6 h' 21600, '1 d' 86400, '1 wk' 604800, '30 d' 2592000, \
               '1 yr' 31557600, '10 yr' 315576000, '100 yr' 3155760000.0)
}
if (!seconds) { set xtics format '%g' }
set ytics 20
unset mxtics
width = panels == 1 ? 800 : 360 * columns_of(panels) + legend_at
height = panels == 1 ? 500 : 320 * rows_of(panels)
if (panels == 1 && series <= 8) { set key inside right bottom opaque }
if (panels == 1 && series > 8) { set key outside right center }

do for [kind = 1:3] {
    eval picture(kind, width, height)
    if (panels > 1) { set multiplot }
    do for [p = 1:panels] {
        unset arrow
        unset label
        if (marked > 0 && left < marked && right > marked) {
            set arrow from marked, 0 to marked, 100 nohead back lw 1 lc rgb '#8C8C8C' dt (2, 4)
            if (p == 1) { set label mark_text at marked, 100 offset 0, 0.6 center textcolor rgb '#606060' }
        }
        # A curve rises from zero where its first job ends.
        do for [c = from[p]:to[p]] { set arrow from at(first_x[c]), 0 to at(first_x[c]), 100 * first_y[c] nohead front ls style[of[c]] }
        set xlabel xname
        set ylabel yname
        if (panels == 1) {
            plot for [c = from[p]:to[p]] data index c - 1 using (at($1)):(100 * $2) with steps ls style[of[c]] title title[of[c]]
        } else {
            eval place(p, panels, width)
            set lmargin 9
            set bmargin 3.6
            set tmargin 3
            set title panel_title[p] offset 0, 0.6
            if (!is_bottom(p, panels)) { unset xlabel }
            if (!is_left(p, panels)) { unset ylabel }
            if (p == 1) {
                eval legend(width)
                plot for [c = from[p]:to[p]] data index c - 1 using (at($1)):(100 * $2) with steps ls style[of[c]] notitle, \
                     for [i = 1:series] keyentry with lines ls style[i] title title[i]
            } else {
                plot for [c = from[p]:to[p]] data index c - 1 using (at($1)):(100 * $2) with steps ls style[of[c]] notitle
            }
        }
    }
    if (panels > 1) { unset multiplot }
}
unset output
