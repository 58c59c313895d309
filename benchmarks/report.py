"""Runs all benchmarks and writes docs/benchmarks.md: what `make bench` does.

Exits with the worst code of the scripts: 1 if a bar was missed, 2 if something could not be
measured. Then, and with `--quick`, nothing is written.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import measure

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
SCRIPTS = ("eager", "training", "pricing", "gpt", "compile_time", "threads", "layout")

HEAD = """# Benchmarks

Written by `make bench` on

{machine}

Every section is a script in `benchmarks/`. All sides compute in double precision; they must agree
on the results before anything is timed, and they take turns while it is. Shown are medians, with
compiling apart. Where contestants race, the ratio is the peer's median to ours: how many times as
long it takes.
"""


def run(script: str) -> tuple[int, str]:
    """Run a script, showing what it prints."""
    command = [sys.executable, str(HERE / f"{script}.py"), *sys.argv[1:]]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return process.returncode, "".join(lines)


def question(script: str) -> str:
    """The first sentence of a script: the title of its section."""
    return (HERE / f"{script}.py").read_text().removeprefix('"""').split("?")[0] + "?"


def main() -> int:
    machine = measure.machine()
    page, worst = [HEAD.format(machine=machine)], 0
    for script in SCRIPTS:
        print(f"\n=== {script} ===\n")
        code, text = run(script)
        worst = max(worst, abs(code))
        page.append(f"## {question(script)}\n\n{text.removeprefix(machine).strip()}\n")
    if not measure.QUICK and worst < 2:
        PAGE.write_text("\n".join(page))
        print(f"\nwritten: {PAGE}")
    return worst


if __name__ == "__main__":
    sys.exit(main())
