"""What all tests share: components that may be missing on a user's machine, never in CI."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def require(name: str) -> ModuleType:
    """Import a component; skip without it, unless this is CI, where nothing may be missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{name} is not installed")
