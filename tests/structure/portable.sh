#!/usr/bin/env bash
# Fails if a program or plugin of the portable build, or one of tests/gpu, needs a shared library that is neither
# glibc's nor beside it, or a glibc newer than 2.36: on a machine without our packages it would not start at all.
#   tests/structure/portable.sh PROGRAM...
set -uo pipefail
newest=2.36
failed=0

fail() {
    echo "$1"
    failed=1
}

for program in "$@"; do
    dynamic=$(readelf -d "$program" 2>/dev/null) || { fail "$program: no program"; continue; }
    while read -r library; do
        case $library in
        libc.so.6 | libm.so.6 | libdl.so.2 | librt.so.1 | libpthread.so.0 | ld-linux*.so.*) ;;
        libgomp.so.1 | libkgate_blas.so)
            [ -e "${program%/*}/$library" ] || [ -e "${program%/*}/../../kgate-kernels/$library" ] ||
                fail "$program needs $library beside it"
            ;;
        *) fail "$program needs $library, which is not glibc's" ;;
        esac
    done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
    needed=$(readelf -V "$program" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1)
    [ "$(printf '%s\n' "$needed" $newest | sort -V | tail -n 1)" = $newest ] ||
        fail "$program needs glibc $needed, later than $newest"
done
exit "$failed"
