"""The suite tests itself: it must catch every injected fault, and report no correct operation."""

import pytest

from chainrule import ops
from chainrule.ops import Op

from .campaigns import check, special
from .campaigns.planted import FAULTS


def complaints(op: Op) -> list[str]:
    """The faults that this suite's checks find in an operation."""
    right = ops.BY_NAME[op.name]
    if check.parts(op) != check.parts(right):
        return [f"{op.name} lost a partial derivative"]
    found = check.inaccuracies(op, 1000)
    for args, expected, _ in special.read()[op.name]:
        value, partials = check.evaluate(op, args)
        if not all(map(check.same, [value, *partials], expected)):
            found.append(f"{op.name}{args}: {partials}, expected {expected[1:]}")
    return found


def test_there_are_enough_faults() -> None:
    assert len(FAULTS) >= 30


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name: str) -> None:
    assert complaints(FAULTS[name]) != []


@pytest.mark.parametrize("name", sorted({op.name for op in FAULTS.values()}))
def test_a_correct_operation_is_not_reported(name: str) -> None:
    assert complaints(ops.BY_NAME[name]) == []
