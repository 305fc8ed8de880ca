# scripts/figures/bars_cdf.gp -- the paper's cumulative distribution, of which four points can be read, and ours beside it.
#
# Needs: name, data, series, title[], style[], panels, panel_title[], from[], to[], of[]; right.  Rows: seconds, share.

width = 1180
height = 430
set logscale x 10
set xrange [6:right]
set yrange [0:100]
set xtics ('6 s' 6, '1 min' 60, '10 min' 600, '100 min' 6000, '1000 min' 60000)
set ytics 20
set tics font ',11'
unset mxtics
at(x) = x > 6 ? x : 6

do for [kind = 1:3] {
    eval picture(kind, width, height)
    set multiplot
    do for [p = 1:panels] {
        set origin (1 - 1.0 * legend_at / width) / 2 * (p - 1), 0
        set size (1 - 1.0 * legend_at / width) / 2, 1
        set lmargin 9
        set title panel_title[p]
        set xlabel 'Job completion time'
        if (p == 1) { set ylabel 'Jobs completed (%)' } else { unset ylabel }
        if (p == 1) {
            eval legend(width)
            plot for [c = from[p]:to[p]] data index c - 1 using 1:(100 * $2) with linespoints ls style[of[c]] notitle, \
                 for [i = 1:series] keyentry with linespoints ls style[i] title title[i]
        } else {
            plot for [c = from[p]:to[p]] data index c - 1 using (at($1)):(100 * $2) with steps ls style[of[c]] notitle
        }
    }
    unset multiplot
}
unset output
