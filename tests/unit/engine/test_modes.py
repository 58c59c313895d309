"""Modes end when their context manager exits, in every task and after every interrupt."""

import asyncio
import contextvars
import copy
import gc
import pickle
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from chainrule import AnomalyError, Value, compile, detect_anomaly, enable_grad, grad, no_grad
from chainrule.compiler.tracing import trace
from chainrule.support.modes import Modes
from chainrule.value import Mode, core, modes

from ...campaigns.interrupts import check_interrupts, traced

DEFAULT = Modes()


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """asyncio.run in a new thread: a browser test may have left an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, main).result()


def in_a_thread(function: Callable[..., Any], *arguments: Any) -> None:
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


@pytest.fixture(autouse=True)
def _modes_end_with_the_test() -> Iterator[None]:
    assert modes() == DEFAULT
    yield
    assert modes() == DEFAULT


def test_the_innermost_manager_decides() -> None:
    with no_grad():
        assert modes() == DEFAULT._replace(recording=False)
        with detect_anomaly(), enable_grad():
            assert modes() == DEFAULT._replace(anomaly=True)
            with no_grad():
                assert modes() == DEFAULT._replace(recording=False, anomaly=True)
        assert modes() == DEFAULT._replace(recording=False)


def test_one_manager_can_be_entered_again() -> None:
    mode = no_grad()
    with mode:
        with mode:
            assert not modes().recording
        assert not modes().recording
    assert modes().recording


# --- tasks and threads ---------------------------------------------------------------------------


def test_each_task_has_its_own_modes() -> None:
    seen = []

    async def quiet() -> None:
        with no_grad():
            await asyncio.sleep(0)
            seen.append(("quiet", modes().recording))
            await asyncio.sleep(0)

    async def loud() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            seen.append(("loud", modes().recording))

    async def both() -> None:
        await asyncio.gather(quiet(), loud())
        assert modes().recording

    run(both())
    assert sorted(set(seen)) == [("loud", True), ("quiet", False)]


def test_a_cancelled_task_leaves_nothing_behind() -> None:
    async def waits() -> None:
        with no_grad():
            await asyncio.sleep(60)

    async def main() -> bool:
        task = asyncio.create_task(waits())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return modes().recording

    assert run(main())


def test_a_task_inherits_a_mode_until_its_manager_exits() -> None:
    async def child(seen: list[bool], go: asyncio.Event) -> None:
        seen.append(modes().recording)
        await go.wait()
        seen.append(modes().recording)

    async def main() -> list[bool]:
        seen: list[bool] = []
        go = asyncio.Event()
        with no_grad():
            task = asyncio.create_task(child(seen, go))
            await asyncio.sleep(0)
        go.set()
        await task
        return seen

    assert run(main()) == [False, True]


def test_threads_start_in_the_default_modes() -> None:
    seen = []
    with no_grad():
        in_a_thread(lambda: seen.append(modes()))
    assert seen == [DEFAULT]


def test_a_thread_that_ends_inside_a_mode() -> None:
    held = []

    def enter() -> None:
        mode = no_grad()
        mode.__enter__()
        held.append(mode)

    in_a_thread(enter)
    assert modes().recording
    x = Value(3.0)
    (x * x).backward()
    assert x.grad == 6.0


# --- generators ----------------------------------------------------------------------------------


def suspended() -> Any:
    """A generator suspended inside no_grad()."""

    def numbers() -> Iterator[int]:
        with no_grad():
            yield 1
            yield 2

    generator = numbers()
    next(generator)
    return generator


def test_a_dropped_generator_ends_its_mode() -> None:
    generator = suspended()
    assert not modes().recording
    del generator
    gc.collect()
    assert modes().recording


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_generators_closed_in_any_order(order: tuple[int, int]) -> None:
    generators = [suspended(), suspended()]
    generators[order[0]].close()
    assert not modes().recording
    generators[order[1]].close()
    assert modes().recording


def test_a_generator_closed_inside_another_mode() -> None:
    generator = suspended()
    with detect_anomaly():
        assert modes() == DEFAULT._replace(recording=False, anomaly=True)
        generator.close()
        assert modes() == DEFAULT._replace(anomaly=True)
    assert modes() == DEFAULT


def test_a_generator_that_outlives_the_mode_around_it() -> None:
    with enable_grad():
        generator = suspended()
    assert not modes().recording
    generator.close()
    assert modes().recording


def test_many_suspended_generators_do_not_accumulate() -> None:
    """Opening and closing generators in turn, always with one open, must not build up a chain."""
    generator = suspended()
    for _ in range(20_000):
        generator, closing = suspended(), generator
        closing.close()
    generator.close()
    assert modes().recording


def test_a_generator_finished_in_another_context() -> None:
    async def main() -> bool:
        generator = suspended()

        async def finish() -> None:
            generator.close()

        await asyncio.create_task(finish())
        return modes().recording

    assert run(main())


def test_a_generator_advanced_in_a_context_that_is_gone() -> None:
    """Its mode ended with that context, so there is nothing left to end."""

    def numbers() -> Iterator[int]:
        with no_grad():
            yield 1

    generator = numbers()
    contextvars.copy_context().run(next, generator)
    assert modes().recording
    generator.close()
    other = numbers()
    in_a_thread(next, other)
    other.close()


def test_misuse_of_a_manager() -> None:
    mode = no_grad()
    with pytest.raises(RuntimeError, match="the mode was not entered"):
        mode.__exit__(None, None, None)
    with mode, pytest.raises(RuntimeError, match="the mode is in use"):
        mode.__init__()


def test_a_manager_that_is_dropped_without_an_exit() -> None:
    mode = no_grad()
    mode.__enter__()
    assert not modes().recording
    del mode
    gc.collect()
    assert modes().recording


# --- decorators ----------------------------------------------------------------------------------


@pytest.mark.parametrize("decorate", [no_grad, no_grad()])
def test_decorated_functions(decorate: Any) -> None:
    @decorate
    def plain() -> bool:
        """The docstring."""
        return modes().recording

    @decorate
    async def later() -> bool:
        await asyncio.sleep(0)
        return modes().recording

    @decorate
    def items() -> Any:
        sent = yield modes().recording
        yield sent
        return modes().recording

    assert plain() is False
    assert plain.__name__ == "plain"
    assert plain.__doc__ == "The docstring."
    assert run(later()) is False
    generator = items()
    assert next(generator) is False
    assert modes().recording  # off only while the generator runs
    assert generator.send("sent") == "sent"
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value is False


def test_an_asynchronous_generator_is_rejected() -> None:
    async def items() -> Any:
        yield 1

    message = "no_grad cannot decorate an asynchronous generator; write `with"
    with pytest.raises(TypeError, match=message):
        no_grad(items)


# --- results that were not recorded --------------------------------------------------------------


NOT_RECORDED: dict[str, Callable[[Value], Value]] = {
    "operator": no_grad(lambda x: x * 2),
    "method": no_grad(lambda x: x.tanh()),
    "by hand": no_grad(lambda x: Value(1.0, (x,), "mine")),
    "variadic": no_grad(lambda x: x.max(x, x)),
    "detached": lambda x: (x * 2).detach(),
}


@pytest.mark.parametrize("compute", NOT_RECORDED.values(), ids=NOT_RECORDED.keys())
@pytest.mark.parametrize("create_graph", [False, True])
def test_backward_of_a_result_that_was_not_recorded(
    compute: Callable[[Value], Value], create_graph: bool
) -> None:
    x = Value(1.5)
    result = compute(x)
    with pytest.raises(RuntimeError, match=r"computed inside no_grad\(\) or by detach\(\).*enable_grad"):
        result.backward(create_graph=create_graph)
    assert result.grad == 0.0


def test_an_unrecorded_result_can_be_a_leaf_of_a_new_graph() -> None:
    w = Value(2.0)
    with no_grad():
        w = w - 0.5
    (w * w).backward()
    assert w.grad == 3.0


def test_backward_of_a_leaf() -> None:
    x = Value(2.0)
    x.backward()
    with no_grad():
        y = Value(2.0)
    y.backward()
    assert x.grad == y.grad == 1.0


# --- interrupts ----------------------------------------------------------------------------------


def enter_and_leave() -> None:
    with no_grad(), detect_anomaly():
        Value(1.0) * 2


def nested() -> None:
    with no_grad():
        with enable_grad():
            pass
        with Mode(anomaly=True):
            pass


def in_a_generator() -> None:
    for _ in suspended():
        pass


def differentiate() -> None:
    grad(lambda x: x * x if x == 2.0 else x)(2.0)


def trace_a_function() -> None:
    trace(lambda x: x * 2 if x > 1 else x, [3.0], [])


def run_compiled() -> None:
    compile(lambda x: x * 2)(np.array([1.0, 2.0]))


@no_grad
def decorated() -> float:
    return Value(1.0).data


@pytest.mark.parametrize(
    "action",
    [
        *(enter_and_leave, nested, in_a_generator, decorated),
        *(differentiate, trace_a_function, run_compiled),
    ],
)
def test_no_interrupt_leaves_a_mode_on(action: Callable[[], None]) -> None:
    def default_again(interrupted: bool) -> None:
        gc.collect(0)
        assert modes() == DEFAULT

    on = []
    with traced(lambda place: on.append(modes() != DEFAULT), own=__file__):
        action()
    assert any(on)  # the mode is on during some instructions
    stride = 1 if core == "c" else 5  # the reference core has many more instructions
    assert check_interrupts(lambda: (action, default_again), stride, own=__file__) > 5
    in_a_thread(action)  # no lock is left held either


class Marked(Value):
    """A subclass that can be assigned to a result's __class__."""

    __slots__ = ()


@pytest.mark.parametrize("made", [Value, Marked])
def test_a_copy_of_an_unrecorded_result_is_unrecorded_too(made: type[Value]) -> None:
    x = made(3.0)
    with no_grad():
        y = x * x
    y.__class__ = made  # type: ignore[misc]
    y.label = "y"
    twins = [copy.copy(y), copy.deepcopy([y])[0], pickle.loads(pickle.dumps({"y": y}))["y"]]
    twins.append(copy.copy(x.detach()))
    for twin in twins:
        assert (twin.data, twin.is_leaf, twin.inputs) in ((9.0, True, ()), (3.0, True, ()))
        with pytest.raises(RuntimeError, match="no_grad"):
            twin.backward()
    assert type(twins[2]) is made
    assert twins[2].label == "y"
    copy.copy(x).backward()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_a_copy_has_no_source_line_on_either_core(way: Callable[[Value], Value]) -> None:
    """The line that copies is not the line that computes."""
    with detect_anomaly():
        twin = way(Value(0.0) ** 0.5)
        with pytest.raises(AnomalyError, match="it was computed at an unrecorded line"):
            twin.backward()
