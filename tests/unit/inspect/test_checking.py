"""check_gradients: correct gradients pass, and a wrong rule is identified by operation and input."""

from typing import Any

import pytest

import chainrule
from chainrule import StaleValueError, Value, check_gradients, custom_op

WRONG = custom_op("wrong", lambda x, y: x * y * y, (lambda x, y, out: y * y, lambda x, y, out: x * y))


def by_hand(x: Value, y: Value, factor: float) -> Value:
    out = Value(x.data * y.data, (x, y), "times")

    def backward() -> None:
        x.grad += y.data * out.grad
        y.grad += factor * x.data * out.grad

    out._backward = backward
    return out


def test_correct_gradients_pass() -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    a.grad = 5.0
    out = (a * b + a**2).tanh()
    report = check_gradients(out)
    assert report
    assert [row.name for row in report.comparisons] == ["a", "b"]
    assert all(row.error < 1e-9 for row in report.comparisons)
    assert (a.grad, a.data) == (5.0, 2.0)
    out.backward()


def test_the_report_is_a_table() -> None:
    lines = str(check_gradients(Value(3.0, label="x") ** 2)).splitlines()
    assert lines[0].split() == ["value", "backward", "numerical", "difference"]
    assert lines[1].split()[:3] == ["x", "6", "6"]
    assert lines[-1] == "1 of 1 gradients agree (epsilon 1e-05)"


def test_a_wrong_rule_is_reported_with_its_input() -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    report = check_gradients((WRONG(a * 1.5, b) + a) * 2)
    assert not report
    assert [row.agrees for row in report.comparisons] == [True, False]
    assert report.faults == [
        "wrong derivative: 'wrong' (data=27.0000), input 1, 'b' (data=-3.0000): "
        "the rule gives -9, finite differences -18"
    ]
    assert "WRONG" in str(report)


def test_a_wrong_rule_in_the_middle() -> None:
    """Neither the leaves nor the root are adjacent to the wrong operation."""
    a, b = Value(2.0), Value(-3.0)
    inner = WRONG((a * b).sin(), a.exp())
    report = check_gradients(inner.tanh() + b)
    assert len(report.faults) == 1
    assert "'wrong'" in report.faults[0]
    assert "input 1, the result of 'exp'" in report.faults[0]


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_hand_written_operations_in_a_function(factor: float) -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    report = check_gradients(lambda: by_hand(a + b, b, factor) * a)
    assert bool(report) == (factor == 1.0)
    if not report:
        assert len(report.faults) == 1
        assert "'times' (data=3.0000), input 1, 'b'" in report.faults[0]
    assert (a.data, b.data) == (2.0, -3.0)


def slipped(x: Value, slip: str) -> Value:
    out = Value(x.data**2, (x,), "square")

    def backward() -> None:
        if slip == "=":
            x.grad = 2 * x.data * out.grad
        else:
            x.grad += 2 * x.data

    out._backward = backward
    return out


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        ("=", "assigns to the gradient of an input: use +=, not ="),
        ("out", "does not multiply by the gradient"),
    ],
)
def test_the_two_classic_mistakes_are_reported(slip: str, message: str) -> None:
    """Even where they do no harm: a value used once, a gradient of 1."""
    report = check_gradients(lambda x: slipped(x, slip), 3.0)
    assert not report
    assert len(report.faults) == 1
    assert message in report.faults[0]


def test_a_function_of_arguments() -> None:
    assert check_gradients(lambda x, y: (x[0] * x[1]).sin() + y["a"], [1.0, 2.0], {"a": 3.0})


def test_hand_written_operations_cannot_be_recomputed() -> None:
    out = by_hand(Value(2.0), Value(3.0), 1.0)
    with pytest.raises(TypeError, match="Or pass check_gradients a function that builds the expression"):
        check_gradients(out)


def test_a_kink_is_a_note_not_a_fault() -> None:
    report = check_gradients(Value(0.0, label="x").relu())
    assert report
    assert report.faults == []
    assert "at a kink of 'relu'" in report.notes[0]
    assert "WRONG" not in str(report)
    assert str(report).endswith("0 of 1 gradients agree, the rest at a kink (epsilon 1e-05)")


@pytest.mark.parametrize("name", ["max", "min", "maximum", "minimum"])
def test_nearly_a_tie_is_a_kink(name: str) -> None:
    """The differences move across it. For max and min this used to be a wrong derivative."""
    report = check_gradients(getattr(chainrule, name), 1.0, 1.0 + 1e-9)
    assert report
    assert f"at a kink of '{name}'" in report.notes[0]
    for other in (1.0, 2.0):  # at a tie, the differences agree with the convention
        assert check_gradients(getattr(chainrule, name), 1.0, other).comparisons[0].agrees
    assert check_gradients(lambda x: chainrule.max([x]), 1.0)


def test_a_kink_does_not_excuse_other_faults() -> None:
    report = check_gradients(Value(0.0, label="x").relu() + WRONG(Value(2.0), Value(3.0)))
    assert not report
    assert str(report).count("WRONG") == 2
    assert str(report).endswith("1 of 3 gradients agree (epsilon 1e-05)")


@pytest.mark.parametrize(
    ("subject", "args", "message"),
    [
        (3, (), "check_gradients takes a Value or a function, got int"),
        (Value(1.0), (2.0, 3.0), "arguments are allowed only with a function"),
        (lambda: 3, (), "the function must return a Value, got int"),
    ],
)
def test_bad_subjects(subject: Any, args: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        check_gradients(subject, *args)


def test_a_stale_expression() -> None:
    a = Value(2.0)
    out = a * 3
    a.data = 4.0
    with pytest.raises(StaleValueError):
        check_gradients(out)


@pytest.mark.parametrize(
    "build",
    [
        *(lambda: 1 / Value(1e-3), lambda: Value(1e6).sin(), lambda: Value(1e-6).log()),
        *(lambda: Value(1e-6) * 1e-6 + 1.0, lambda: Value(1e100) * 3.0, lambda: Value(0.0).exp()),
        lambda: chainrule.max(Value(2.0), Value(2.0), Value(2.0)),
    ],
)
def test_correct_rules_are_not_reported(build: Any) -> None:
    """Steep, oscillating, tiny, huge: a fixed step of 1e-5 would not work."""
    assert check_gradients(build())


def test_a_small_wrong_gradient_is_found() -> None:
    half = custom_op("half", lambda x: 2e-6 * x, lambda x, out: 1e-6)
    assert not check_gradients(half(Value(1.0)))


def test_epsilon_as_the_second_argument() -> None:
    assert check_gradients(Value(2.0) ** 2, 1e-4).epsilon == 1e-4


def test_every_activation() -> None:
    for name in ("tanh", "relu", "sigmoid", "gelu", "silu", "softplus", "elu", "leaky_relu"):
        assert check_gradients(getattr(chainrule, name)(Value(0.7) * Value(-1.1))), name


@pytest.mark.parametrize("x", [1e12, -1e12, 1e100, 1.7e308])
def test_values_so_large_that_rounding_removes_the_step(x: float) -> None:
    """Both ends of the step were the same number, and the code divided by their distance, 0."""
    for f in (lambda v: v**v, lambda v: v * v * v, lambda v: v.exp(), lambda v: v.tanh()):
        value = Value(x, label="x")
        (row,) = check_gradients(f(value)).comparisons
        assert row.name == "x"
