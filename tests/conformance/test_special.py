"""Compares the special grid, on the core in use, with the committed table of results and reasons."""

import pytest

import chainrule
from chainrule.ops import Op

from .campaigns import check, special


@pytest.mark.parametrize("op", special.elementwise(), ids=lambda op: op.name)
def test_results_match_the_table(op: Op) -> None:
    """The value and the partials at every point of the grid."""
    table = special.read()[op.name]
    assert [repr(args) for args, _, _ in table] == [repr(args) for args in special.grid(op)]
    for args, expected, _ in table:
        value, partials = check.evaluate(op, args)
        for result, number in zip([value, *partials], expected, strict=True):
            assert check.same(result, number), (op.name, args, [value, *partials], expected)


@pytest.mark.skipif(chainrule.core == "python", reason="tests the table, not a core")
@pytest.mark.parametrize("op", special.elementwise(), ids=lambda op: op.name)
def test_every_row_is_explained(op: Op) -> None:
    """Exact arithmetic gives the result, or its reason does."""
    for args, results, why in special.read()[op.name]:
        texts = []
        for part in [None, *check.parts(op)]:
            result = results[0 if part is None else part + 1]
            texts.append(special.reason(op, part, args, result))
        assert "?" not in texts, (op.name, args, results)
        assert "; ".join(dict.fromkeys(filter(None, texts))) == why, (op.name, args)
