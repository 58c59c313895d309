"""Exported programs whose statements repeat have loops, and the bits of straight code."""

import random
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chainrule import Value, exp, less, log, sqrt, sum, tanh, where
from chainrule.compiler.codegen import repeats

from ....conformance.campaigns.exports import all_identical, build, in_c, in_javascript, written
from ....near import near
from . import exported_loops

Program = Callable[[list[Value], list[Value]], Any]


def made(program: Program, params: int, inputs: int) -> Any:
    """A compiled program, a call of it in the campaign's format, and what eager mode gives."""
    p = [Value(0.1 + 0.2 * k) for k in range(params)]
    x = [Value((7 * k % 11) / 11.0 - 0.4) for k in range(inputs)]
    out = program(p, x)
    out.label = "model"
    step, expected = exported_loops.exported(out, p, x)
    return step, ("model", [v.data for v in p], [v.data for v in x]), expected


def kalman(p: list[Value], y: list[Value]) -> Any:
    """The likelihood of a scalar Kalman filter."""
    q, r, mean, variance = exp(p[0]), exp(p[1]), p[2], exp(p[3])
    total: Any = 0.0
    for z in y:
        variance = variance + q
        spread = variance + r
        error = z - mean
        gain = variance / spread
        total = total + 0.5 * (log(spread) + error * error / spread)
        mean = mean + gain * error
        variance = (1.0 - gain) * variance
    return total


def layers(p: list[Value], y: list[Value]) -> Any:
    """A loop inside a loop, and a second loop over what the first collects."""
    state: list[Any] = [p[0], p[1]]
    collected = []
    for x in y:
        for _ in range(20):
            state = [tanh(p[2] * state[0] + p[3] * state[1]), state[0] + 0.1 * x]
        collected.append(state[0])
    total: Any = 0.0
    for number in collected:
        total = total + number * number
    return total


def changing(p: list[Value], y: list[Value]) -> Any:
    """Constants that change, and inputs in an order without a pattern."""
    total: Any = p[0]
    for k in range(len(y)):
        total = total + y[k * k % len(y)] * (0.1 * k + 0.3) * p[1] + tanh(total) * p[k % 3]
    return total


def second_order(p: list[Value], y: list[Value]) -> Any:
    """A state of two steps before, and a fold in each step."""
    states: list[Any] = [p[0], p[1]]
    for x in y:
        states.append(sum([p[2] * states[-1], p[3] * states[-2], x * states[-1], 0.5]) * 0.5)
    return states[-1] * states[-2]


def chosen(p: list[Value], y: list[Value]) -> Any:
    """Infinite derivatives in branches that are not taken."""
    state: Any = p[0]
    for x in y:
        root = where(less(x, 0.0), p[1], sqrt(where(less(x, 0.0), p[2], x)))
        state = 0.9 * state + root * tanh(state)
    return state


PROGRAMS = [kalman, layers, changing, second_order, chosen]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_bits_of_eager_mode(program: Program, tmp_path: Path) -> None:
    step, call, expected = made(program, 4, 200)
    text = step.source("c")
    assert re.search(r"for \(int t = 0; t < \d+; t\+\+\) \{", text)
    assert (" u < " in text) == (program is layers)
    assert all_identical(in_c(build(tmp_path, {"model": text}), call), expected)


@pytest.mark.parametrize("program", PROGRAMS)
def test_javascript_computes_the_same_as_its_straight_code(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, call, expected = made(program, 4, 200)
    rolled = step.source("javascript")
    monkeypatch.setattr(repeats, "LEAST_STATEMENTS", 10**9)
    straight = step.source("javascript")
    assert "let t = 0;" in rolled
    assert "let t = 0;" not in straight
    assert len(rolled) < 0.5 * len(straight)
    (found,) = in_javascript(tmp_path, {"model": rolled}, [call])
    assert [found] == in_javascript(tmp_path, {"model": straight}, [call])
    assert found[0] == near(expected[0], rel=1e-12)


def test_five_thousand_steps(tmp_path: Path) -> None:
    """The text does not grow with the steps, except for its numbers."""
    step, call, expected = made(kalman, 4, 5000)
    text = step.source("c")
    assert len(text) < 8000
    assert abs(len(text) - len(made(kalman, 4, 500)[0].source("c"))) < 400
    started = time.process_time()
    library = build(tmp_path, {"model": text}, "-O2")
    assert time.process_time() - started < 2.0
    assert all_identical(in_c(library, call), expected)


def test_a_long_body_is_split_into_functions(tmp_path: Path) -> None:
    """Compilers take more than linear time for long functions."""
    rng = random.Random(1)
    body = [(rng.choice([tanh, sqrt, exp]), rng.randrange(3)) for _ in range(40)]

    def program(p: list[Value], y: list[Value]) -> Any:
        state: Any = p[0]
        for x in y:
            for function, k in body:
                state = tanh(function(state * state)) * p[k] + x
        return state

    step, call, expected = made(program, 3, 20)
    text = step.source("c")
    lengths = [part.count("\n") for part in text.split("\n\n")]
    assert max(lengths) < 150
    assert "int t)" in text
    assert all_identical(in_c(build(tmp_path, {"model": text}), call), expected)


def test_short_programs_stay_straight() -> None:
    step, _, _ = made(kalman, 4, 10)
    assert "t++" not in step.source("c")


def test_random_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "LEAST_STATEMENTS", 50)
    assert exported_loops.run(range(40), tmp_path) >= 30


def test_a_program_without_repetition_has_no_loop() -> None:
    code = [k * k % 10007 for k in range(1000)]
    assert repeats.candidates(repeats.np.array(code), 0, len(code)) == []


def test_written_programs_use_only_the_names_they_declare(tmp_path: Path) -> None:
    """Tables that depend on a counter are declared before each statement that reads them."""
    step, _, _ = made(second_order, 4, 100)
    text = step.source("c")
    (tmp_path / "model.c").write_text(text)
    command = [
        "cc",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        str(tmp_path / "model.c"),
    ]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    assert re.search(r"const int table_\d+\[\] = \{[^}]*\bt\b[^}]*\};", text)
    assert written({"model": step}, "c") == {"model": text}
