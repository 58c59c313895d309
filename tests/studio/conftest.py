"""A studio with a signed-in client, shared by all tests of a process."""

from collections.abc import Iterator
from typing import Any

import pytest

from ..conftest import require


@pytest.fixture(scope="session", autouse=True)
def components() -> None:
    for name in ("starlette", "uvicorn", "websockets", "msgspec", "httpx", "markdown_it"):
        require(name)


@pytest.fixture(scope="session")
def studio(components: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from .client import entered

    with entered(tmp_path_factory.mktemp("course")) as running:
        yield running
