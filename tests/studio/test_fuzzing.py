"""A short fuzzing run of malformed requests and messages; `make fuzz` does the long one."""

from typing import Any

import pytest

from ..conftest import require

for name in ("httpx", "starlette", "uvicorn", "websockets", "msgspec", "markdown_it"):
    require(name)

from chainrule.studio.app import build

from .client import Studio
from .fuzzing import PROBE, commands, routes, try_message, try_route

ROUTES = list(routes(build(1)))


@pytest.mark.parametrize(
    ("method", "path", "schema"), ROUTES, ids=lambda x: x if isinstance(x, str) else ""
)
def test_no_body_is_answered_with_500(studio: Studio, method: str, path: str, schema: Any) -> None:
    statuses = try_route(studio, method, path, schema, 25, seed=0)
    assert sum(statuses.values()) == 25
    if schema is not None:  # most bodies must be invalid; otherwise the test would prove little
        assert sum(count for status, count in statuses.items() if 400 <= status < 500) >= 15


@pytest.mark.parametrize("command", commands())
def test_no_message_kills_the_socket(studio: Studio, command: Any) -> None:
    assert try_message(studio, command, 40, seed=0) >= 20


def test_every_route_and_command_is_fuzzed(studio: Studio) -> None:
    """Every route that reads a body has a schema, and every command of the socket is in the list."""
    without = {path for method, path, schema in ROUTES if method in ("POST", "PUT") and schema is None}
    assert without == {"/enter"}
    assert len([1 for _, _, schema in ROUTES if schema is not None]) >= 14
    with studio.socket() as run:
        run.connection.send(PROBE)
        names = run.text("error")["message"].partition("one of ")[2].partition(", got")[0]
    assert names.split(", ") == [command.__struct_config__.tag for command in commands()]
