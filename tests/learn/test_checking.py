"""Failing properties report the smallest input; programs are compared with the reference engine."""

import math
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from chainrule import Value
from chainrule.learn import checking
from chainrule.learn.checking import CheckFailedError, Work, number, numeric, positive, several, whole
from chainrule.learn.programs import Program, check_function, compare, program, reason

from ..near import near


def work(source: str = "") -> Work:
    module = ModuleType("work")
    module.__file__ = "work.py"
    exec(compile(source, "work.py", "exec"), module.__dict__)
    return Work(module)


def failure(test: Any, *makers: Any, source: str = "") -> CheckFailedError:
    with pytest.raises(CheckFailedError) as caught:
        work(source).for_all(*makers)(test)
    return caught.value


def test_the_smallest_input_is_shown() -> None:
    def large(x: float, y: float) -> None:
        work().true("x must not be above 1", x <= 1.0)

    assert failure(large, number(), number()).inputs == "x = 2, y = 1"


def test_shrinking_keeps_the_sign_and_stops_at_1() -> None:
    def positive(x: float) -> None:
        work().true("x must be positive", x > 0.0)

    assert failure(positive, number()).inputs == "x = -1"


def test_lists_shrink_to_one_entry_and_whole_numbers_to_1() -> None:
    def never(x: list[float], n: int) -> None:
        work().true("it never holds", False)

    assert failure(never, several(positive(), 2, 4), whole(2, 9)).inputs == "x = [1], n = 1"


def test_an_exception_in_learner_code_is_a_failure_with_its_line() -> None:
    source = "def half(x):\n    return 1 / (x - x)\n"
    half = work(source).get("half")

    def test(x: float) -> None:
        half(x)

    found = failure(test, number(), source=source)
    message = "it raises ZeroDivisionError: float division by zero, at line 2\n  with      x = 1"
    assert str(found) == message


def test_shrinking_does_not_switch_to_a_different_failure() -> None:
    def test(x: float) -> None:
        if x == 1.0:
            raise KeyError("out of range")
        work().true("x must be below 0", x < 0.0)

    assert failure(test, number(2.0, 3.0)).what == "x must be below 0"


@pytest.mark.parametrize(
    ("kind", "got", "message"),
    [
        (int, None, "a whole number\n  got       None (is there a return?)"),
        (Value, 2.0, "a Value\n  got       2"),
        (list, "x", "a list\n  got       'x'"),
    ],
)
def test_a_wrong_type_is_reported(kind: type, got: Any, message: str) -> None:
    with pytest.raises(CheckFailedError) as caught:
        work().kind("it", got, kind)
    assert str(caught.value) == f"it\n  expected  {message}"
    assert work().kind("it", kind(1) if kind is not list else [], kind) is not None


@pytest.mark.parametrize(
    ("source", "name", "what"),
    [
        ("from chainrule import Value", "Value", "class"),
        ("from chainrule.engine import Value", "Value", "class"),
        ("import chainrule\nclass Value(chainrule.Value):\n    pass", "Value", "class"),
        ("from chainrule.nn import Layer", "Layer", "class"),
        ("from chainrule import Value as Dual", "Dual", "class"),
        ("from chainrule import softmax", "softmax", "function"),
    ],
)
def test_a_solution_must_not_be_imported_from_chainrule(source: str, name: str, what: str) -> None:
    with pytest.raises(CheckFailedError, match=f"^write the {what} yourself: this is chainrule's own$"):
        work(source).get(name)


def test_a_solution_may_build_on_chainrule() -> None:
    source = "from chainrule import nn\nclass Neuron(nn.Module):\n    pass\nloss = nn.MLP(1, [1])"
    assert work(source).get("Neuron").__name__ == "Neuron"
    assert work(source).get("loss") is not None


def test_nearly_equal_numbers_are_shown_with_all_digits() -> None:
    with pytest.raises(CheckFailedError) as caught:
        work().equal("it", 1.0000001, 1.0)
    assert (caught.value.expected, caught.value.got) == ("1.0", "1.0000001")


def test_numeric_slopes_are_accurate_to_ten_digits() -> None:
    dx, dy = numeric(lambda x, y: math.exp(x) * y, 1.0, 20.0)
    assert dx == near(20 * math.e, rel=1e-10)
    assert dy == near(math.e, rel=1e-10)


def test_printing_running_and_simplifying_a_program() -> None:
    lines = Program(2, (("*", (0, 1)), ("tanh", (2,)), ("**2", (3,)), ("-", (4, 2))))
    assert repr(lines) == "c = a * b; d = c.tanh(); e = d**2; f = e - c"
    values = lines([Value(0.5), Value(3.0)])
    assert values[-1].data == math.tanh(1.5) ** 2 - 1.5
    assert [repr(each) for each in lines.simpler()] == [
        "c = a.tanh(); d = c**2; e = d - a",
        "c = a * b; d = c**2; e = d - c",
        "c = a * b; d = c.tanh(); e = d - c",
        "c = a * b; d = c.tanh(); e = d**2",
    ]


def test_random_programs_reuse_results() -> None:
    rng = random.Random(0)
    made = [program("+", "*")(rng) for _ in range(50)]
    used = [[k for _, which in lines.lines for k in which if k >= 2] for lines in made]
    assert sum(len(k) > len(set(k)) for k in used) > 10


def test_compare_accepts_a_correct_engine_and_rejects_a_faulty_one() -> None:
    class Wrong:
        """A faulty engine, which forgets the second input."""

        def __init__(self, data: float) -> None:
            self.data, self.grad = data, 0.0

        def __add__(self, other: Any) -> Any:
            out = Wrong(self.data + other.data)
            out.first = self
            return out

        def backward(self) -> None:
            self.grad, self.first.grad = 1.0, 1.0

    lines = Program(2, (("+", (0, 1)),))
    compare(work(), Value, lines, [1.0, 2.0])
    with pytest.raises(CheckFailedError, match=r"b\.grad, the derivative of c with respect to b"):
        compare(work(), Wrong, lines, [1.0, 2.0])


class Mine:
    """A learner's class, with only the attributes that `reason` reads."""

    def __init__(self, data: float, inputs: Any = ()) -> None:
        self.data, self.grad, self.inputs = data, 0.0, inputs
        self._backward: Any = lambda: None


def test_a_disconnected_input_is_distinguished_from_a_wrong_rule() -> None:
    leaf, cut = Mine(2.0), Mine(1.0)
    kept = Mine(1.0, [leaf])
    assert "does not store its inputs" in reason(leaf, cut, "the rule")
    assert "the inner function is not stored" in reason(leaf, kept, "the rule")
    kept._backward = lambda: None  # a different function
    assert reason(leaf, kept, "the rule") == "the rule"
    leaf.grad = 0.5  # the gradient arrived anyway
    assert reason(leaf, cut, "the rule") == "the rule"


@pytest.mark.parametrize("inputs", [None, {1}, np.empty(1, dtype=object)])
def test_a_class_of_a_different_design_is_not_analysed(inputs: Any) -> None:
    leaf, result = Mine(2.0), Mine(1.0, inputs)
    del leaf._backward
    assert reason(leaf, result, "the rule") == "the rule"
    result._backward = print  # not a Python function
    assert reason(leaf, result, "the rule") == "the rule"


@pytest.mark.parametrize("method", ["tanh", "exp", "sigmoid"])
def test_the_engines_own_functions_pass(method: str) -> None:
    function = {"tanh": math.tanh, "exp": math.exp, "sigmoid": lambda x: 1 / (1 + math.exp(-x))}[method]
    check_function(work(), Value, method, function, number(), "")


class Elementwise:
    def __eq__(self, other: object) -> Any:
        return [False]


class Floating:
    def __float__(self) -> float:
        return 12.0


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        *(("12", 12.0), (b"12", 12.0), (True, 1.0), (True, 1), ("1", 1), (None, 0.0), (10**400, 1.0)),
        *(("12", [1.0, 2.0]), ("ab", ["a", "b"]), ({1.0: 0, 2.0: 0}, [1.0, 2.0])),
        *(({1.0: 0}.keys(), [1.0]), ({1, 2}, [1, 2]), (["1", "2"], [1.0, 2.0]), ([1.0], [1.0, 2.0])),
        *((Elementwise(), "a"), (Elementwise(), 1), (np.array([3, 3]), 3), (float("nan"), 1.0)),
    ],
)
def test_results_that_only_look_equal_are_rejected(got: Any, expected: Any) -> None:
    with pytest.raises(CheckFailedError):
        work().equal("it", got, expected)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        *((12, 12.0), (np.float64(12.0), 12.0), (Floating(), 12.0), (12.0, 12), (np.int64(12), 12)),
        *(((1, 2.0), [1.0, 2.0]), (np.array([1.0, 2.0]), [1.0, 2.0])),
        *(((x for x in (1.0, 2.0)), [1.0, 2.0]), ("ab", "ab"), (True, True), (None, None)),
        *(({1, 2}, {1, 2}), (math.inf, math.inf), (math.nan, math.nan)),
    ],
)
def test_equal_numbers_and_sequences_of_any_type_are_accepted(got: Any, expected: Any) -> None:
    work().equal("it", got, expected)


def test_simple_numbers_within_the_range_are_tried_first() -> None:
    seen: list[tuple[Any, ...]] = []

    def test(*arguments: Any) -> None:
        seen.append(arguments)

    work().for_all(number(), number(0.4, 2.5), number(-9.0, -8.0), whole(0, 9))(test)
    free, narrow, far, whole_numbers = zip(*seen[: len(checking.SIMPLE)], strict=True)
    assert free == checking.SIMPLE
    assert narrow == (2.0, 0.5, 1.0, 2.0, 0.5, 1.0, 2.0)
    assert all(-9.0 <= x <= -8.0 for x in far)
    assert all(type(x) is int for x in whole_numbers)
    assert len({x for x, *_ in seen[len(checking.SIMPLE) :]}) > 40
