"""Builds and runs what `Compiled.source` writes, in C and JavaScript, and exported random programs.

Many programs share one library or one process, because starting a compiler takes longer than compiling.
"""

import ctypes
import json
import math
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chainrule.compiler import Compiled

from ...conftest import require_program, without_sanitizers
from .compiled_programs import Steps
from .eager_programs import DisagreementError, Point, near, starts
from .program_writer import Case

FLAGS = ("-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
SAME_BITS = ("-ffp-contract=off", "-fno-builtin-pow")

Result = tuple[
    float, list[float], list[float]
]  # the value, gradients of parameters, gradients of inputs
Call = tuple[str, Sequence[float], Sequence[float]]  # the name of a program, parameters, inputs


# --- running C -----------------------------------------------------------------------------------


def build(folder: Path, sources: dict[str, str], optimise: str = "-O1") -> ctypes.CDLL:
    """Compile all sources into one library, without warnings."""
    cc = require_program("cc")
    for name, text in sources.items():
        (folder / f"{name}.c").write_text(text)
    library = folder / "library.so"
    files = [str(folder / f"{name}.c") for name in sources]
    command = [cc, *FLAGS, *SAME_BITS, optimise, *files, "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return ctypes.CDLL(str(library))


def numbers(values: Sequence[float]) -> Any:
    return (ctypes.c_double * max(len(values), 1))(*values)


def in_c(library: ctypes.CDLL, call: Call) -> Result:
    name, params, inputs = call
    function = getattr(library, f"{name}_value_and_grad")
    function.restype = ctypes.c_double
    grads = [numbers([math.pi] * len(params)), numbers([math.pi] * len(inputs))]
    value = function(numbers(params), numbers(inputs), *grads)
    assert identical(values_in_c(library, call, 1)[0], value)
    return value, list(grads[0][: len(params)]), list(grads[1][: len(inputs)])


def values_in_c(library: ctypes.CDLL, call: Call, outputs: int) -> list[float]:
    name, params, inputs = call
    results = numbers([math.pi] * outputs)
    getattr(library, f"{name}_value")(numbers(params), numbers(inputs), results)
    return list(results)


# --- running JavaScript --------------------------------------------------------------------------

RUNNER = """
import { readFileSync, writeFileSync } from "node:fs";

const view = new DataView(new ArrayBuffer(8));
const number = (hex) => {
    view.setBigUint64(0, BigInt("0x" + hex));
    return view.getFloat64(0);
};
const hex = (x) => {
    view.setFloat64(0, x);
    return view.getBigUint64(0).toString(16).padStart(16, "0");
};
const results = [];
for (const [name, params, inputs] of JSON.parse(readFileSync("calls.json", "utf8"))) {
    const module = await import(`./${name}.mjs`);
    const args = [params.map(number), Float64Array.from(inputs, number)];
    const only = module.value(...args);
    if (!module.valueAndGrad) {
        results.push([[...only].map(hex), [], []]);
        continue;
    }
    const { value, paramGrads, inputGrads } = module.valueAndGrad(...args);
    if (!Object.is(only, value)) {
        throw new Error(`${name}: the two functions differ`);
    }
    results.push([[value], [...paramGrads], [...inputGrads]].map((xs) => xs.map(hex)));
}
writeFileSync("results.json", JSON.stringify(results));
"""


def in_javascript(folder: Path, sources: dict[str, str], calls: Sequence[Call]) -> list[Result]:
    results = all_in_javascript(folder, sources, calls)
    return [(value[0], params, inputs) for value, params, inputs in results]


def all_in_javascript(
    folder: Path, sources: dict[str, str], calls: Sequence[Call]
) -> list[list[list[float]]]:
    """The outputs of all calls, and the gradients of one output; numbers are passed as bits."""
    for name, text in sources.items():
        (folder / f"{name}.mjs").write_text(text)
    run_node(folder, RUNNER, calls)
    results = json.loads((folder / "results.json").read_text())
    return [[list(map(from_hex, xs)) for xs in each] for each in results]


def run_node(folder: Path, script: str, calls: Sequence[Call] = ()) -> str:
    bits = [(name, *(list(map(to_hex, xs)) for xs in numbers)) for name, *numbers in calls]
    (folder / "calls.json").write_text(json.dumps(bits))
    (folder / "run.mjs").write_text(script)
    command = [require_program("node"), "run.mjs"]
    options: Any = {"capture_output": True, "text": True, "env": without_sanitizers()}
    done = subprocess.run(command, cwd=folder, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def to_hex(x: float) -> str:
    return struct.pack(">d", x).hex()


def from_hex(text: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


# --- comparing -----------------------------------------------------------------------------------


def identical(a: float, b: float) -> bool:
    """Equal to the last bit; all NaNs are equal."""
    return to_hex(a) == to_hex(b) or (math.isnan(a) and math.isnan(b))


def all_identical(result: Result, expected: Result) -> bool:
    pairs = zip(flat(result), flat(expected), strict=True)
    return all(identical(a, b) for a, b in pairs)


def flat(result: Result) -> list[float]:
    return [result[0], *result[1], *result[2]]


def written(steps: dict[str, Compiled], language: str) -> dict[str, str]:
    return {name: step.source(language) for name, step in steps.items()}


# --- random programs -----------------------------------------------------------------------------


class Exported(NamedTuple):
    """A program that ran on all of its samples, and its eager-mode results."""

    case: Case
    steps: Steps
    points: Sequence[Point]

    def functions(self) -> dict[str, Compiled]:
        """What to export, by name: the outputs, and their sum with its gradients."""
        return {step.function.__name__: step for step in (self.steps.outputs, self.steps.total)}

    def calls(self) -> list[tuple[Call, Point]]:
        start = starts(self.case)
        return [((name, start, p.numbers), p) for name in self.functions() for p in self.points]


def disagreements(exports: Sequence[Exported]) -> list[DisagreementError]:
    """Compare exported programs with eager mode, in the languages that this machine can run."""
    languages = {"c": ("cc", every_in_c), "javascript": ("node", every_in_javascript)}
    found = []
    for language, (program, way) in languages.items():
        if exports and shutil.which(program):
            found += compared(exports, language, way)
    return found


Way = Callable[[Path, Sequence[Exported], dict[str, str]], list[list[float]]]


def compared(exports: Sequence[Exported], language: str, way: Way) -> list[DisagreementError]:
    """Run all programs at once; if that fails, one by one."""
    functions = {name: step for each in exports for name, step in each.functions().items()}
    try:
        with tempfile.TemporaryDirectory() as folder:
            results = iter(way(Path(folder), exports, written(functions, language)))
    except Exception as error:
        if len(exports) > 1:
            return [failure for each in exports for failure in compared([each], language, way)]
        return [DisagreementError(exports[0].case, f"exporting to {language}", error)]
    found = []
    for each in exports:
        wrong = [check(each, call, point, next(results), language) for call, point in each.calls()]
        found += [error for error in wrong if error is not None][:1]
    return found


def every_in_c(folder: Path, exports: Sequence[Exported], sources: dict[str, str]) -> list[list[float]]:
    library = build(folder, sources, "-O0")
    results = []
    for each in exports:
        for call, point in each.calls():
            outputs = len(point.outputs)
            whole = hasattr(library, f"{call[0]}_value_and_grad")
            results.append(flat(in_c(library, call)) if whole else values_in_c(library, call, outputs))
    return results


def every_in_javascript(
    folder: Path, exports: Sequence[Exported], sources: dict[str, str]
) -> list[list[float]]:
    calls = [call for each in exports for call, _ in each.calls()]
    return [[x for part in each for x in part] for each in all_in_javascript(folder, sources, calls)]


def check(
    exported: Exported, call: Call, point: Point, found: list[float], language: str
) -> DisagreementError | None:
    """In C, values have the bits of eager mode; gradients too, unless comparisons change their order."""
    inputs, rooms = len(point.numbers), point.rooms["float64"]
    expected, ordered = point.outputs, True
    if call[0] == exported.steps.total.function.__name__:
        expected = [point.value, *point.grads[inputs:], *point.grads[:inputs]]
        order = [*range(inputs, len(point.grads)), *range(inputs)]
        rooms = [rooms[0], *(point.gradient_room("float64", k) for k in order)]
        ordered = not exported.case.compares
    else:
        rooms = rooms[1 : 1 + len(expected)]
    for k, (a, b, room) in enumerate(zip(found, expected, rooms, strict=True)):
        same_bits = language == "c" and (ordered or k == 0)
        if not (identical(a, b) if same_bits else near(a, b, room)):
            return DisagreementError(exported.case, f"exported to {language}", a, b, call)
    return None
