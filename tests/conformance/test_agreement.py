"""Random graphs: the two cores agree bit for bit, and up to rounding with PyTorch in float64."""

from typing import Any

import pytest

import chainrule

from ..conftest import require
from .campaigns import random_graphs

CHUNK = 100


def compare(first: int, torch: Any) -> int:
    """Compare the cores on a chunk of graphs; returns how many were also compared with PyTorch."""
    return sum(random_graphs.compare(seed, torch) for seed in range(first, first + CHUNK))


@pytest.mark.skipif(random_graphs.c_core is None, reason="needs the C core")
@pytest.mark.skipif(chainrule.core == "python", reason="compares the two cores; one run is enough")
@pytest.mark.parametrize("first", range(2000, 4000, CHUNK))
def test_the_cores_agree(first: int) -> None:
    assert compare(first, None) == 0


@pytest.mark.skipif(
    chainrule.core == "python" and random_graphs.c_core is not None,
    reason="compares the two cores; one run is enough",
)
@pytest.mark.parametrize("first", range(0, 2000, CHUNK))
def test_the_cores_agree_with_pytorch(first: int) -> None:
    torch = require("torch")
    torch.set_num_threads(1)
    assert compare(first, torch) > 0.9 * CHUNK
