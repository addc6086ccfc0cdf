"""A campaign that tried nothing must not look like one without a finding.

    campaign_test.py KGATE FOLDER_OF_TESTS"""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# Programs in the place of strace: one that may not trace, and one whose faults never arrive.
FORBIDDEN = "#!/bin/sh\nexit 1\n"
CALM = '#!/bin/sh\nwhile [ "$1" != echo ]; do shift; done\nexec "$@"\n'


def campaign(tests, path, *arguments):
    ran = subprocess.run((sys.executable, HERE + "/campaign.py", sys.argv[1], tests, *arguments), check=False,
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env=dict(os.environ, PATH=path))
    return ran.returncode, ran.stdout


def expect(what, ran, status, words):
    if ran[0] != status or words not in ran[1]:
        sys.exit(f"{what}: expected exit status {status} and '{words}', found {ran[0]}\n{ran[1]}")


def program_make(folder, name, script):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(script)
    os.chmod(f"{folder}/{name}", 0o755)


def path_without(folder, name):
    """A PATH of one folder that has all programs but one."""
    for at in os.environ["PATH"].split(":"):
        for program in os.listdir(at) if os.path.isdir(at) else ():
            if program != name and not os.path.lexists(f"{folder}/{program}"):
                os.symlink(f"{at}/{program}", f"{folder}/{program}")
    return folder


def main():
    tests, path = sys.argv[2], os.environ["PATH"]
    with tempfile.TemporaryDirectory(prefix="kgate-campaign-test-") as folder:
        without = path_without(folder, "strace")
        for part in ("calls", "power", "verdicts"):
            expect(part, campaign(tests, without, part), 1, "not tried: no strace")
        expect("whole", campaign(tests, without, "--every", "1000000", "--kills", "4"), 1, "not tried: no strace")
        expect("allowed", campaign(tests, without, "--allow-untried", "power"), 77, "not tried: no strace")
    for script in (FORBIDDEN, CALM):
        with tempfile.TemporaryDirectory(prefix="kgate-campaign-test-") as folder:
            program_make(folder, "strace", script)
            for part in ("calls", "power"):
                expect(part, campaign(tests, f"{folder}:{path}", part), 1, "not tried: strace may not trace here")
    expect("no kill", campaign(tests, path, "--kills", "0", "kills"), 1, "not tried: nothing to try")
    with tempfile.TemporaryDirectory(prefix="kgate-campaign-test-") as folder:
        expect("nothing preloaded", campaign(folder, path, "memory"), 1, "not tried: allocations of")
    expect("a part", campaign(tests, path, "--every", "20", "updates"), 0, "eight updates at once")


main()
