# Share of slowdowns that each rule catches, against their size:
#   gnuplot -e "data='power.txt'; out='power.png'" power.gnuplot
# data is a table with white space between columns: slowdown_percent, then for each rule the share
# caught, 0 to 1. Its first row names the columns, in quotes. Names that begin with "kgate" are drawn
# strong, all others pale. Lines that begin with # are left out.

set datafile columnheaders
header = system("grep -v '^#' '".data."' | head -n 1")
columns = words(header)
name(i) = word(header, i)
is_own(i) = name(i)[1:5] eq 'kgate'

# The how manieth of its kind a column is, from 1: what picks its colour and point.
place(i) = i < 2 ? 0 : sum [j = 2:i] (is_own(j) == is_own(i))
pick(list, i) = word(list, (place(i) - 1) % words(list) + 1)
own_colors = '0x08519c 0xd94801 0x238b45 0x6a51a3'
own_points = '7 5 9 13'
other_colors = '0x9e9e9e 0xc9a24b 0x7fb2cf 0xd08c8c 0x8fbc85 0xae98cf'
other_points = '6 4 8 12 10 2'
color(i) = int(pick(is_own(i) ? own_colors : other_colors, i))
point(i) = int(pick(is_own(i) ? own_points : other_points, i))
width(i) = is_own(i) ? 3 : 1.8
size(i) = is_own(i) ? 1.3 : 1.1

set terminal pngcairo noenhanced size 1100,650 font 'DejaVu Sans,12'
set output out
set key outside right center vertical Left reverse spacing 1.6 samplen 3
set border 3 lc rgb '#606060'
set tics nomirror out textcolor rgb '#303030'
set grid lc rgb '#e4e4e4' lt 1 lw 1
stats data using 1 nooutput
span = STATS_max - STATS_min
set xrange [STATS_min - 0.02 * span:STATS_max + 0.02 * span]
set xtics out format '%g %%'
set ytics 0, 20, 100 format '%g %%'
set yrange [-2:103]
set xlabel 'true slowdown' offset 0, -0.3
set ylabel 'share of comparisons that call it slower' offset -0.5

# The key keeps the table's order; the pale lines come first, so that the strong lie on top.
plot for [i = 2:columns] keyentry with linespoints lw width(i) lc rgb color(i) pt point(i) \
         ps size(i) title name(i), \
     for [own = 0:1] for [i = 2:columns] data using 1:(is_own(i) == own ? 100 * column(i) : NaN) \
         with linespoints lw width(i) lc rgb color(i) pt point(i) ps size(i) notitle
