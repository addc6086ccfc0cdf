#!/usr/bin/env bash
# The job's exit status, once everything was posted. A workload that failed, and a gate that could not run,
# fail under each posture.
source "$(dirname "$0")/common.sh"

status=${KGATE_STATUS:-}
# A status without a comparison, as of `--help` in the arguments, is none of a gate.
if [ "${KGATE_VERDICT:-ERROR}" = ERROR ] && [[ $status =~ ^[014]$ ]]; then
    echo "::error title=kgate::nothing was compared, though the exit status is $status: see the log"
    exit 2
fi
case $status in
0) exit 0 ;;
4)
    warn "undecided: the summary says what settles it"
    exit 0
    ;;
1)
    if [ "$KGATE_POSTURE" = advisory ]; then
        warn "a regression; not failed, since the posture is advisory"
        exit 0
    fi
    echo "::error title=kgate::a regression: see the summary"
    exit 1
    ;;
*)
    echo "::error title=kgate::could not measure everything (exit status ${status:-none}): see the log"
    [[ $status =~ ^[0-9]+$ ]] && exit "$status"
    exit 2
    ;;
esac
