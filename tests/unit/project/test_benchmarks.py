"""The benchmarks run: every implementation gives our results, and a failing one does not stop the run.

Sizes are tiny and no target is evaluated here. The scripts skip what is not installed.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

import chainrule

from ...conftest import python, require

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"

if chainrule.core != "c":
    pytest.skip("the benchmarks measure the compiled core", allow_module_level=True)


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python(script, *arguments, environment={"PYTHONPATH": str(BENCHMARKS)})


# In the order of the tables. A missed target stays; removing one requires a change here.
TARGETS = {
    "eager": ["micrograd >= 25", "micrograd >= 100"],
    "training": [
        *("JAX >= 4", "PyTorch >= 300"),
        *("JAX >= 2", "PyTorch >= 80", "micrograd >= 100,000"),
        *("JAX >= 2", "PyTorch >= 2"),
        *("PyTorch >= 1.3", "PyTorch >= 1", "JAX >= 1", "PyTorch >= 1", "C >= 0.6", "PyTorch >= 1.3"),
    ],
    "pricing": ["JAX >= 3", "JAX, first result >= 5", "JAX >= 4", "CasADi >= 8", "C >= 0.769"],
    "calculus": [
        *("JAX >= 3", "JAX >= 2", "JAX, first result >= 10"),
        *("CasADi >= 2", "CasADi, first result >= 5"),
    ],
    "gpt": ["plain Value >= 500"],
    "deep": [
        *("JAX >= 1.5", "C >= 0.667", "JAX >= 1.5", "JAX >= 1.5", "CasADi >= 2"),
        *("JAX >= 4", "C >= 0.769", "JAX >= 2", "PyTorch >= 2", "kalman >= 2"),
    ],
}


@pytest.mark.parametrize("script", TARGETS)
def test_every_implementation_gives_our_result_and_no_target_is_missing(script: str) -> None:
    if script == "calculus":
        require("scipy")  # for sparse matrices, ours too
    done = run(BENCHMARKS / f"{script}.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "chainrule" in done.stdout
    assert "agrees" in done.stdout
    if os.environ.get("CI"):
        assert "not installed" not in done.stdout
    lines = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if ">= " in line]
    assert [f"{cells[0].partition(':')[0]} {cells[-2].strip()}" for cells in lines] == TARGETS[script]


@pytest.mark.parametrize("script", ["compile_time", "threads", "layout"])
def test_the_other_benchmarks_run(script: str) -> None:
    done = run(BENCHMARKS / f"{script}.py", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not evaluated" in done.stdout


RACE = """
import os, sys, time
import measure
from race import Contestant, Race

def right(units):
    return lambda: [1.0, 2.0]

def slower(units):
    return lambda: time.sleep(0.05) or [1.0, 2.0]

def wrong(units):
    return lambda: [1.0, 2.1]

def raising(units):
    raise ValueError("no such\\ndevice")

def dying(units):
    os._exit(3)

def noisy(units):
    return lambda: os.write(1, b"chatter") and [1.0, 2.0]

def tables():
    contestants = [
        Contestant("chainrule", "", right, 1),
        Contestant("peer", "slow", slower, 1),
        Contestant("peer", "noisy", noisy, 1),
        Contestant("peer", "raises", raising, 1),
        Contestant("peer", "dies", dying, 1),
        Contestant("absent", "", right, 1, modules=["no_such_library"]),
        *([Contestant("liar", "", wrong, 1)] if "liar" in sys.argv else []),
    ]
    yield Race("work", contestants, checked=1, targets={"peer": 1e9, "absent": 2.0}).table()

if __name__ == "__main__":
    measure.ROUNDS = 3
    measure.QUICK = False
    sys.exit(measure.main(tables))
"""


@pytest.fixture
def race(tmp_path: Path) -> Path:
    script = tmp_path / "race_of_the_test.py"
    script.write_text(RACE)
    return script


def rows(text: str) -> dict[str, list[str]]:
    """The cells of each table row, keyed by the first cell."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_a_failing_implementation_does_not_stop_the_run(race: Path, tmp_path: Path) -> None:
    records = tmp_path / "records"
    done = run(race, f"--records={records}")
    assert done.returncode == 0, done.stderr
    assert "chatter" not in done.stdout
    found = rows(done.stdout)
    assert "peer: raises: not measured: ValueError: no such" in found
    assert "peer: dies: not measured: its process exited with code 3" in found
    assert "absent: not measured: no_such_library not installed" in found
    assert found["absent: no implementation was measured"][-2:] == [">= 2", "not evaluated"]
    # The target applies to the best implementation; a miss stays in the table and fails nothing.
    assert found["peer: noisy (best)"][-2:] == [">= 1e+09", "missed"]
    assert float(found["peer: slow"][2].replace(",", "")) > 100
    best = [json.loads(line) for line in records.read_text().splitlines()]
    assert [(each["peer"], each["verdict"]) for each in best] == [
        ("peer", "missed"),
        ("", "not evaluated"),
    ]


def test_a_wrong_result_fails_the_run_and_is_shown(race: Path) -> None:
    done = run(race, "liar")
    assert done.returncode == 1
    assert "| liar: not measured: liar: Not equal to tolerance rtol=1e-09, atol=1e-09" in done.stdout


PAGE = """
import report

def record(title, peer, ratio, target="", verdict=""):
    return dict(title=title, name=f"{peer}: spelled so (best)", peer=peer, ratio=ratio,
                quartiles="1 - 2", target=target, verdict=verdict, advice=f"For {title}")

records = [
    record("a race", "JAX", 0.25, ">= 4", "missed"),
    record("a race", "CasADi", 0.5),
    record("another", "PyTorch", 3.0, ">= 2", "met"),
]
print(report.page("a machine", records, ["## Section"]))
"""


def test_the_page_lists_missed_targets_and_faster_libraries(tmp_path: Path) -> None:
    script = tmp_path / "page_of_the_test.py"
    script.write_text(PAGE)
    done = run(script)
    assert done.returncode == 0, done.stderr
    page = done.stdout
    assert "Of 2 targets, this run met 1 and missed 1." in page
    assert "- For a race: JAX (4 times as fast), CasADi (2 times as fast)." in page
    faster = page.partition("## Where others are faster")[2].partition("##")[0]
    assert rows(faster)["a race"] == ["CasADi: spelled so", "2", "0.5", "1 - 2"]
    assert "another" not in faster
    assert "No round is repeated, left out or selected." in page
