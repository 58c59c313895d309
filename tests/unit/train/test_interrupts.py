"""Ctrl-C at every instruction of the entry points: nothing is left half done.

`python -m tests.unit.train.test_interrupts [ENTRY ...]` interrupts at every point; the
tests use a subset.
"""

import sys
from contextlib import nullcontext

import pytest

from chainrule.value import c_core

from ...campaigns import entries as registry
from ...campaigns.entries import ENTRIES, Entry, entries
from ...conftest import require
from ...interrupting import check_interrupts, visits

FILE = registry.__file__  # its functions are interrupted too
POINTS = 120  # at most as many in a test of one entry
SLOW = {"fit, jax": 6}  # each try compiles with JAX again


# A file opened just before an interrupt is closed when it is destroyed, with this warning.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <_io.FileIO")
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_interrupt_leaves_the_old_or_the_new_state(entry: Entry) -> None:
    if entry.needs == "c" and c_core is None:
        pytest.skip("needs the C core")
    with require("jax").enable_x64(True) if entry.needs == "jax" else nullcontext():
        prepare = entry.prepare()
        action, _ = prepare()
        instructions = len(visits(action, FILE))
        points = SLOW.get(entry.name, POINTS)
        found = check_interrupts(prepare, stride=1 + 2 * instructions // points, own=FILE)
        assert found > min(instructions, points) // 8


if __name__ == "__main__":
    for chosen in entries(*sys.argv[1:]):
        if chosen.needs != "jax":
            print(
                f"{chosen.name}: {check_interrupts(chosen.prepare(), own=FILE)} interrupts", flush=True
            )
