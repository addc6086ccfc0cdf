"""What never ends hangs, and what a machine that stood still kept from ending does not: ending.py."""

import os
import signal
import subprocess
import sys
import time

from ending import end_wait

HERE = os.path.dirname(os.path.abspath(__file__))


def ending(command, **limits):
    """What is made of a command: what it has said, and why it hangs, if it does."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said, why = end_wait(process, lambda: (), **limits)
        process.kill()
    return said, why


def main():
    """What waits for ever hangs, what computes for ever does; what ends late does not."""
    _, why = ending(("sleep", "1000"), looks=2)
    if not why or " S in " not in why:
        sys.exit(f"a sleep without an end: expected its state, found {why}")
    _, why = ending(("sh", "-c", "while :; do :; done"), spins=0.5)
    if not why or " s of the processor; " not in why:
        sys.exit(f"a loop without an end: expected its seconds, found {why}")
    if ending(("sh", "-c", "sleep 1; echo done"), looks=30) != ("done\n", None):
        sys.exit("a sleep of 1 s was not waited for")
    program = "from ending_test import ending; print(ending(('sh', '-c', 'sleep 1; echo done'), looks=3))"
    with subprocess.Popen((sys.executable, "-c", program), cwd=HERE, start_new_session=True, text=True,
                          stdout=subprocess.PIPE) as watched:
        time.sleep(0.5)
        os.killpg(watched.pid, signal.SIGSTOP)  # what a paused machine does to both
        time.sleep(5)
        os.killpg(watched.pid, signal.SIGCONT)
        said = watched.communicate()[0]
    if said != "('done\\n', None)\n":
        sys.exit(f"a pause of 5 s is no hang, found {said}")


if __name__ == "__main__":
    main()
