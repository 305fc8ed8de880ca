# scripts/figures/style.gp -- one look for every figure, one line style per policy in all of them.
#
# Colours are those of Okabe and Ito (2008), told apart with any colour vision; yellow is left out, which a thin line on
# white does not carry.  Relatives share a hue and differ in its shade, since steps swallow dashes; what MLFS proposes is
# drawn thick.  The hue has a mark, filled or open by the shade, for curves of few points.

black = '#000000'; grey  = '#8C8C8C'; orange = '#E69F00'; sky    = '#56B4E9'
green = '#009E73'; blue  = '#0072B2'; red    = '#D55E00'; purple = '#CC79A7'

# Styles are numbered: tens digit = hue, ones digit = 0 the hue itself, 1 its darker shade, 2 and 3 both of them dashed, 4 the
# hue drawn thick, 5 its tint.
array colour[8] = [black, grey, orange, sky, green, blue, red, purple]
array shade[8] = ['#6A6A6A', '#C4C4C4', '#8F6200', '#A8DAF7', '#00513B', '#00375A', '#8A3B00', '#7F3F63']
array tint[8] = ['#A0A0A0', '#DCDCDC', '#F3CB73', '#CFEBFB', '#73C7AD', '#73ACCF', '#EE9259', '#E3B7CF']
array mark[8] = [7, 5, 9, 11, 13, 15, 7, 5]
do for [c = 1:8] {
    set style line 10 * c     lc rgb colour[c] lw 1.8 dt solid pt mark[c] ps 0.8
    set style line 10 * c + 1 lc rgb shade[c] lw 1.8 dt solid pt mark[c] - 1 ps 0.8
    set style line 10 * c + 2 lc rgb colour[c] lw 1.8 dt (14, 6) pt mark[c] - 1 ps 0.8
    set style line 10 * c + 3 lc rgb shade[c] lw 1.8 dt (14, 6) pt mark[c] ps 0.8
    set style line 10 * c + 4 lc rgb colour[c] lw 3.4 dt solid pt mark[c] ps 1.1
    set style line 10 * c + 5 lc rgb tint[c] lw 1.8 dt solid pt mark[c] ps 0.8
}

# The style of a policy, whichever others are drawn; `other` for one that is not listed.
style_of(policy, other) = \
    policy eq 'fifo'       ? 10 : policy eq 'edf'        ? 11 : policy eq 'rl'         ? 12 : policy eq 'borg'     ? 13 : \
    policy eq 'random'     ? 20 : policy eq 'graphene'   ? 21 : policy eq 'gavel'      ? 22 : policy eq 'lucid'    ? 23 : \
    policy eq 'sjf'        ? 30 : policy eq 'smallest'   ? 31 : policy eq 'slaq'       ? 32 : policy eq 'optimus'  ? 33 : \
    policy eq 'fit'        ? 40 : policy eq 'easy'       ? 41 : policy eq 'hypersched' ? 42 : policy eq 'pollux'   ? 43 : \
    policy eq 'las'        ? 50 : policy eq 'gandiva'    ? 51 : policy eq 'themis'     ? 52 : policy eq 'sia'      ? 53 : \
    policy eq 'srtf'       ? 60 : policy eq 'srsf'       ? 61 : policy eq 'shockwave'  ? 62 : \
    policy eq 'mlfs'       ? 74 : policy eq 'mlf-h'      ? 71 : policy eq 'mlf-rl'     ? 75 : policy eq 'mlf-h-c'  ? 72 : \
    policy eq 'tiresias'   ? 80 : policy eq 'tiresias-g' ? 80 : policy eq 'tiresias-l' ? 81 : \
    policy eq 'with'       ? 74 : policy eq 'without'    ? 20 : other

# A second curve of one policy keeps its hue and takes another shade.
shifted(style, by) = by == 0 ? style : style - style % 10 + (style % 10 % 4 + by) % 4

set encoding utf8
set border 3 lw 1 lc rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set grid back lw 0.6 lc rgb '#D8D8D8' dt solid
set key noenhanced Left reverse spacing 1.15 samplen 3.2

# Every figure is drawn three times, w x h units large: `do for [kind = 1:3] { eval picture(kind, w, h); plot ... }`.
picture(kind, w, h) = \
    kind == 1 ? sprintf("set terminal pngcairo noenhanced size %d, %d font 'Sans,12' fontscale 2 linewidth 2 dashlength 0.7 background 'white'; set output '%s.png'", 2 * w, 2 * h, name) : \
    kind == 2 ? sprintf("set terminal svg noenhanced size %d, %d font 'Sans,12' linewidth 1 dashlength 0.7 background 'white'; set output '%s.svg'", w, h, name) : \
                sprintf("set terminal pdfcairo noenhanced size %gin, %gin font 'Sans,12' linewidth 1.4 dashlength 0.7 background 'white'; set output '%s.pdf'", w / 100.0, h / 100.0, name)

# Several panels lie in rows, with room at the right for the names of all curves, which go with the first panel.
legend_at = 200
columns_of(panels) = panels < 3 ? panels : panels < 5 ? 2 : 3
rows_of(panels) = (panels + columns_of(panels) - 1) / columns_of(panels)
place(p, panels, w) = sprintf("set origin %g, %g; set size %g, %g", \
    (1 - 1.0 * legend_at / w) / columns_of(panels) * ((p - 1) % columns_of(panels)), \
    1 - 1.0 * ((p - 1) / columns_of(panels) + 1) / rows_of(panels), \
    (1 - 1.0 * legend_at / w) / columns_of(panels), 1.0 / rows_of(panels))
legend(w) = sprintf("set key at screen %g, 0.95 left top Left reverse samplen 2.4 spacing 1.3 font ',11' noopaque", 1 - (legend_at - 8.0) / w)
is_left(p, panels) = (p - 1) % columns_of(panels) == 0
is_bottom(p, panels) = p > panels - columns_of(panels)
