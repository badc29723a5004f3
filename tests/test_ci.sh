#!/bin/sh
# SPDX-License-Identifier: MIT
# test_ci.sh: the workflow files parse, their steps are shell, and what they name is there.
set -eu

: "${top_srcdir:=.}"
python3 -c 'import yaml' 2>/dev/null || {
    echo "skipped: no Python with a YAML parser (Debian: python3-yaml)" >&2
    exit 77
}
python3 - "$top_srcdir" <<'END'
import pathlib
import re
import subprocess
import sys

import yaml

root = pathlib.Path(sys.argv[1])
files = sorted((root / "examples/ci").glob("*.yml"))
failures = [] if len(files) == 2 else [f"{len(files)} workflow files"]
tests = (root / "tests/tests.am").read_text(encoding="utf-8")
for path in files:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 reads the key "on" as true.
    if not {"name", "jobs"} <= workflow.keys() or not workflow.get("on", workflow.get(True)):
        failures.append(f"{path.name}: no name, jobs or events")
    for job, content in workflow["jobs"].items():
        if "runs-on" not in content or not content["steps"]:
            failures.append(f"{path.name}: {job} has no runner or no steps")
        for step in content["steps"]:
            if ("run" in step) == ("uses" in step):
                failures.append(f"{path.name}: {job}: neither or both of run and uses: {step}")
            command = step.get("run", "")
            if subprocess.run(["sh", "-n"], input=command, text=True, check=False).returncode != 0:
                failures.append(f"{path.name}: {job}: not shell: {command}")
            for name in re.findall(r"(?:^|\s)(?:\./)?((?:tests|examples)/[\w./-]+)", command):
                known = (root / name).exists() or (root / f"{name}.c").exists() or f"%D%/{name[6:]} \\" in tests
                if not known:
                    failures.append(f"{path.name}: {job}: there is no {name}")
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(bool(failures))
END
