"""A page of which nothing was run, or not all, must not pass the walk through the documents."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = "docs/cuda_source.md"  # without a block of its own in walk.py's table
BLOCKS = ((["true", "true"], 0, "of 2 blocks 2 run, 0 left out, good"),
          ([], 1, "of 0 blocks 0 run, 0 left out, FAILED"),
          (["exit 0", "false"], 1, "of 2 blocks 1 run, 0 left out, FAILED"),
          (["true", "false"], 1, "of 2 blocks 2 run, 0 left out, FAILED"))

for commands, status, words in BLOCKS:
    with tempfile.TemporaryDirectory(prefix="kgate-walk-test-") as checkout:
        os.mkdir(f"{checkout}/docs")
        for name in ("README.md", "CONTRIBUTING.md", PAGE):
            with open(f"{checkout}/{name}", "w", encoding="utf-8") as page:
                page.writelines(f"```sh\n{command}\n```\n" for command in (commands if name == PAGE else ()))
        ran = subprocess.run((sys.executable, HERE + "/walk.py", checkout, checkout + "/prefix", PAGE), check=False,
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if ran.returncode != status or words not in ran.stdout:
            sys.exit(f"{commands}: expected exit status {status} and '{words}', found {ran.returncode}\n{ran.stdout}")
