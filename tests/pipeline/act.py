"""Runs the shell steps of a composite action as a runner does, for tests: act.py ACTION [NAME=VALUE]...

NAME=VALUE are its inputs. Steps that use other actions are named, and left out. The environment has what
GitHub sets (GITHUB_EVENT_PATH, GITHUB_API_URL and so on). Each step has files of its own to set variables, PATH
and outputs by, where a runner has them, and what a step wrote there is so for those after it. Prints the steps' output, the action's outputs as
`output NAME=VALUE`, and exits as the job would: with the first failing step's status.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

FILES = ("env", "path", "output", "state", "step_summary")
ALWAYS = re.compile(r"\balways\(\)")


def pairs(text):
    return dict(line.split("=", 1) for line in text.splitlines())


class Run:
    def __init__(self, action, given):
        self.action = action
        unknown = set(given) - set(action["inputs"])
        if unknown:
            sys.exit(f"no such input: {unknown}")
        self.inputs = {name: given.get(name, row.get("default", "")) for name, row in action["inputs"].items()}
        self.steps = {}
        self.env = {}
        self.paths = []
        self.status = 0

    def value(self, name):
        """What `inputs.suite`, `steps.begin.outputs.number` and the like stand for."""
        kind, *rest = name.strip().split(".")
        if kind == "inputs":
            return self.filled(self.inputs[rest[0]])
        if kind == "steps":
            step = self.steps.get(rest[0], {"outcome": "skipped", "outputs": {}})
            return step["outcome"] if rest[1] == "outcome" else step["outputs"].get(rest[2], "")
        known = {"github.token": os.environ.get("TEST_TOKEN", ""), "runner.os": "Linux", "runner.arch": "X64"}
        return known[name.strip()]

    def filled(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: self.value(found[1]), str(text))

    def term(self, text):
        text = text.strip()
        if text == "always()":
            return True
        left, sign, right = re.fullmatch(r"(\S+) (==|!=) '(.*)'", text).groups()
        return (self.value(left) == right) == (sign == "==")

    def wanted(self, step):
        condition = str(step.get("if", ""))
        if self.status and not ALWAYS.search(condition):
            return False
        return all(self.term(term) for term in condition.split("&&")) if condition else True

    def step(self, step):
        identity = step.get("id", "")
        if not self.wanted(step):
            return
        if "uses" in step:
            print(f"uses {step['uses']} {({key: self.filled(value) for key, value in step['with'].items()})}", flush=True)
            return
        with tempfile.TemporaryDirectory(dir=os.environ["RUNNER_TEMP"], prefix="_runner_file_commands") as folder:
            files = {name: f"{folder}/{name}" for name in FILES}
            for path in files.values():
                pathlib.Path(path).touch()
            env = {**os.environ, **self.env, **{f"GITHUB_{name.upper()}": path for name, path in files.items()}}
            env["PATH"] = ":".join([*self.paths, os.environ["PATH"]])
            env.pop("TEST_TOKEN", None)
            env.update({name: self.filled(value) for name, value in step.get("env", {}).items()})
            status = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", self.filled(step["run"])], env=env, check=False).returncode
            written = {name: pathlib.Path(path).read_text(encoding="utf-8") for name, path in files.items()}
        self.env.update(pairs(written["env"]))
        self.paths[:0] = written["path"].splitlines()
        with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as summary:
            summary.write(written["step_summary"])
        self.steps[identity] = {"outcome": "failure" if status else "success", "outputs": pairs(written["output"])}
        self.status = self.status or status


def main():
    path, *words = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        run = Run(yaml.safe_load(file), dict(word.split("=", 1) for word in words))
    os.environ["GITHUB_ACTION_PATH"] = os.path.dirname(os.path.abspath(path))
    for step in run.action["runs"]["steps"]:
        run.step(step)
    for name, row in run.action["outputs"].items():
        print(f"output {name}={run.filled(row['value'])}")
    sys.exit(run.status)


main()
