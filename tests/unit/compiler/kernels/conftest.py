"""A cache folder and a builder for each test, and compilers that fail in known ways."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chainrule.compiler.backends.kernels import building
from chainrule.value import c_core

Fake = Callable[[str], Path]


@pytest.fixture(autouse=True)
def builder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[building.Builder]:
    if c_core is None or sys.platform == "win32" or shutil.which("cc") is None:
        pytest.skip("needs the compiled core and a C compiler")
    for name in ("CC", "CHAINRULE_KERNELS", "CHAINRULE_SIMD"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("CHAINRULE_CACHE", str(home / "cache"))
    builder = building.Builder()
    monkeypatch.setattr(building, "_builder", builder)
    yield builder
    builder.close()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The cache folder."""
    return tmp_path / "home" / "cache" / "kernels"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """Make the C compiler a shell script; returns a file to which it appends a line at each run."""

    def make(body: str) -> Path:
        runs, script = tmp_path / "runs", tmp_path / "fake-cc"
        script.write_text(f'#!/bin/sh\necho run >> "{runs}"\n{body}\n')
        script.chmod(0o700)
        monkeypatch.setenv("CC", str(script))
        return runs

    return make
