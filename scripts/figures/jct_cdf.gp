# scripts/figures/jct_cdf.gp -- the share of jobs completed within a time: one step curve per policy, log10 axis.
#
# Needs: data, n, title[n], style[n], first_s[n], first_share[n], left_s, right_s.  Jobs faster than the left edge, those
# of zero seconds among them, are drawn at the edge.

at(seconds) = seconds > left_s ? seconds : left_s

set logscale x 10
set xrange [left_s / 1.0001:right_s * 1.0001] # a hair beyond, for the ticks at its ends
set yrange [0:100]
set xlabel 'Job completion time'
set ylabel 'Jobs completed (%)'
set xtics ('1 µs' 1e-6, '10 µs' 1e-5, '100 µs' 1e-4, '1 ms' 1e-3, '10 ms' 1e-2, '0.1 s' 0.1, '1 s' 1, '10 s' 10, \
           '1 min' 60, '10 min' 600, '1 h' 3600, '6 h' 21600, '1 d' 86400, '1 wk' 604800, '30 d' 2592000, \
           '1 yr' 31557600, '10 yr' 315576000, '100 yr' 3155760000.0)
set ytics 20
unset mxtics
if (n <= 8) { set key inside right bottom opaque } else { set key outside right center }

# The headline number of the MLFS paper is the share of jobs below 100 minutes.
if (left_s < 6000 && right_s > 6000) {
    set arrow from 6000, 0 to 6000, 100 nohead back lw 1 lc rgb '#8C8C8C' dt (2, 4)
    set label '100 min' at 6000, 100 offset 0, 0.6 center textcolor rgb '#606060'
}

# A curve rises from zero where its first job ends.
do for [i = 1:n] { set arrow from at(first_s[i]), 0 to at(first_s[i]), 100 * first_share[i] nohead front ls style[i] }

set terminal pngcairo noenhanced size 1600, 1000 font 'Sans,12' fontscale 2 linewidth 2 dashlength 0.7 background 'white'
set output 'jct_cdf.png'
plot for [i = 1:n] data index i - 1 using (at($1)):(100 * $2) with steps ls style[i] title title[i]

set terminal svg noenhanced size 800, 500 font 'Sans,12' linewidth 1 dashlength 0.7 background 'white'
set output 'jct_cdf.svg'
replot
unset output
