#!/usr/bin/env bash
# Makes the pictures of the README and of docs/reports.md: of two builds of weblog.c, measured here.
#
#   docs/pictures/make.sh measure DIR   measure into the new folder DIR: a minute, on a machine that does nothing else
#   docs/pictures/make.sh draw DIR      draw what DIR has
#   docs/pictures/make.sh list          the pictures, a line each
#
# Needs kgate built with the page (KGATE, by default build/release/kgate), cc and zlib to measure; Node.js with
# `npm ci --ignore-scripts`, Chromium (CHROMIUM, by default /usr/bin/chromium), ImageMagick and gnuplot to draw.
set -euo pipefail
export LC_ALL=C
pictures=$(realpath "$(dirname "$0")") source=$(realpath "$(dirname "$0")/../..")
kgate=$(realpath -m "${KGATE:-$source/build/release/kgate}")

# Plots by gnuplot: file, what is drawn, --plot. Pictures of the page are the table of shoot.mjs.
plots='plot-change.png comparison.json change
plot-time.png results.json time'

# $1: which build; $2: what the compiler is told besides
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
    # 1: it regressed, as it has to
    "$kgate" gate -c weblog.yaml -b baselines -o out || [ $? -eq 1 ]
}

# A palette is a third of the size, and no other to the eye.
palette() {
    for picture; do
        convert "$picture" -strip -dither None -colors 128 "PNG8:$picture"
    done
}

draw() {
    cd "$1"
    "$kgate" report out/{comparison,results,base,head}.json baselines/*.json --format html -o report.html
    node "$pictures/shoot.mjs" "$PWD/report.html" "$pictures"
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
