load support

# The pictures of the README and of docs/, which docs/pictures/make.sh makes of real runs; it is not run here.

# The pictures that the pages name, from the top of the repository.
named() {
    cd "$SOURCE"
    grep -ohE '(docs/)?pictures/[a-z-]+\.(png|svg)' README.md docs/*.md | sed 's/^docs.//' | sort -u
}

@test "each picture is made by the script, and is shown by a page" {
    (cd "$SOURCE/docs/pictures" && find . -name '*.png' -o -name '*.svg') | sed 's,^\.,pictures,' | sort >there
    [ "$(wc -l <there)" -gt 3 ]
    "$SOURCE/docs/pictures/make.sh" list | sed 's,^,pictures/,' | sort | diff - there
    named | diff - there
}

@test "each picture is a PNG below 200 kB, as wide as pages need" {
    for picture in $(named); do
        file=$SOURCE/docs/$picture
        # signature, then the width and height of the header, four bytes each
        read -r signature width height <<<"$(od -An -v -tx1 -N24 "$file" | tr -d ' \n' | sed -E 's/^(.{16}).{16}(.{8})(.{8})$/\1 0x\2 0x\3/')"
        echo "$picture: $signature $((width)) x $((height)), $(wc -c <"$file") bytes"
        [ "$signature" = 89504e470d0a1a0a ]
        [ $((width)) -ge 800 ] && [ $((width)) -le 1600 ] && [ $((height)) -ge 200 ] && [ $((height)) -le 2000 ]
        [ "$(wc -c <"$file")" -lt 200000 ]
    done
}

@test "each picture has words for those who do not see it" {
    cd "$SOURCE"
    run grep -nE '!\[[^]]{0,40}\]\(|<img (|.* )alt="[^"]{0,40}"' README.md docs/*.md
    [ "$output" = "" ]
    run grep -nE '<img ' README.md docs/*.md
    [ "$(grep -vc ' alt="' <<<"$output")" = 0 ]
}
