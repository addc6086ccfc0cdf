#!/usr/bin/env bash
# Reads every #include of src, kernels and include, and fails if edges.txt does not allow it. Fails also on a folder of
# src without a row, on a row that allows more than the sources use, and on an include with `..` in its path.
# Kernels are plugins: beside the public headers they take from base and device. suite reads their registry.
#   tests/structure/edges.sh [ROOT]      ROOT: the project's folder, to test this script on another tree
set -euo pipefail
table=$(cd "$(dirname "$0")" && pwd)/edges.txt
cd "${1:-$(dirname "$0")/../..}"

find src kernels include -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort |
    xargs grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' |
    awk -v table="$table" '
    function fail(text) { print text; failed = 1 }
    function exists(path,   line, found) { found = (getline line < path) >= 0; close(path); return found }
    function room_of(path,   parts) {
        split(path, parts, "/")
        return parts[1] == "src" ? parts[2] : parts[1]
    }
    # The file that an include means, as the compiler finds it; "" if it is not of the project.
    function target_of(from, name, quoted,   beside, i, roots) {
        beside = from
        sub(/[^\/]*$/, "", beside)
        split("src/ kernels/ include/", roots, " ")
        if (quoted && exists(beside name)) return beside name
        for (i = 1; i <= 3; i++) if (exists(roots[i] name)) return roots[i] name
        return ""
    }
    function read_table(   line, fields, i, words, count, number) {
        while ((getline line < table) > 0) {
            number++
            if (line !~ /^[a-z]/) continue
            if (split(line, fields, "|") != 3) fail("edges.txt:" number ": a row is: room | takes | sentence")
            gsub(/ /, "", fields[1])
            room_at[fields[1]] = number
            count = split(fields[2], words, " ")
            for (i = 1; i <= count; i++) allowed[fields[1], words[i]] = number
        }
        for (i in allowed) {
            split(i, words, SUBSEP)
            if (!(words[2] in room_at) || room_at[words[2]] <= room_at[words[1]])
                fail("edges.txt:" allowed[i] ": " words[1] " may take only from rooms below it, not from " words[2])
        }
    }
    function may_take(from, to) {
        if (to == "include" || from == to) return 1
        if (from == "kernels") return to == "base" || to == "device"
        return ((from, to) in allowed) || (from == "suite" && to == "kernels")
    }
    BEGIN { read_table() }
    {
        split($0, parts, ":"); from = parts[1]; at = parts[1] ":" parts[2]
        name = $0; sub(/^[^<"]*/, "", name)
        quoted = name ~ /^"/
        name = substr(name, 2); sub(/[>"].*/, "", name)
        if (index(name, "..")) { fail(at ": \"" name "\" has .. in it: name the file from src, kernels or include"); next }
        target = target_of(from, name, quoted)
        if (target == "" && quoted) fail(at ": \"" name "\" is in none of src, kernels and include")
        if (target == "") next
        a = room_of(from); b = room_of(target)
        if (from ~ /^src/ && !(a in room_at)) { fail(at ": the folder " a " has no row in edges.txt"); next }
        if (!may_take(a, b)) fail(at ": " a " may not take from " b " (\"" name "\")")
        used[a, b] = 1
    }
    END {
        for (pair in allowed) {
            split(pair, parts, SUBSEP)
            if (!(pair in used)) fail("edges.txt:" allowed[pair] ": " parts[1] " takes nothing from " parts[2] ": remove it")
        }
        exit failed
    }'
