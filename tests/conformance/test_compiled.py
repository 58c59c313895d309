"""Compiled random graphs against eager mode, on every backend and every kind of SIMD."""

from __future__ import annotations

import pytest

from chainrule.value import compiled

from . import compiled_graphs

CHUNK = 100
SIMD = ("base",) if compiled is None else compiled._simd_names()


@pytest.mark.parametrize("first", range(0, 2000, CHUNK))
def test_random_graphs(first: int) -> None:
    compared = sum(compiled_graphs.compare(seed) for seed in range(first, first + CHUNK))
    assert compared > 0.8 * CHUNK


@pytest.mark.skipif(compiled is None, reason="there is no C core")
@pytest.mark.parametrize("simd", SIMD)
def test_random_graphs_on_every_simd(simd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_SIMD", simd)
    compared = sum(compiled_graphs.compare(seed) for seed in range(5000, 5000 + CHUNK))
    assert compared > 0.8 * CHUNK
