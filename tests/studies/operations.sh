#!/usr/bin/env bash
# What LLVM's models of processors say of the classes of instructions in src/why/observe/operations.c: for each
# the latency and the cycles between two of them, beside what kgate takes it for. Of a class there may be
# several instructions. Needs llvm-mca (Debian: llvm). A dash: the model has nothing of it.
#     tests/studies/operations.sh [PROCESSOR...]
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v llvm-mca >/dev/null || { echo "skipped: there is no llvm-mca" >&2; exit 0; }
[ $# -gt 0 ] || set -- skylake-avx512 icelake-server znver2 znver3
rows='INTEGER|and %rbx, %rax
INTEGER|popcnt %rax, %rax
INTEGER_ADD|add %rbx, %rax
INTEGER_MULTIPLY|imul %rbx, %rax
INTEGER_DIVIDE|idivl %ebx
INTEGER_DIVIDE|divq %rbx
COMPARE|cmp %rbx, %rax
FLOAT_ADD|addsd %xmm1, %xmm0
FLOAT_ORDER|minsd %xmm1, %xmm0
FLOAT_MULTIPLY|mulsd %xmm1, %xmm0
FLOAT_FUSED|vfmadd231sd %xmm1, %xmm2, %xmm0
FLOAT_DIVIDE|divss %xmm1, %xmm0
FLOAT_DIVIDE|divsd %xmm1, %xmm0
FLOAT_ROOT|sqrtss %xmm0, %xmm0
FLOAT_ROOT|sqrtsd %xmm0, %xmm0
CONVERT|cvtss2sd %xmm0, %xmm0
CONVERT|cvttsd2si %xmm0, %eax
CONVERT|cvtdq2ps %xmm0, %xmm0
VECTOR_INTEGER|paddd %xmm1, %xmm0
VECTOR_MULTIPLY|pmuludq %xmm1, %xmm0
VECTOR_MULTIPLY|pmulld %xmm1, %xmm0
SHUFFLE|pshufb %xmm1, %xmm0
SHUFFLE|vpermps %ymm0, %ymm1, %ymm0
GATHER|vgatherdps %ymm2, (%rax,%ymm1,4), %ymm0'
columns=$(while IFS='|' read -r class _; do
    sed -nE "s/.*\[KG_OPERATION_$class\] = \{([0-9.]+), ([^,]+), .*/\1 \2/p" src/why/observe/operations.c
done <<<"$rows")
heads='kgate (one, float)'
for processor in "$@"; do
    told=$(cut -d'|' -f2 <<<"$rows" | llvm-mca -mtriple=x86_64 -mcpu="$processor" -instruction-info \
        -resource-pressure=0 -summary-view=0 2>/dev/null |
        awk '$1 ~ /^[0-9]+$/ && $3 ~ /\./ {print ($2 < 100 || $3 > 1) ? $2 " " $3 : "-"}')
    columns=$(paste -d'|' <(echo "$columns") <(echo "$told"))
    heads="$heads|$processor"
done
{
    echo "class|instruction|$heads"
    paste -d'|' <(echo "$rows") <(echo "$columns")
} | column -t -s'|'
