"""Bad input gives an error that says what was wrong, never a crash.

The messages are pinned because learners rely on them. Python's own messages (a missing argument, an
unknown keyword) differ between the cores, so only their gist is checked.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value

from ...conftest import python

NO_NUMBER = r"expected a real number \(int, float, bool or NumPy scalar\), got "
HUGE = 10**400


class FloatThatRaises(float):
    """A float that cannot be read."""

    def __float__(self) -> float:
        raise RuntimeError("this float cannot be read")


class IntThatRaises(int):
    """An int that cannot be read."""

    def __float__(self) -> float:
        raise RuntimeError("this int cannot be read")


class FloatOfText(float):
    """A float that converts to text."""

    def __float__(self) -> Any:
        return "text"


# --- values that are not numbers -----------------------------------------------------------------

NO_NUMBERS = [
    *(("3", "str '3'"), (b"3", "bytes b'3'"), (None, "None"), (1j, "complex 1j"), ([1], "list")),
    *(((1.0,), "tuple"), ({}, "dict"), (float, "type"), (np.array([1.0, 2.0]), "ndarray")),
    *((np.complex128(1j), r"complex128 np.complex128\(1j\)"), (np.str_("3"), r"str_ np.str_\('3'\)")),
    (np.datetime64("2020-01-01"), "datetime64"),
]
TAKES_A_NUMBER: dict[str, Callable[[Any], Any]] = {
    "Value(x)": lambda x: Value(x),
    "v.__init__(x)": lambda x: Value(1.0).__init__(x),
    "v.data = x": lambda x: setattr(Value(1.0), "data", x),
    "v.grad = x": lambda x: setattr(Value(1.0), "grad", x),
    "v.backward(x)": lambda x: Value(1.0).backward(x),
    "v.hypot(x)": lambda x: Value(1.0).hypot(x),
    "v.max(v, x)": lambda x: Value(1.0).max(Value(1.0), x),
    "v.where(x, 1)": lambda x: Value(1.0).where(x, 1.0),
}


@pytest.mark.parametrize("take", TAKES_A_NUMBER.values(), ids=TAKES_A_NUMBER.keys())
@pytest.mark.parametrize(("wrong", "named"), NO_NUMBERS, ids=[named for _, named in NO_NUMBERS])
def test_the_error_names_what_is_not_a_number(
    take: Callable[[Any], Any], wrong: Any, named: str
) -> None:
    with pytest.raises(TypeError, match=f"^{NO_NUMBER}{named}$"):
        take(wrong)


@pytest.mark.parametrize("take", TAKES_A_NUMBER.values(), ids=TAKES_A_NUMBER.keys())
def test_an_int_too_large_overflows(take: Callable[[Any], Any]) -> None:
    with pytest.raises(OverflowError, match=r"^int too large to convert to float$"):
        take(HUGE)


@pytest.mark.parametrize("take", TAKES_A_NUMBER.values(), ids=TAKES_A_NUMBER.keys())
@pytest.mark.parametrize("number", [FloatThatRaises(3.0), IntThatRaises(3)])
def test_an_error_while_reading_a_number_propagates(take: Callable[[Any], Any], number: Any) -> None:
    with pytest.raises(RuntimeError, match="cannot be read"):
        take(number)


def test_a_value_is_not_a_number() -> None:
    advice = f"^{NO_NUMBER}a Value: use it directly, or read its number with .data$"
    with pytest.raises(TypeError, match=advice):
        Value(Value(1.0))
    with pytest.raises(TypeError, match=advice):
        Value(1.0).data = Value(2.0)
    with pytest.raises(TypeError, match=advice):
        Value(1.0).backward(Value(2.0))


def test_a_float_that_converts_to_text_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"__float__ returned non-float \(type str\)"):
        Value(FloatOfText(3.0))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_nan_and_inf_are_numbers(number: Any) -> None:
    """They are valid IEEE results; use detect_anomaly() to reject them."""
    v = Value(number)
    assert repr(v.data) == repr(float(number))
    (v * 2.0).backward()
    assert v.grad == 2.0


# --- operators -----------------------------------------------------------------------------------

v = Value(2.0)
NOT_SUPPORTED = r"unsupported operand type\(s\) for "

OPERATORS = [
    (lambda: v + "a", TypeError, rf"^{NOT_SUPPORTED}\+: 'Value' and 'str'$"),
    (lambda: v - None, TypeError, rf"^{NOT_SUPPORTED}-: 'Value' and 'NoneType'$"),
    (lambda: None - v, TypeError, rf"^{NOT_SUPPORTED}-: 'NoneType' and 'Value'$"),
    (lambda: v * [1.0], TypeError, r"^a Value is not converted to an integer"),
    (lambda: v / 1j, TypeError, rf"^{NOT_SUPPORTED}/: 'Value' and 'complex'$"),
    (lambda: 1j / v, TypeError, rf"^{NOT_SUPPORTED}/: 'complex' and 'Value'$"),
    (lambda: v ** {}, TypeError, rf"^{NOT_SUPPORTED}\*\* or pow\(\): 'Value' and 'dict'$"),
    (lambda: v @ v, TypeError, rf"^{NOT_SUPPORTED}@: 'Value' and 'Value'$"),
    (lambda: None // v, TypeError, rf"^{NOT_SUPPORTED}//: 'NoneType' and 'Value'$"),
    (lambda: v % "a", TypeError, rf"^{NOT_SUPPORTED}%: 'Value' and 'str'$"),
    (lambda: v & 1, TypeError, rf"^{NOT_SUPPORTED}&: 'Value' and 'int'$"),
    (lambda: ~v, TypeError, r"^bad operand type for unary ~: 'Value'$"),
    (lambda: pow(v, 2, 3), TypeError, r"^unsupported operand type\(s\) for .*pow\(\)"),
    (lambda: v < "a", TypeError, r"^'<' not supported between instances of 'Value' and 'str'$"),
    (lambda: v >= None, TypeError, r"^'>=' not supported between instances of 'Value' and 'NoneType'$"),
    (lambda: v + HUGE, OverflowError, r"^int too large to convert to float$"),
    (lambda: HUGE * v, OverflowError, r"^int too large to convert to float$"),
    (lambda: v < HUGE, OverflowError, r"^int too large to convert to float$"),
    (lambda: v + FloatThatRaises(1.0), RuntimeError, r"^this float cannot be read$"),
    (lambda: IntThatRaises(1) * v, RuntimeError, r"^this int cannot be read$"),
    (lambda: v + np.datetime64("2020-01-01"), TypeError, r"'Value', 'datetime64'"),
    (lambda: np.void(b"abc") * v, TypeError, r"'void', 'Value'"),
    (lambda: v + np.array(["a"]), TypeError, rf"^{NOT_SUPPORTED}\+: 'Value' and 'str'$"),
    (lambda: np.add(v, 1.0, out=v), TypeError, r"out.*Value|Value.*out"),
    (lambda: bool(v), TypeError, r"^a Value cannot be used as a condition, .* bool\(v\.data\)$"),
    (lambda: v and 1.0, TypeError, r"^a Value cannot be used as a condition"),
    (lambda: float(v), TypeError, r"^a Value is not converted to a plain number .* use v\.data"),
    (lambda: int(v), TypeError, r"^a Value is not converted to a plain number .* use v\.data"),
    (lambda: complex(v), TypeError, r"^a Value is not converted to a plain number .* use v\.data"),
    (lambda: math.sin(v), TypeError, r"or chainrule's functions instead of those of the math module$"),
    (lambda: round(v, 2), TypeError, r"^round of a Value takes no number of digits: write round\("),
    (lambda: range(math.floor(v)), TypeError, r"^a Value is not converted to an integer implicitly"),
    (lambda: len(v), TypeError, r"^object of type 'Value' has no len\(\)$"),
    (lambda: list(v), TypeError, r"^'Value' object is not iterable$"),
    (lambda: v[0], TypeError, r"^'Value' object is not subscriptable$"),
    (lambda: v(1.0), TypeError, r"^'Value' object is not callable$"),
    (lambda: f"{v:q}", ValueError, r"^Unknown format code 'q' for object of type 'float'$"),
]


# --- arguments -----------------------------------------------------------------------------------

CHILDREN = "^_children must be Values, got {}; to name the Value, pass label"

ARGUMENTS = [
    (lambda: v.tanh(1), TypeError, r"^tanh takes 1 argument, got 2$"),
    (lambda: v.hypot(), TypeError, r"^hypot takes 2 arguments, got 1$"),
    (lambda: v.hypot(1, 2), TypeError, r"^hypot takes 2 arguments, got 3$"),
    (lambda: v.hypot(1, 2, 3, 4, 5), TypeError, r"^hypot takes 2 arguments, got 6$"),
    (lambda: v.leaky_relu(1, 2), TypeError, r"^leaky_relu takes 2 arguments, got 3$"),
    (lambda: chainrule.hypot(1), TypeError, r"^hypot takes 2 arguments, got 1$"),
    (lambda: chainrule.hypot(v, 1, 2), TypeError, r"^hypot takes 2 arguments, got 3$"),
    (lambda: chainrule.tanh(), TypeError, r"^tanh takes 1 argument, got 0$"),
    (lambda: chainrule.where(v, 1), TypeError, r"^where takes 3 arguments, got 2$"),
    (lambda: v.where(1), TypeError, r"^where takes 3 arguments, got 2$"),
    (lambda: chainrule.tanh("a"), TypeError, rf"^{NO_NUMBER}str 'a'$"),
    (lambda: chainrule.max([]), TypeError, r"^max needs at least 1 value, got none$"),
    (lambda: chainrule.max(), TypeError, r"^max needs at least 1 value, got none$"),
    (lambda: v.max(1, "a"), TypeError, r"^expected a real number .* got str 'a'$"),
    (lambda: chainrule.mean([]), TypeError, r"^mean needs at least 1 value, got none$"),
    (lambda: chainrule.dot([1], [1, 2]), ValueError, r"^dot takes sequences of .* got 1 and 2$"),
    (lambda: v.dot(1, 2), TypeError, r"^dot takes 2 sequences of the same length$"),
    (lambda: chainrule.dot([1]), TypeError, r"^dot takes 2 sequences, got 1$"),
    (lambda: chainrule.dot(v, v), TypeError, r"^'Value' object is not iterable$"),
    (lambda: chainrule.sum([v, "a"]), TypeError, rf"^{NO_NUMBER}str 'a'$"),
    (lambda: chainrule.sum([[v]]), TypeError, rf"^{NO_NUMBER}list$"),
    (lambda: chainrule.clip(v, "a", 1), TypeError, rf"^{NO_NUMBER}str 'a'$"),
    (lambda: chainrule.softmax(3), TypeError, r"^'int' object is not iterable$"),
    (lambda: Value(), TypeError, r"missing .*required.* argument:? 'data'"),
    (lambda: Value(1, (), "", "", 5), TypeError, r"takes .* arguments"),
    (lambda: Value(1.0, unknown=2), TypeError, r"'unknown'"),
    (lambda: Value(1.0, data=2.0), TypeError, r"argument.* 'data'|'data'.* position"),
    (lambda: Value(1.0, label=5), TypeError, r"^label must be a str, got int$"),
    (lambda: Value(1.0, label=None), TypeError, r"^label must be a str, got NoneType$"),
    (lambda: Value(1.0, _children=[1]), TypeError, CHILDREN.format("int")),
    (lambda: Value(1.0, (v, None)), TypeError, CHILDREN.format("NoneType")),
    (lambda: Value(1.0, _children=5), TypeError, r"^'int' object is not iterable$"),
    (lambda: Value(1.0, _children=v), TypeError, r"^'Value' object is not iterable$"),
    (lambda: Value(1.0, (), 5), TypeError, r"^_op must be a str, got int$"),
    (lambda: v.backward("x"), TypeError, rf"^{NO_NUMBER}str 'x'$"),
    (lambda: v.backward("x", create_graph=True), TypeError, rf"^{NO_NUMBER}str 'x'$"),
    (lambda: v.backward(unknown=1), TypeError, r"'unknown'"),
    (lambda: v.backward(1.0, True), TypeError, r"takes .* positional argument"),
    (lambda: v.forward(1), TypeError, r"forward\(\) takes"),
    (lambda: v.detach(1), TypeError, r"detach\(\) takes"),
]

# --- attributes ----------------------------------------------------------------------------------

ATTRIBUTES = [
    (lambda: setattr(v, "_backward", 3), TypeError, r"^_backward must be callable, got int$"),
    (lambda: setattr(v, "_backward", None), TypeError, r"^_backward must be callable, got NoneType$"),
    (lambda: setattr(v, "label", 5), TypeError, r"^label must be a str, got int$"),
    (lambda: setattr(v, "inputs", ()), AttributeError, r"'inputs' of 'Value' object"),
    (lambda: setattr(v, "op", "+"), AttributeError, r"'op' of 'Value' object"),
    (lambda: setattr(v, "is_leaf", True), AttributeError, r"'is_leaf' of 'Value' object"),
    (lambda: v.gard, AttributeError, r"^'Value' object has no attribute 'gard'"),
    (lambda: delattr(v, "gard"), AttributeError, r"gard'?$"),
    *(
        (lambda name=name: delattr(v, name), AttributeError, name)
        for name in ("data", "grad", "label", "_backward", "inputs", "op", "is_leaf", "_prev", "_op")
    ),
]

CASES = OPERATORS + ARGUMENTS + ATTRIBUTES


@pytest.mark.parametrize(("wrong", "error", "message"), CASES, ids=[message for _, _, message in CASES])
def test_the_error_says_what_is_wrong(
    wrong: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        wrong()
    assert (v.data, v.grad, v.label, v.is_leaf) == (2.0, 0.0, "", True)


def test_a_failed_init_leaves_an_existing_value_unchanged() -> None:
    x = Value(2.0)
    out = x * x
    for arguments in (("3",), (1.0, [1]), (1.0, (), 5), (1.0, (), "", 5), (HUGE,)):
        with pytest.raises((TypeError, OverflowError)):
            out.__init__(*arguments)
        assert (out.data, out.op, out.inputs) == (4.0, "mul", (x, x))


# --- Python code that runs during a sweep --------------------------------------------------------


def test_a_function_that_calls_backward_on_itself_hits_the_recursion_limit() -> None:
    out = Value(1.0, (Value(2.0),), "by hand")
    out._backward = lambda: out.backward()
    with pytest.raises(RecursionError):
        out.backward()
    assert out.grad == 0.0


def test_a_function_may_reinitialise_its_inputs() -> None:
    x = Value(2.0)
    middle = x * 3.0
    out = Value(1.0, (middle,), "by hand")
    out._backward = lambda: middle.__init__(5.0)
    out.backward()
    assert (middle.data, middle.inputs, x.grad) == (5.0, (), 0.0)


def test_a_function_may_free_the_graph_it_runs_in() -> None:
    x = Value(2.0)
    out = Value(1.0, (x * 3.0,), "by hand")
    runs: list[int] = []

    def free_once() -> None:
        runs.append(1)
        if len(runs) == 1:
            out.backward(retain_graph=False)

    out._backward = free_once
    out.backward()
    assert (runs, out.inputs) == ([1, 1], ())


def test_a_label_is_a_plain_string() -> None:
    """A subclass of str could refer to the value, in a cycle that the collector does not see."""

    class Label(str):
        pass

    out = Value(1.0, label=Label("x"))
    assert (out.label, type(out.label)) == ("x", str)
    out.label = Label("y")
    assert (out.label, type(out.label)) == ("y", str)
    assert type(Value(1.0, (out,), Label("f"))._op) is str


def test_a_number_that_changes_the_other_operand_while_it_is_read() -> None:
    """The computed and the recorded number must be the same."""

    class Changes(float):
        def __float__(self) -> float:
            x.data = 5.0
            return 3.0

    x = Value(2.0)
    for compute in (lambda: x * Changes(), lambda: x.mul(Changes()), lambda: x.prod(x, Changes())):
        x.data = 2.0
        out = compute()
        assert out.data == out.forward().data


# --- former crashes, and the fuzzer --------------------------------------------------------------


def run_apart(*arguments: str) -> None:
    """Run in a separate process that fills freed memory with garbage, so that any use of it shows."""
    source = str(Path(chainrule.__file__).parents[1])
    environment = {"CHAINRULE_CORE": chainrule.core, "PYTHONPATH": source, "PYTHONMALLOC": "debug"}
    run = python("-X", "faulthandler", *arguments, environment=environment)
    assert run.returncode == 0, run.stderr[-3000:]


# The imports of gc, chainrule and Value are prepended to each.
ONCE_FATAL = {
    "a function drops nodes that retain_graph=False frees": """
x = Value(2.0)
out = Value(1.0, (x * 3.0, x * 4.0), "by hand")
out._backward = lambda: out.__init__(1.0)  # the two products are freed after the sweep
out.backward(retain_graph=False)
fresh = [Value(float(i)) for i in range(100)]
assert [v.data for v in fresh] == [float(i) for i in range(100)]  # two used to share memory
""",
    "a finaliser of an input reinitialises its node": """
class Mourner:
    def __del__(self):
        out.__init__(0.0)  # the very node that is releasing its inputs
        [bytearray(200) for _ in range(50)]

def input_with_mourner():
    one = Value(1.0)
    one._backward = lambda mourner=Mourner(): mourner
    return one

for _ in range(100):
    out = chainrule.sum([input_with_mourner() for _ in range(5)])
    out.__init__(1.0)
    assert out.inputs == ()
""",
    "the text of an operation reinitialises its node": """
class Text:
    def __bool__(self):
        out.__init__(1.0)
        return False

class Row:
    name, symbol = "row", Text()

out = Value._Value__result(Row(), (Value(1.0),), 1.0)
try:
    out._op
except AttributeError:
    pass
assert out.inputs == ()
""",
    "the collector runs while the arguments are listed": """
class Mourner:
    def __del__(self):
        out.__init__(0.0)

def garbage():
    mourner = Mourner()
    mourner.itself = mourner

for threshold in range(1, 60):
    gc.set_threshold(threshold)
    for name in ("inputs", "_Value__arguments", "_prev") * 20:
        out = chainrule.sum([Value(1.0) for _ in range(25)])
        garbage()
        try:
            got = getattr(out, name)
        except RuntimeError as error:
            assert str(error) == "the Value was changed while its inputs were being read"
            continue
        assert "<NULL>" not in repr(got), name
""",
}


@pytest.mark.parametrize("script", ONCE_FATAL.values(), ids=ONCE_FATAL.keys())
def test_python_code_called_by_the_core_cannot_crash_it(script: str) -> None:
    run_apart("-c", f"import gc\nimport chainrule\nfrom chainrule import Value\n{script}")


@pytest.mark.parametrize("seed", [1, 2])
def test_hostile_calls_never_crash(seed: int) -> None:
    run_apart(str(Path(__file__).with_name("hostile.py")), "20000", str(seed))
