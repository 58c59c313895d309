"""Malformed programs: `verify` reports what is wrong, and the virtual machine rejects them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chainrule import ops
from chainrule.compiler import compile, pipeline
from chainrule.compiler.backends.native import encoded
from chainrule.compiler.instructions import (
    Dense,
    Dots,
    Fold,
    Gather,
    Instruction,
    Map,
    Spread,
    Take,
    View,
)
from chainrule.compiler.lowering import lower
from chainrule.compiler.program import Program
from chainrule.compiler.reverse import Pull, Reverse, Zero, reverse
from chainrule.value import c_core

from ...conformance.campaigns import compiled_graphs


def sound() -> Program:
    """A program with every kind of instruction."""
    shared: list[Instruction] = [Map(True, 7, 2, ops.exp, (View(True, 0),)), Gather(True, 9, (3, 0))]
    each: list[Instruction] = [
        Spread(2, (7,)),
        Map(False, 3, 2, ops.add, (View(False, 0), View(False, 2, 0))),
        Dense(False, 5, 2, 2, 1, View(True, 0, 2, 1), View(False, 3, 1, 1), View(True, 4)),
        Dots(False, 7, 1, 2, View(False, 3, 1, 1), View(False, 5, 1, 1)),
        Fold(False, 8, 1, ops.max, 2, (View(False, 5, 1, 1),), View(False, 4)),
        Take(False, 9, 2, 2, View(False, 0, 0), View(True, 0, 1, 1)),
        Gather(False, 11, (10, 9, 8, 7)),
        Fold(False, 15, 1, ops.dot, 2, (View(False, 11, 1, 1), View(False, 13, 1, 1))),
    ]
    return Program(6, 2, (2.0,), 11, 16, shared, each, [View(False, 15)], [View(False, 0)])


def rejected(program: Program, message: str, back: Reverse | None = None) -> None:
    """Assert that `verify` rejects the program with this message, and that the virtual machine rejects
    the program too.
    """
    with pytest.raises(ValueError, match=message):
        program.verify() if back is None else back.verify(program)
    if c_core is not None:
        with pytest.raises(ValueError, match="malformed"):
            c_core.machine(*encoded(program, back))


def changed(kind: type[Instruction], **fields: Any) -> Program:
    """The program with the first instruction of a kind changed, preferring a per-sample one."""
    program = sound()
    code = program.each if any(isinstance(each, kind) for each in program.each) else program.shared
    place = next(i for i, each in enumerate(code) if isinstance(each, kind))
    code[place] = replace(code[place], **fields)
    return program


def test_a_sound_program_is_accepted() -> None:
    program = sound()
    assert program.verify() is program
    for inputs in ((), (0,), (0, 1)):
        back = reverse(program, True, inputs)
        assert back.verify(program, inputs) is back
        if c_core is not None:
            c_core.machine(*encoded(program, back))


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (Map, {"op": ops.sum}, "each.3:5. = sum .*: applies sum, which does not take 2 arguments"),
        (Map, {"args": (View(False, 0),)}, "applies add, which does not take 1 argument"),
        (Map, {"args": (View(True, 0), View(False, 2, 0))}, "wrong memory region in shared.0.1i"),
        (Map, {"args": (View(False, 0, 2), View(False, 2, 0))}, "needs consecutive rows, not each"),
        (
            Map,
            {"args": (View(False, 1, -1), View(False, 2, 0))},
            "start or stride in each.1.-1i",
        ),
        (Map, {"args": (View(False, 0), View(False, 99, 0))}, r"reads each\[99\] of 16 rows"),
        (Map, {"count": 0}, "computes no row"),
        (Map, {"out": 15}, r"writes each(\[15\], which has already been written|\[16\] of 16 rows)"),
        (Map, {"shared": True}, "is in the list of the other memory region"),
        (Dense, {"a": View(False, 0, 1, 1)}, "reads the wrong memory region in each"),
        (Dense, {"x": View(True, 0, 1, 1)}, "reads the wrong memory region in shared"),
        (Dense, {"start": View(False, 0)}, "reads the wrong memory region in each"),
        (Dense, {"start": View(True, 10)}, r"reads shared\[11\] of 11 rows"),
        (Dense, {"terms": 0}, "reads no rows or no terms"),
        (Dense, {"terms": 50}, r"reads shared\[11\] of 11 rows"),
        (Dense, {"lines": 0}, "computes no row"),
        (Dots, {"b": View(True, 0, 1, 1)}, "reads the wrong memory region in shared"),
        (Dots, {"count": 2, "a": View(False, 3, 0, 1)}, "needs consecutive rows, not each"),
        (Dots, {"terms": 50}, r"reads each\[7\], which nothing has written"),
        (Fold, {"op": ops.dot}, "folds with dot, which does not take 1 sequence$"),
        (
            Fold,
            {"args": (View(False, 5, 1, 1),) * 2},
            "folds with max, which does not take 2",
        ),
        (Fold, {"op": ops.add}, "folds with add"),
        (Fold, {"mask": View(True, 4)}, "reads the wrong memory region in shared"),
        (Fold, {"mask": View(False, 16)}, r"reads each\[16\] of 16 rows"),
        (Take, {"index": View(True, 0, 0)}, "reads the wrong memory region in shared"),
        (Take, {"terms": 11}, r"reads shared\[11\] of 11 rows"),
        (Gather, {"rows": (9, 16)}, r"reads each\[16\] of 16 rows"),
        (Gather, {"rows": ()}, "computes no row"),
        (Spread, {"rows": (-1,)}, r"reads shared\[-1\] of 11 rows"),
    ],
)
def test_malformed_instructions(kind: Any, fields: dict[str, Any], message: str) -> None:
    rejected(changed(kind, **fields), message)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"params": -1}, "malformed program: 0 leaves in 11 rows of shared"),
        ({"params": 11}, "12 leaves in 11 rows of shared"),
        ({"inputs": 17}, "17 leaves in 16 rows of each"),
        ({"shared_rows": 5}, "7 leaves in 5 rows of shared"),
        ({"each_rows": 15}, r"writes each\[15\] of 15 rows"),
        ({"outputs": [View(False, 16)]}, r"output each.16.1i.: reads each\[16\] of 16 rows"),
        ({"guards": [View(True, -1)]}, r"guard shared.-1.1i.: reads shared\[-1\] of 11 rows"),
    ],
)
def test_malformed_programs(fields: dict[str, Any], message: str) -> None:
    rejected(replace(sound(), **fields), message)


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (Map, {"args": (View(False, 0), View(False, 9, 0))}, r"each\[9\], which nothing has written"),
        (Spread, {"out": 1}, r"writes each\[1\], which has already been written"),
        (Spread, {"out": 3}, r"reads each\[2\], which nothing has written"),
    ],
)
def test_only_the_python_verifier_tracks_written_rows(
    kind: Any, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        changed(kind, **fields).verify()


# --- reverse programs ------------------------------------------------------------------------------


def backwards() -> tuple[Program, Reverse]:
    program = sound()
    return program, reverse(program, True, (0, 1))


def pull_of(program: Program, kind: type[Instruction], part: int, assign: bool = False) -> Pull:
    return Pull(next(each for each in program.each if isinstance(each, kind)), part, assign)


@pytest.mark.parametrize(
    ("kind", "part", "assign", "message"),
    [
        (Map, 2, False, "this argument does not exist or is not differentiable"),
        (Dots, -1, False, "this argument does not exist"),
        (Take, 0, False, "this argument does not exist"),
        (Gather, 1, False, "this argument does not exist"),
        (Take, 1, True, "its contributions may overlap, so they can only be added"),
        (Spread, 0, True, "its contributions may overlap"),
        (Dense, 0, True, "its contributions may overlap"),
        (Dense, 2, True, "its contributions may overlap"),
        (Map, 1, True, "its contributions may overlap"),
    ],
)
def test_malformed_pulls(kind: Any, part: int, assign: bool, message: str) -> None:
    program, back = backwards()
    place = next(
        i for i, s in enumerate(back.each) if isinstance(s, Pull) and isinstance(s.instruction, kind)
    )
    back.each[place] = replace(back.each[place], part=part, assign=assign)
    rejected(program, message, back)


def test_a_pull_through_a_nondifferentiable_operation_is_rejected() -> None:
    program = changed(Map, op=ops.less)
    back = Reverse([pull_of(program, Map, 0)])
    rejected(program, "does not exist or is not differentiable", back)


@pytest.mark.parametrize("zero", [Zero(15, 2), Zero(-1, 1), Zero(3, 0)])
def test_malformed_zeros(zero: Zero) -> None:
    program, back = backwards()
    back.each.insert(0, zero)
    rejected(program, "of 16 rows|which has already been written|and at least one", back)


def test_steps_in_the_wrong_list() -> None:
    program, back = backwards()
    for step in (Zero(0, 1), pull_of(program, Dots, 0)):
        misplaced = Reverse(back.each, [*back.shared, step])
        rejected(program, "only per-sample adjoints|does not belong to this part", misplaced)


def test_only_the_python_verifier_checks_the_order_of_adjoints() -> None:
    program, back = backwards()
    twice = Gather(False, 2, (0, 0))
    doubled = Program(0, 1, (), 0, 4, [], [twice], [View(False, 2)])
    with pytest.raises(ValueError, match="its contributions may overlap"):
        Reverse([Zero(3, 1), Pull(twice, 0, assign=True)]).verify(doubled)
    with pytest.raises(ValueError, match=r"reads each\[\d+\], which nothing has written"):
        Reverse(back.each[::-1], back.shared).verify(program)
    with pytest.raises(ValueError, match=r"writes each\[\d+\], which has already been written"):
        Reverse([back.each[0], *back.each], back.shared).verify(program)
    with pytest.raises(ValueError, match="its target's adjoint has already been propagated"):
        Reverse([*back.each, pull_of(program, Dots, 0)], back.shared).verify(program)
    with pytest.raises(ValueError, match="does not belong to this part of the program"):
        Reverse([Pull(replace(pull_of(program, Dots, 0).instruction, out=6), 0)]).verify(program)
    without = reverse(program, True, ())
    with pytest.raises(ValueError, match=r"the adjoint of input 1: reads each\[1\], which nothing has"):
        without.verify(program, (1,))


# --- the environment variable ----------------------------------------------------------------------


def test_the_environment_variable_enables_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    def malformed(*arguments: Any) -> Program:
        program = lower(*arguments)
        return replace(program, outputs=[View(False, program.each_rows)])

    monkeypatch.setattr(pipeline, "lower", malformed)
    monkeypatch.setenv("CHAINRULE_VERIFY", "1")
    step = compile(lambda x: x * x)
    with pytest.raises(ValueError, match=r"output each.*: reads each.\d+. of \d+ rows"):
        step(np.ones(3))


def test_random_graphs_verify(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_VERIFY", "1")
    assert compiled_graphs.compare_some(range(40)) > 20
