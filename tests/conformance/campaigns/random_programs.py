"""Random whole programs: Python source generated from a seed, run in every possible way.

A program is called with plain floats, differentiated in reverse mode, in forward mode and by finite
differences, on both cores; compiled for every backend and instruction set in double and single
precision, with batches of many sizes; exported to C and JavaScript; and run in JAX. All must agree.

`python -m tests.conformance.campaigns.random_programs COUNT SEED` runs a campaign; append `jax` to
include JAX. A failing program is printed with its seed, after removing all lines without which it
still fails in the same way.
"""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tqdm import tqdm

from chainrule.value import c_core

from .compiled_graphs import QUICK
from .compiled_programs import BACKENDS, compiled, on_jax, refused
from .eager_programs import DisagreementError, by_differences, eager
from .exports import Exported, disagreements
from .program_writer import Case, make


def run_here(case: Case, jax: bool = False) -> list[Exported]:
    """Run a program in every way but those of `disagreements`; returns what to export."""
    exact, other = eager(case, exact=True), eager(case, exact=False)
    for point in other:
        by_differences(case, point)
    if refused(case):
        return []
    steps = [compiled(case, exact + other, backend) for backend in BACKENDS]
    if c_core is not None:
        compiled(case, exact, "native", "float32")
    if jax:
        on_jax(case, exact + other)
    return [Exported(case, steps[0], exact + other)]


def examine(case: Case, jax: bool = False) -> None:
    """Run a program in every way; raise DisagreementError if two of them disagree."""
    for failure in disagreements(run_here(case, jax)):
        raise failure


def shortened(failure: DisagreementError, jax: bool) -> DisagreementError:
    """The same failure of a program from which all unnecessary lines and blocks are removed."""
    shorter = True
    while shorter:
        shorter = False
        for source in without_one(failure.case.source):
            try:
                examine(replace(failure.case, source=source), jax)
            except DisagreementError as error:
                if error.what == failure.what:
                    failure, shorter = error, True
                    break
            except Exception:
                continue
    return failure


def without_one(source: str) -> Iterator[str]:
    """Yield the program without one of its lines and the block below it, last lines first."""
    lines = source.splitlines()
    depth = [len(line) - len(line.lstrip()) for line in lines]
    for i in reversed(range(len(lines))):
        end = next((j for j in range(i + 1, len(lines)) if depth[j] <= depth[i]), len(lines))
        if not lines[i].startswith("def program"):
            yield "\n".join(lines[:i] + lines[end:]) + "\n"


CHUNK = 20  # programs, exported together
LIFE = 50  # chunks of a process: each leaves a library loaded


def examine_some(seeds: range, jax: bool = False) -> list[str]:
    """Run the programs of these seeds; returns the failures as text."""
    exports: list[Exported] = []
    failures = []
    for seed in seeds:
        try:
            exports += run_here(make(seed), jax)
        except DisagreementError as failure:
            failures.append(failure)
    failures += disagreements(exports)
    return [str(shortened(failure, jax)) for failure in failures]


if __name__ == "__main__":
    count, start, *names = sys.argv[1:]
    if names == ["jax"]:  # fast compilation matters more than fast execution
        os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} {QUICK}")
    end = int(start) + int(count)
    chunks = [range(first, min(first + CHUNK, end)) for first in range(int(start), end, CHUNK)]
    failures = []
    with multiprocessing.get_context("spawn").Pool(maxtasksperchild=LIFE) as pool:
        results = pool.imap_unordered(partial(examine_some, jax=names == ["jax"]), chunks)
        for found in tqdm(results, total=len(chunks), unit=f" x {CHUNK} programs", mininterval=10):
            failures += found
            print(*found, sep="\n", end="" if not found else "\n", flush=True)
    if failures:
        sys.exit(f"{len(failures):,} of {int(count):,} random programs disagree")
    print(f"{int(count):,} random programs give the same results in every way of running them")
