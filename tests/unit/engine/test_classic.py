"""The names and idioms of classic tutorials, on the core in use: attributes, `_prev`, `_children`."""

import copy
import operator
import pickle
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import Value, no_grad
from chainrule.support import graph

# --- user attributes -----------------------------------------------------------------------------


def test_a_value_accepts_any_attribute() -> None:
    p = Value(2.0)
    assert vars(p) == {}
    p.m, p.v = 0.0, [1.0]
    p.m += 0.5
    assert (p.m, p.v, vars(p), p.__dict__) == (0.5, [1.0], {"m": 0.5, "v": [1.0]}, vars(p))
    assert hasattr(p, "m")
    del p.m
    assert not hasattr(p, "m")
    assert "v" in dir(p)
    with pytest.raises(AttributeError, match=r"^'Value' object has no attribute 'm'$"):
        _ = p.m
    with pytest.raises(AttributeError, match="m"):
        del p.m
    setattr(p, "any name at all", 3)
    assert vars(p) == {"v": [1.0], "any name at all": 3}
    p.__dict__ = {"other": 1}
    assert p.other == 1
    assert not hasattr(p, "v")
    with pytest.raises(TypeError, match="dict"):
        p.__dict__ = 5


def test_attributes_belong_to_a_single_node() -> None:
    a = Value(1.0)
    a.m = 1.0
    results = [a + 1.0, a * a, a.tanh(), a.detach(), Value(1.0), chainrule.sum([a, a, a])]
    assert [vars(result) for result in results] == [{}] * len(results)
    results[0].m = 2.0
    assert (a.m, results[0].m) == (1.0, 2.0)
    del results, a
    assert all(vars(Value(float(i))) == {} for i in range(10))  # these reuse freed memory


def test_attributes_do_not_affect_results() -> None:
    a, b = Value(2.0), Value(3.0)
    a.m = 0.5
    out = a * b + a
    out.note = "out"
    out.backward()
    assert (out.data, a.grad, b.grad, a.m, out.note) == (8.0, 4.0, 2.0, 0.5, "out")
    a.data = 5.0
    assert out.forward().data == 20.0
    out.backward(retain_graph=False)
    assert (a.m, out.note) == (0.5, "out")


def test_names_of_the_class_keep_their_meaning() -> None:
    a = Value(2.0)
    a.data, a.grad, a.label = 3, 4, "a"
    assert vars(a) == {}
    for name in ("inputs", "op", "is_leaf", "is_constant"):
        with pytest.raises(AttributeError):
            setattr(a, name, 1)
    a.tanh = lambda: "mine"  # as on any object, an attribute can hide a method
    assert a.tanh() == "mine"
    assert Value(0.0).tanh().data == 0.0


def test_calling_init_again_keeps_attributes() -> None:
    class Parameter(Value):  # type: ignore[misc]
        def __init__(self, data: float) -> None:
            self.m = 0.25  # set before the number, as on any object
            super().__init__(data)

    p = Parameter(2.0)
    assert (p.m, p.data) == (0.25, 2.0)
    v = Value(1.0)
    v.m = 1
    v.__init__(2.0)
    assert (v.m, v.data) == (1, 2.0)


def copies(thing: Any) -> list[Any]:
    return [copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))]


def test_copies_keep_attributes() -> None:
    p = Value(2.0)
    p.m, p.users = 0.5, []
    out = p * 3.0
    out.note, out.source = "out", p
    p.users.append(out)
    shallow = copy.copy(out)
    assert vars(shallow) == {"note": "out", "source": p}
    for twin in copies(out):
        leaf = twin.inputs[0]
        assert (twin.note, twin.source, leaf.m) == ("out", leaf, 0.5)
        assert leaf.users == [twin]
        assert leaf is not p
    for leaf in copies(p):
        assert leaf.users[0].inputs[0] is leaf
    for first, second in copies([p, out]):
        assert second.source is first
        assert first.users == [second]


def test_copies_preserve_a_self_reference() -> None:
    p = Value(2.0)
    p.itself = p
    for twin in copies(p):
        assert twin.itself is twin


class Named(Value):  # type: ignore[misc]
    """A subclass with a different signature, and attributes in slots and in the dictionary."""

    __slots__ = ("name",)

    def __init__(self, name: str, data: float) -> None:
        super().__init__(data, label=name)
        self.name = name


def test_copies_of_a_subclass_keep_its_class_and_slots() -> None:
    p = Named("weight", 2.0)
    p.m = 0.5
    for twin in [copy.copy(p), *copies(p), *(out.inputs[0] for out in copies(p * 2.0))]:
        assert type(twin) is Named
        assert (twin.name, twin.m, twin.data, twin.label) == ("weight", 0.5, 2.0, "weight")


def test_attributes_of_a_deep_graph_are_copied_without_recursion() -> None:
    p = out = Value(1.0)
    for _ in range(5000):
        out = out + 1.0
    p.loss = out
    for twin in copies(out):
        assert graph.topological(twin)[0].loss is twin


# --- subclasses ----------------------------------------------------------------------------------


def test_operators_on_a_subclass_give_values() -> None:
    p = Named("p", 3.0)
    for out in (p + 1, 1 + p, p * p, -p, p.tanh(), p**2):
        assert type(out) is Value
        assert p in out._prev
    (p * p).backward()
    assert p.grad == 6.0


def test_a_subclass_may_define_its_own_operators() -> None:
    class Loud(Value):  # type: ignore[misc]
        def __add__(self, other: Any) -> Any:
            out = Loud(self.data + getattr(other, "data", other), (self,), "loud")
            out._backward = lambda: setattr(self, "grad", self.grad + out.grad)
            return out

        def __repr__(self) -> str:
            return f"Loud({self.data})"

    a = Loud(2.0)
    out = (a + 1) * 2.0
    out.backward()
    assert (repr(a + 1), a.grad, (a + 1)._op) == ("Loud(3.0)", 2.0, "loud")


def test_a_subclass_that_never_calls_super_init_has_the_value_0() -> None:
    class Bare(Value):  # type: ignore[misc]
        def __init__(self) -> None:
            self.m = 1.0

    v = Bare()
    assert (v.data, v.grad, v.m, v.is_leaf, v.label) == (0.0, 0.0, 1.0, True, "")
    v.data = 2.0
    (v * v).backward()
    assert v.grad == 4.0


# --- _prev, _children, _local_grads --------------------------------------------------------------


def test_prev_is_an_ordered_set_that_can_be_indexed() -> None:
    a, b, c = Value(1.0), Value(2.0), Value(3.0)
    prev = (b - a)._prev
    assert list(prev) == [b, a]
    assert [prev[0], prev[1], prev[-1], *prev[1:]] == [b, a, a, a]
    assert list(reversed(prev)) == [a, b]
    first, second = prev
    assert (first, second) == (b, a)
    assert prev == {a, b}
    assert {a, b} == prev
    assert prev != {a}
    assert len(prev) == 2
    assert a in prev
    assert c not in prev
    assert prev | {c} == {c} | prev == {a, b, c}
    assert prev - {a} == {b}
    assert prev & {a, c} == {a}
    assert prev <= {a, b, c}
    assert set().union(prev) == {a, b}
    assert tuple(prev) == (b, a)
    assert not Value(1.0)._prev
    assert (a + a)._prev == {a}
    assert len((a + a)._prev) == 1
    with pytest.raises(IndexError):
        prev[2]
    with pytest.raises(AttributeError, match="add"):  # otherwise it would silently change nothing
        prev.add(c)


def test_prev_is_shown_as_a_set() -> None:
    a, b = Value(1.0), Value(2.0)
    assert repr((b * a)._prev) == "{Value(data=2.0000, grad=0.0000), Value(data=1.0000, grad=0.0000)}"
    assert repr(a._prev) == "set()"


def test_prev_keeps_the_order_of_many_inputs() -> None:
    values = [Value(float(i)) for i in range(50)]
    out = chainrule.sum([*values, *values])
    assert list(out._prev) == values
    assert out._children == (*values, *values)


def test_children_are_a_tuple_with_duplicates() -> None:
    a, b = Value(2.0), Value(3.0)
    assert (a + a)._children == (a, a)
    assert (b - a)._children == (b, a)
    two = (a + 2)._children[1]
    assert (two.data, two.is_constant) == (2.0, True)


@pytest.mark.parametrize(
    ("exponent", "shown"),
    [(2, "**2"), (2.0, "**2"), (-1, "**-1"), (0.5, "**0.5"), (1e16, "**1e+16"), (float("inf"), "**inf")],
)
def test_a_power_is_shown_as_in_the_tutorials(exponent: float, shown: str) -> None:
    x = Value(3.0)
    out = x**exponent
    assert (out._op, out._children, list(out._prev)) == (shown, (x,), [x])
    assert len(out._local_grads) == 1
    assert out.op == "pow"
    assert [v.data for v in out.inputs] == [3.0, exponent]


def test_a_value_to_the_power_of_a_value_has_both_as_children() -> None:
    x, y = Value(3.0), Value(2.0)
    assert ((x**y)._op, (x**y)._children) == ("**", (x, y))
    assert (2**x)._children[1] is x
    assert (2**x)._op == "**"
    out = x**2
    out.backward(retain_graph=False)
    assert (out._op, out._children, out._local_grads) == ("**", (), ())


def test_a_constant_slope_of_an_activation_is_not_a_child() -> None:
    x, slope = Value(3.0), Value(0.1)
    assert x.leaky_relu()._children == x.elu(2.0)._children == (x,)
    assert x.leaky_relu(slope)._children == (x, slope)


def test_local_grads_are_the_partials_with_respect_to_the_children() -> None:
    a, b = Value(2.0), Value(3.0)
    assert (a * b)._local_grads == (3.0, 2.0)
    assert (a + b)._local_grads == (1, 1)
    assert (a**3)._local_grads == (12.0,)
    assert (a - 1)._local_grads == (1.0, -1.0)
    assert (-a)._local_grads == (-1.0,)
    assert a.relu()._local_grads == (1.0,)
    assert a._local_grads == ()
    assert a.stop_gradient()._local_grads == (0.0,)
    assert chainrule.dot([a, b], [b, 4.0])._local_grads == (3.0, 4.0, 2.0, 3.0)


def microgpt_backward(root: Any) -> None:
    """The chain rule over `_children` and `_local_grads`, as microgpt implements it."""
    order, visited = [], set()

    def build(v: Any) -> None:
        if v not in visited:
            visited.add(v)
            for child in v._children:
                build(child)
            order.append(v)

    build(root)
    root.grad = 1
    for v in reversed(order):
        for child, local_grad in zip(v._children, v._local_grads, strict=True):
            child.grad += local_grad * v.grad


def test_a_user_written_backward_gives_the_same_gradients() -> None:
    def graph() -> tuple[Any, Any, Any]:
        a, b = Value(0.5), Value(-1.5)
        return a, b, ((a * b + a**2) / (b - 2.0)).tanh() + (a * 3).exp() * -b

    a, b, out = graph()
    microgpt_backward(out)
    c, d, same = graph()
    same.backward()
    assert (a.grad, b.grad) == (c.grad, d.grad)


def test_local_grads_can_be_assigned() -> None:
    a, b = Value(2.0), Value(5.0)
    out = Value(10.0, (a, b), "times")
    out._local_grads = (5.0, 2.0)
    assert out._local_grads == (5.0, 2.0)
    (out * 3.0).backward()
    assert (a.grad, b.grad) == (15.0, 6.0)
    message = "^_local_grads needs one number for each of the 2 children, got 1$"
    with pytest.raises(ValueError, match=message):
        out._local_grads = (1.0,)


@pytest.mark.parametrize("name", ["_prev", "_children"])
@pytest.mark.parametrize("kind", [list, tuple, set])
def test_children_can_be_assigned(name: str, kind: Any) -> None:
    """Some programs create a bare Value first and set its children later."""
    x = Value(3.0)
    out = Value(9.0, label="nine")
    out.note = 1
    setattr(out, name, kind([x]))
    out._op = "square"

    def backward() -> None:
        x.grad += 2 * x.data * out.grad

    out._backward = backward
    (out * 2.0).backward()
    assert (x.grad, out._op, out.label, out.note, out._children) == (12.0, "square", "nine", 1, (x,))
    setattr(out, name, kind([x]))  # the function is kept
    assert out._backward is backward
    with pytest.raises(TypeError, match=r"^_children must be Values, got int"):
        setattr(out, name, [1])


def test_the_shown_operation_can_be_assigned() -> None:
    x = Value(2.0)
    out = x * x
    out._op = "square"
    assert (out._op, out.op) == ("square", "mul")
    out.backward()
    assert x.grad == 4.0
    for twin in (copy.copy(out), *copies(out)):
        assert (twin._op, twin.op) == ("square", "mul")
    leaf = Value(1.0)
    leaf._op = "input"
    assert (leaf._op, leaf.is_leaf) == ("input", True)
    for wrong in (5, None):
        with pytest.raises(TypeError, match=r"^_op must be a str, got"):
            out._op = wrong
    with pytest.raises(AttributeError, match="has no deleter"):
        del out._op


def test_label_has_an_alias() -> None:
    v = Value(1.0, label="a")
    assert v._label == "a"
    v._label = "b"
    assert (v.label, vars(v)) == ("b", {})
    with pytest.raises(TypeError, match=r"^label must be a str, got int$"):
        v._label = 5


def test_no_grad_records_no_children() -> None:
    x = Value(1.0)
    with no_grad():
        out = x**2
    assert (out._children, out._local_grads, list(out._prev)) == ((), (), [])


# --- where an integer is required ----------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        *(lambda v: [1, 2, 3][v], lambda v: (1, 2, 3)[v], lambda v: "abc"[v], lambda v: [1, 2, 3][:v]),
        *(range, lambda v: [0] * v, lambda v: v * [0], operator.index, hex),
    ],
)
def test_indexing_with_a_value_suggests_take(use: Any) -> None:
    message = r"^a Value is not converted to an integer implicitly.*take\(sequence, v\)"
    with pytest.raises(TypeError, match=message):
        use(Value(1.0))


def test_indexing_inside_a_compiled_function_suggests_take() -> None:
    """It raises CompileError, so that training falls back to eager mode, where a sample is a number."""
    table = [Value(1.0), Value(2.0)]
    with pytest.raises(chainrule.compiler.CompileError, match=r"take\(table, index\)"):
        chainrule.compile(lambda i: table[i])([0, 1])


# --- NumPy ---------------------------------------------------------------------------------------

FOLDS = ["sum", "mean", "prod", "max", "min"]


@pytest.mark.parametrize("name", [*FOLDS, "amax", "amin", "median", "average"])
def test_numpy_reduces_one_value_to_itself(name: str) -> None:
    v = Value(3.0)
    out = getattr(np, name)(v)
    assert isinstance(out, Value)
    out.backward()
    assert (out.data, v.grad) == (3.0, 1.0)


@pytest.mark.parametrize("name", FOLDS)
def test_reduction_methods_still_accept_more_values(name: str) -> None:
    a, b = Value(3.0), Value(2.0)
    out = getattr(a, name)(b)
    assert out.data == {"sum": 5.0, "mean": 2.5, "prod": 6.0, "max": 3.0, "min": 2.0}[name]
    message = f"^{name} of one Value takes no axis; for several, use an array$"
    with pytest.raises(TypeError, match=message):
        getattr(np, name)(a, axis=0)


def test_numpy_predicates_accept_values() -> None:
    for number in (1.0, 0.0, -2.0, float("inf"), -float("inf"), float("nan")):
        v = Value(number)
        for function in (np.isfinite, np.isnan, np.isinf, np.signbit):
            assert function(v) == function(number)
            assert not isinstance(function(v), Value)
    assert [np.sign(Value(x)) for x in (-2.0, 0.0, 3.0)] == [-1.0, 0.0, 1.0]
    assert list(np.sign(np.array([Value(-2.0), Value(3.0)]))) == [-1, 1]


@pytest.mark.parametrize("ufunc", [np.arctan2, np.hypot])
def test_binary_ufuncs_accept_a_plain_number_first(ufunc: Any) -> None:
    name = {"arctan2": "atan2"}.get(ufunc.__name__, ufunc.__name__)
    own, v = getattr(chainrule, name), Value(2.0)
    for left, right in ((1.0, v), (np.float64(1.0), v), (Value(1.0), 2), (1, v)):
        out = ufunc(left, right)
        assert isinstance(out, Value)
        assert out.data == own(1.0, 2.0)
        out.backward()
    numbers, values = np.array([1.0, 3.0]), np.array([Value(1.0), Value(3.0)])
    several = [ufunc([1.0, 3.0], v), ufunc(numbers, v), ufunc(values, np.array([2.0, 2.0]))]
    for outs in (*several, own(numbers, np.array([v, v]))):
        assert [out.data for out in outs] == [own(x, 2.0) for x in (1.0, 3.0)]
