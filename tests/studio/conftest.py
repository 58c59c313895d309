"""A studio that is entered, for all tests of a process."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from ..conftest import require

# Stand-ins for modules that are written at the same time as the server.
# To be removed with them: what is in the package is never replaced.
LATE: dict[str, dict[str, Any]] = {
    "chainrule.viz.layout": {
        "layout": lambda picture: types.SimpleNamespace(
            as_dict=lambda: {"width": 1, "height": 1, "nodes": [], "edges": []}
        )
    },
    "chainrule.viz.svg": {"svg": lambda picture: "<svg/>"},
}


@pytest.fixture(scope="session", autouse=True)
def components() -> None:
    for name in ("starlette", "uvicorn", "websockets", "httpx"):
        require(name)
    for name, contents in LATE.items():
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(contents)


@pytest.fixture(scope="session")
def studio(components: None) -> Iterator[Any]:
    from .client import Studio

    running = Studio()
    running.enter()
    yield running
    running.close()
