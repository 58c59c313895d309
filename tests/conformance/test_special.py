"""The special grid on the core in use, against the committed table of values and reasons."""

import pytest

import chainrule
from chainrule.ops import Op

from .campaigns import check, special


@pytest.mark.parametrize("op", special.elementwise(), ids=lambda op: op.name)
def test_grid(op: Op) -> None:
    """The committed value and partials at every point of the grid."""
    table = special.read()[op.name]
    assert [repr(args) for args, _, _ in table] == [repr(args) for args in special.grid(op)]
    for args, expected, _ in table:
        value, partials = check.evaluate(op, args)
        for result, number in zip([value, *partials], expected, strict=True):
            assert check.same(result, number), (op.name, args, [value, *partials], expected)


@pytest.mark.skipif(chainrule.core == "python", reason="about the table, not about a core")
@pytest.mark.parametrize("op", special.elementwise(), ids=lambda op: op.name)
def test_every_row_is_explained(op: Op) -> None:
    """By exact arithmetic, or by its reason, which says what to expect."""
    for args, results, why in special.read()[op.name]:
        texts = []
        for part in [None, *check.parts(op)]:
            result = results[0 if part is None else part + 1]
            texts.append(special.reason(op, part, args, result))
        assert "?" not in texts, (op.name, args, results)
        assert "; ".join(dict.fromkeys(filter(None, texts))) == why, (op.name, args)
