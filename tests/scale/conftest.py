"""Fixtures: JAX in double precision, and processes that train one model together."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import data

from ..conftest import require

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def jax() -> Iterator[Any]:
    found: Any = require("jax")
    before = found.config.jax_enable_x64
    found.config.update("jax_enable_x64", True)
    yield found
    found.config.update("jax_enable_x64", before)


class Workers:
    """Starts processes that train one model together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        X, y = data.moons(96, seed=1)
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)

    def start(self, processes: int, devices: int, **options: Any) -> list[subprocess.Popen[str]]:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        files = {name: str(self.folder / f"{name}.npy") for name in "Xy"}
        work = {"epochs": 8, "batch": 32, "hidden": 6, "out": str(self.folder / "out.json")}
        started = []
        for process in range(processes):
            place = {"processes": processes, "process": process, "devices": devices, "port": port}
            job = json.dumps({**files, **work, **place, **options})
            command = [sys.executable, "-m", "tests.scale.worker", job]
            pipes: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
            started.append(subprocess.Popen(command, cwd=ROOT, **pipes))
        return started

    def run(self, processes: int, devices: int, **options: Any) -> list[float]:
        (self.folder / "out.json").unlink(missing_ok=True)
        for worker in self.start(processes, devices, **options):
            _, error = worker.communicate(timeout=300)
            assert worker.returncode == 0, error[-2000:]
        found = json.loads((self.folder / "out.json").read_text())
        self.parts = [[tuple(shape) for shape in shapes] for shapes in found["parts"]]
        return found["losses"]


@pytest.fixture
def workers(jax: Any, tmp_path: Path) -> Workers:
    return Workers(tmp_path)
