#!/usr/bin/env bash
# Makes the pictures of the README and of docs/reports.md. It measures two builds of weblog.c, and two commands.
#
#   docs/pictures/make.sh measure DIR   measure into the new folder DIR: two minutes, on an idle machine
#   docs/pictures/make.sh draw DIR      draw the pictures from DIR
#   docs/pictures/make.sh list          list the pictures, one per line
#
# To measure: kgate built with the page (KGATE, default build/release/kgate), cc, zlib, script (util-linux).
# To draw: Node.js with `npm ci --ignore-scripts`, Chromium (CHROMIUM, default /usr/bin/chromium), ImageMagick, gnuplot,
# cmark-gfm, fonts-noto-color-emoji.
set -euo pipefail
export LC_ALL=C.UTF-8
pictures=$(realpath "$(dirname "$0")") source=$(realpath "$(dirname "$0")/../..")
kgate=$(realpath -m "${KGATE:-$source/build/release/kgate}")

# Plots by gnuplot: picture, input file, --plot. The tables of shoot.mjs list the other pictures.
plots='plot-change.png comparison.json change
plot-time.png results.json time'

# $1: name of the build; $2: further option of the compiler
plugin_build() {
    "${CC:-cc}" -std=c17 -O2 -g -fPIC -shared ${2:+"$2"} -ffile-prefix-map="$pictures/=" -I"$source/include" "$pictures/weblog.c" -lz -o weblog.so
    echo "built $1" >&2
}

measure() {
    mkdir "$1"
    cd "$1"
    cp "$pictures/weblog.yaml" .
    plugin_build base
    "$kgate" baseline record -c weblog.yaml --runs 4 -b baselines
    plugin_build head -DHEAD
    # 1: the expected regression
    "$kgate" gate -c weblog.yaml -b baselines -o out || [ $? -eq 1 ]
    commands_compare
}

# kgate prints colours on a terminal only, so script(1) gives it one.
commands_compare() {
    seq 200000 >numbers.txt
    printf '%s\n' "\$ kgate ab 'gzip -1 -c numbers.txt' 'gzip -6 -c numbers.txt'" >terminal.ansi
    script -qec "stty cols 110; '$kgate' ab 'gzip -1 -c numbers.txt' 'gzip -6 -c numbers.txt' -o ab 2>/dev/null" /dev/null |
        tr -d '\r' >>terminal.ansi || true
}

# 128 colours make the files a third of the size, without a visible difference.
palette() {
    for picture; do
        convert "$picture" -strip -dither None -colors 128 "PNG8:$picture"
    done
}

draw() {
    cd "$1"
    "$kgate" report out/{comparison,results,base,head}.json baselines/*.json --format html -o report.html
    cmark-gfm --unsafe -e table out/report.md >comment.html
    node "$pictures/shoot.mjs" "$PWD" "$pictures"
    while read -r name file plot; do
        "$kgate" report "out/$file" --format png --plot "$plot" -o "$pictures/$name"
    done <<<"$plots"
    palette "$pictures"/*.png
}

case ${1-} in
measure | draw) [ $# -eq 2 ] && "$1" "$2" ;;
list)
    cut -d ' ' -f 1 <<<"$plots"
    sed -n 's/^    { name: "\([^"]*\)".*/\1.png/p' "$pictures/shoot.mjs"
    ;;
*)
    sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
    exit 2
    ;;
esac
