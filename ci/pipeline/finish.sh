#!/usr/bin/env bash
# Sets the exit status of the job after everything is posted. A failed workload, or a gate that could not run, fails
# under each posture.
source "$(dirname "$0")/common.sh"

status=${KGATE_STATUS:-}
# Without a comparison the status is not a verdict, for example after `--help` in the arguments.
if [ "${KGATE_VERDICT:-ERROR}" = ERROR ] && [[ $status =~ ^[014]$ ]]; then
    echo "::error title=kgate::nothing was compared, but the exit status is $status. See the log"
    exit 2
fi
case $status in
0) exit 0 ;;
4)
    warn "undecided. The summary has the next step"
    exit 0
    ;;
1)
    if [ "$KGATE_POSTURE" = advisory ]; then
        warn "a regression. The job passes, because the posture is advisory"
        exit 0
    fi
    echo "::error title=kgate::a regression. See the summary"
    exit 1
    ;;
*)
    echo "::error title=kgate::kgate could not measure everything (exit status ${status:-none}). See the log"
    [[ $status =~ ^[0-9]+$ ]] && exit "$status"
    exit 2
    ;;
esac
