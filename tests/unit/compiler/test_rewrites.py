"""The rewrite table: every rule is correct, and both pipelines apply it."""

import math
import random
from typing import Any

import pytest

from chainrule import Value, ops
from chainrule.compiler import passes
from chainrule.compiler.flat import Flat
from chainrule.compiler.graph import Graph, from_values
from chainrule.compiler.pipeline import NativePipeline
from chainrule.support.formulas.rewrites import REWRITES, built
from chainrule.value import core

from ...near import near

SPECIAL = (0.0, -0.0, 1.0, -1.0, 3.0, -0.5, math.inf, -math.inf, math.nan, 1e300, -1e-300)


def on(x: Any, formula: Any) -> Any:
    """Evaluate a formula at a number or a Value."""
    return built(formula, {"x": x}, float, lambda op, args: op(*args))


@pytest.mark.parametrize(("before", "after"), REWRITES)
def test_both_sides_agree(before: Any, after: Any) -> None:
    rng = random.Random(0)
    for x in (*SPECIAL, *(rng.uniform(-10.0, 10.0) for _ in range(1000))):
        assert on(x, after) == near(on(x, before), ulps=2, nan_ok=True), x


@pytest.mark.parametrize(("before", "after"), REWRITES)
def test_a_rule_is_applied(before: Any, after: Any) -> None:
    x = Value(2.0)
    expected = str(passes.optimise(from_values([on(x, after)], [], [x], [])))
    assert str(passes.optimise(from_values([on(x, before)], [], [x], []))) == expected
    if core == "c":
        native = NativePipeline(Flat.from_values([on(x, before)], [], [x], []))
        found: Graph = Flat(native.graph).unpack()
        assert str(found) == expected


@pytest.mark.parametrize("index", [0.0, 1.0, 2.0, -1.0, 3.0, 0.5, math.nan])
def test_take_with_a_constant_index_is_the_entry(index: float) -> None:
    """Other constants beside it do not matter, and an index outside the table is left to the run."""
    built = passes.Builder()
    entries = (built.node("input", (0,)), built.constant(2.0), built.node("input", (1,)))
    found = built.apply(ops.take(3), (built.constant(index), *entries))
    assert (found in entries) == (index in (0.0, 1.0, 2.0))
    if found in entries:
        assert found == entries[int(index)]
