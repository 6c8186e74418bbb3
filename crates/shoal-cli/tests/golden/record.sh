#!/usr/bin/env bash
# Runs every command of commands.toml with the given program and keeps what comes out, for tests/golden.rs to compare.
#
#   ./record.sh PROGRAM                      renews the files in this folder
#   ./record.sh PROGRAM FOLDER [OPTION…]     writes them elsewhere, with more options on every command (--threads 1)
#   ONLY="fit-gkm plan" ./record.sh PROGRAM  does so for these cases only
#
# Needs bash and Python 3.11 or newer, nothing else.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 1 ]; then
    echo "usage: $0 PROGRAM [FOLDER [OPTION…]]" >&2
    exit 2
fi
exec python3 - "$here" "$@" <<'PYTHON'
import json, os, re, shutil, subprocess, sys, tempfile, time, tomllib
from pathlib import Path

here, program = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
target = Path(sys.argv[3]) if len(sys.argv) > 3 else here
more = sys.argv[4:]
listed = tomllib.loads((here / "commands.toml").read_text())
data = here / "../../../../data"
environment = {key: value for key, value in os.environ.items() if key not in ("SHOAL_DATA", "SHOAL_LEDGER")}


def stable(text):
    """JSON text with null for what differs from run to run."""
    keys = "|".join(map(re.escape, listed["unstable"]))
    return re.sub(rf'("(?:{keys})": )("(?:[^"\\]|\\.)*"|[-+.0-9eE]+)', r"\1null", text)


def record(case):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for table in case.get("tables", []):
            source = here / "tables" / table
            shutil.copy(source if source.exists() else data / table, folder / table)
        kept = list(case.get("keep", []))
        for command in case["run"]:
            for word, meaning in listed["words"].items():
                command = command.replace("{" + word + "}", meaning)
            command, _, shown = command.partition(" > ")
            run = subprocess.run([program, *command.split(), *more], cwd=folder, env=environment,
                                 stdin=subprocess.DEVNULL, capture_output=True)
            if run.returncode != 0:
                sys.exit(f"{case['name']}: shoal {command}\n{run.stdout.decode()}{run.stderr.decode()}")
            if shown:
                (folder / shown).write_bytes(run.stdout)
                kept.append(shown)
        place = target / case["name"]
        shutil.rmtree(place, ignore_errors=True)
        for name in kept:
            content = (folder / name).read_bytes()
            if name.endswith(".json"):
                text = stable(content.decode())
                if "only" in case:
                    whole = json.loads(text)
                    part = {key: whole[key] for key in case["only"] if key in whole}
                    text = json.dumps(part, indent=2, ensure_ascii=False) + "\n"
                content = text.encode()
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)


names = [case["name"] for case in listed["case"]]
if len(set(names)) != len(names):
    sys.exit("two cases have the same name")
only = set(os.environ.get("ONLY", "").split()) or set(names)
if not only <= set(names):
    sys.exit(f"no such case: {', '.join(sorted(only - set(names)))}")
started = time.monotonic()
for case in (case for case in listed["case"] if case["name"] in only):
    before = time.monotonic()
    record(case)
    print(f"{time.monotonic() - before:6.2f} s  {case['name']}")
print(f"{time.monotonic() - started:6.2f} s  {len(only)} cases")
PYTHON
