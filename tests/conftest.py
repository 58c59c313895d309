"""What all tests share: components that may be missing on a user's machine, never in CI."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
from collections.abc import Iterator
from types import ModuleType

import pytest


def require(name: str) -> ModuleType:
    """Import a component; skip without it, unless this is CI, where nothing may be missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{name} is not installed", allow_module_level=True)


def require_program(name: str) -> str:
    """The path of a program; skip without it, unless this is CI, where nothing may be missing."""
    path = shutil.which(name)
    if path is None:
        if os.environ.get("CI"):
            raise FileNotFoundError(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")
    return path


@pytest.fixture(autouse=True, scope="session")
def control_c() -> Iterator[None]:
    """Ctrl-C as in a terminal: a job in the background starts with it ignored, and passes that on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
