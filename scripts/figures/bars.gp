# scripts/figures/bars.gp -- a panel of the paper and ours beside it: a group of bars for each load, a bar for each policy.
#
# Needs: name, data, series, title[], style[], panels, panel_title[], from[], to[], of[]; yname, xname, loads, load_1 .. load_N
# and tau_1 .. tau_N (names of the loads, and how alike the orders are); bottom and top of both axes,
# bottom 0: linear, top 0: each side has its own.  Rows: number of the load, value, low, high.

width = 1180
height = 430
legend_at = 225 # 'without load control' is long
bar = 0.82 / series
middle(load, s) = load + (s - (series + 1) / 2.0) * bar
set xrange [0.4:loads + 0.6]
if (bottom > 0) {
    set logscale y 10
    set yrange [bottom:top]
    set format y '%g'
    unset mytics
} else {
    set yrange [0:*]
    if (top > 0) { set yrange [0:top]; set ytics 0.2 }
}
has_tau = 0
do for [i = 1:loads] { if (value(sprintf('tau_%d', i)) ne '') { has_tau = 1 } }
above(low) = bottom > 0 && low < bottom ? bottom : low
set boxwidth bar * 0.92
set tics font ',11'
unset mxtics
set grid noxtics
fill(style) = style % 10 == 2 || style % 10 == 3 ? 4 : 3 # of a dashed line: hatched

do for [kind = 1:3] {
    eval picture(kind, width, height)
    set multiplot
    do for [p = 1:panels] {
        set origin (1 - 1.0 * legend_at / width) / 2 * (p - 1), 0
        set size (1 - 1.0 * legend_at / width) / 2, 1
        set lmargin 9
        set bmargin 5.5
        set title panel_title[p]
        set xlabel xname offset 0, p == 2 && has_tau ? -0.8 : 0
        if (p == 1) { set ylabel yname } else { unset ylabel }
        do for [i = 1:loads] {
            word = i == 1 ? "set xtics nomirror scale 0" : "set xtics add"
            if (p == 1) { eval sprintf("%s (load_%d %d)", word, i, i) }
            if (p == 2) { eval sprintf("%s (load_%d.\"\\n\".tau_%d %d)", word, i, i, i) }
        }
        if (p == 1) { eval legend(width) }
        if (to[p] < from[p]) {
            set label 1 'nothing at these loads' at graph 0.5, 0.5 center textcolor rgb '#606060'
            plot [][0:1] -1 notitle, for [i = 1:series] keyentry with boxes ls style[i] dt solid lw 0.8 fs pattern fill(style[i]) title title[i]
            unset label 1
        } else { if (p == 1) {
            plot for [c = from[p]:to[p]] data index c - 1 using (middle($1, of[c])):2 with boxes ls style[of[c]] dt solid lw 0.8 fs pattern fill(style[of[c]]) notitle, \
                 for [i = 1:series] keyentry with boxes ls style[i] dt solid lw 0.8 fs pattern fill(style[i]) title title[i]
        } else {
            plot for [c = from[p]:to[p]] data index c - 1 using (middle($1, of[c])):2 with boxes ls style[of[c]] dt solid lw 0.8 fs pattern fill(style[of[c]]) notitle, \
                 for [c = from[p]:to[p]] data index c - 1 using (middle($1, of[c])):(above($3)):(0):($4 - above($3)) with vectors nohead lc rgb '#303030' lw 1 notitle
        } }
    }
    unset multiplot
}
unset output
