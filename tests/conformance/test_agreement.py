"""Random graphs: the two cores bit for bit, and PyTorch in float64."""

from __future__ import annotations

import pytest

import chainrule

from ..conftest import require
from . import random_graphs

CHUNK = 100


@pytest.mark.skipif(
    chainrule.core == "python" and random_graphs.compiled is not None,
    reason="compares the two cores: once is enough",
)
@pytest.mark.parametrize("first", range(0, 2000, CHUNK))
def test_random_graphs(first: int) -> None:
    torch = require("torch")
    torch.set_num_threads(1)
    with_torch = sum(random_graphs.compare(seed, torch) for seed in range(first, first + CHUNK))
    assert with_torch > 0.9 * CHUNK
