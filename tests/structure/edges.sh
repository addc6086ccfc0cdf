#!/usr/bin/env bash
# Reads every #include of src, kernels and include, and fails on one that edges.txt does not allow.
# An include in angle brackets counts too where it names a file of these; one with `..` is refused.
# Also fails on a folder without a row, on a row that allows what nothing uses, and on a folder's main
# header whose first comment does not name the other headers that outsiders may include.
#   tests/structure/edges.sh [ROOT]      ROOT: the project's folder, to test this script on another tree
set -euo pipefail
table=$(cd "$(dirname "$0")" && pwd)/edges.txt
cd "${1:-$(dirname "$0")/../..}"

find src kernels include -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort |
    xargs grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' |
    awk -v table="$table" '
    function fail(text) { print text; failed = 1 }
    function exists(path,   line, found) { found = (getline line < path) >= 0; close(path); return found }
    function folder_of(path,   parts) {
        split(path, parts, "/")
        return parts[1] == "src" ? parts[2] : parts[1]
    }
    # The file that an include means, as the build looks it up; "" for none of the project.
    function target_of(from, name, quoted,   beside, i, roots) {
        beside = from
        sub(/[^\/]*$/, "", beside)
        split("src/ kernels/ include/", roots, " ")
        if (quoted && exists(beside name)) return beside name
        for (i = 1; i <= 3; i++) if (exists(roots[i] name)) return roots[i] name
        return ""
    }
    function header_of(path) { sub(/^src\/[^\/]*\//, "", path); sub(/^(kernels|include)\//, "", path); return path }
    # A pattern of the table: a name, or one with * for any part of it.
    function matches(name, pattern) {
        gsub(/\./, "\\.", pattern); gsub(/\*/, ".*", pattern)
        return name ~ ("^" pattern "$")
    }
    function read_table(   line, fields, n, i, words, count) {
        while ((getline line < table) > 0) {
            number++
            sub(/#.*/, "", line)
            if (line !~ /[^ ]/) continue
            n = split(line, fields, "|")
            gsub(/ /, "", fields[1])
            collection = sub(/\*$/, "", fields[1])
            if (n != 3) fail("edges.txt:" number ": a row is: folder | headers | folders")
            known[fields[1]] = ++rows
            row_at[fields[1]] = number
            headers[fields[1]] = fields[2]
            if (!collection && split(fields[2], words, " ") > 0) main_header[fields[1]] = words[1]
            count = split(fields[3], words, " ")
            for (i = 1; i <= count; i++) {
                if (!(words[i] in known))
                    fail("edges.txt:" number ": " fields[1] " may take only from folders above it, not from " words[i])
                allowed[fields[1], words[i]] = number
            }
        }
    }
    function public(folder, header,   words, count, i) {
        count = split(headers[folder], words, " ")
        for (i = 1; i <= count; i++) if (matches(header, words[i])) { used_header[folder, words[i]] = 1; return 1 }
        return 0
    }
    function first_comment(path,   line, comment) {
        while ((getline line < path) > 0) { comment = comment line; if (line ~ /\*\//) break }
        close(path)
        return comment
    }
    BEGIN { read_table() }
    {
        place = $0; sub(/:[^:]*$/, "", place)
        split($0, parts, ":"); from = parts[1]; at = parts[1] ":" parts[2]
        name = $0; sub(/^[^<"]*/, "", name)
        quoted = name ~ /^"/
        name = substr(name, 2); sub(/[>"].*/, "", name)
        if (index(name, "..")) { fail(at ": \"" name "\" has .. in it: name the file from src, kernels or include"); next }
        target = target_of(from, name, quoted)
        if (target == "" && !quoted) next
        if (target == "") { fail(at ": \"" name "\" is in none of src, kernels and include"); next }
        a = folder_of(from); b = folder_of(target)
        if (!(a in known)) { fail(at ": the folder " a " has no row in edges.txt"); next }
        if (a == b) next
        if (!((a, b) in allowed)) { fail(at ": " a " may not take from " b " (\"" name "\")"); next }
        used[a, b] = 1
        if (!public(b, header_of(target)))
            fail(at ": \"" name "\" is not a header of " b " that outsiders may include")
    }
    END {
        for (pair in allowed) {
            split(pair, parts, SUBSEP)
            if (!(pair in used)) fail("edges.txt:" allowed[pair] ": " parts[1] " takes nothing from " parts[2] ": remove it")
        }
        for (folder in known) {
            count = split(headers[folder], words, " ")
            comment = (folder in main_header) ? first_comment("src/" folder "/" main_header[folder]) : ""
            for (i = 1; i <= count; i++) {
                if (words[i] !~ /\*/ && !((folder, words[i]) in used_header))
                    fail("edges.txt:" row_at[folder] ": no outsider includes " folder "/" words[i] ": remove it")
                if ((folder in main_header) && i > 1 && index(comment, words[i]) == 0)
                    fail("src/" folder "/" main_header[folder] ":1: its first comment does not name " words[i] ", which outsiders may include too")
            }
        }
        exit failed
    }'
