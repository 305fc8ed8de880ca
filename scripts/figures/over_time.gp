# scripts/figures/over_time.gp -- busy GPUs and waiting jobs over time: two panels above each other, a step curve per policy.
#
# Needs: name, data, series, title[], style[], panels, panel_title[], from[], to[], of[]; end_s, gpus, stretch_s.

unit = end_s > 4 * 86400 ? 86400.0 : end_s > 4 * 3600 ? 3600.0 : end_s > 240 ? 60.0 : 1.0
word = unit == 86400 ? 'days' : unit == 3600 ? 'hours' : unit == 60 ? 'minutes' : 'seconds'
set xrange [0:end_s / unit]
width = 960
height = 620
below = sprintf('Time since the first submission (%s); each point is the mean over %.3g %s', word, stretch_s / unit, word)

do for [kind = 1:3] {
    eval picture(kind, width, height)
    set multiplot
    do for [p = 1:panels] {
        set origin 0, (panels - p) / (1.0 * panels)
        set size 1 - 1.0 * legend_at / width, 1.0 / panels
        set lmargin 9
        if (p == 1) { set yrange [0:gpus * 1.05] } else { set yrange [0:*] }
        set ylabel panel_title[p]
        if (p == panels) { set xlabel below } else { unset xlabel }
        if (p == 1) {
            eval legend(width)
            plot for [c = from[p]:to[p]] data index c - 1 using ($1 / unit):2 with steps ls style[of[c]] notitle, \
                 for [i = 1:series] keyentry with lines ls style[i] title title[i]
        } else {
            plot for [c = from[p]:to[p]] data index c - 1 using ($1 / unit):2 with steps ls style[of[c]] notitle
        }
    }
    unset multiplot
}
unset output
