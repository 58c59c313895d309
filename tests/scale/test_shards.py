"""Sharding the parameters gives the same losses, with only a part of the parameters on each device."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import data, nn
from chainrule.train import fit

from ..near import near
from .conftest import Workers


def tensors(path: Path) -> tuple[set[str], dict[str, Any]]:
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        return set(file.metadata()), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def test_sharding_gives_the_same_losses(workers: Workers) -> None:
    one = workers.run(1, 1, hidden=16)
    assert workers.run(1, 8, hidden=16, shard=True) == near(one, rel=1e-9)
    hidden_b, hidden_w, last_b, last_w = [(2,)] * 8, [(2, 2)] * 8, [(1,)] * 8, [(1, 2)] * 8
    assert (
        workers.parts == [hidden_b, hidden_w, last_b, last_w] * 3
    )  # the parameters and Adam's two states
    assert workers.run(2, 2, hidden=16, shard=True) == near(one, rel=1e-9)
    assert workers.parts[1] == [(4, 2)] * 2  # the two devices of the first process
    workers.run(1, 8, hidden=16)
    assert workers.parts[1] == [(16, 2)] * 8


def test_parameters_that_cannot_be_split_evenly_are_not_sharded(workers: Workers) -> None:
    one = workers.run(1, 1, hidden=6)
    assert workers.run(1, 8, hidden=6, shard=True) == near(one, rel=1e-9)
    assert workers.parts[:4] == [[(6,)] * 8, [(6, 2)] * 8, [(1,)] * 8, [(1, 6)] * 8]


def test_a_run_resumes_with_different_shards(workers: Workers) -> None:
    """The file contains whole arrays, however they were sharded."""
    sharded, plain = workers.folder / "sharded", workers.folder / "plain"
    whole = workers.run(1, 1, hidden=16)
    workers.run(1, 1, hidden=16, epochs=3, resume=str(plain))
    workers.run(2, 2, hidden=16, epochs=3, resume=str(sharded), shard=True)
    (about, found), (expected_about, expected) = tensors(sharded), tensors(plain)
    assert (about, set(found)) == (expected_about, set(expected))
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-9, atol=1e-15)
    for devices, shard in ((8, True), (4, False)):
        state = workers.folder / f"{devices}"
        state.write_bytes(sharded.read_bytes())
        found_losses = workers.run(1, devices, hidden=16, resume=str(state), shard=shard)
        assert found_losses == near(whole, rel=1e-9)


def test_sharding_needs_jax_and_a_mesh(jax: Any) -> None:
    X, y = data.moons(30, seed=0)
    model = nn.MLP(2, [3, 1], seed=0)
    options: dict[str, Any] = {"epochs": 1, "progress": False, "shard_parameters": True}
    with pytest.raises(ValueError, match=r"^shard_parameters needs engine='jax' and a mesh of devices$"):
        fit(model, "mse", X, y, **options)
    with pytest.raises(ValueError, match=r"^shard_parameters needs a mesh: fit\(\.\.\., mesh=jax.make_"):
        fit(model, "mse", X, y, engine="jax", **options)
