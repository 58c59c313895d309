"""JSON input and output. Input is parsed into a type of schemas.py, or rejected with one line.

Does not know what the messages mean.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from ...viz.model import plain
from .. import limits
from ..limits import RefusedError
from ..schemas import CHOICES

T = TypeVar("T")
PLACE = re.compile(r"(.*?)(?: - at `\$\.?(.*)`)?", re.DOTALL)  # msgspec's error, and the path in it
SHOWN = 40  # characters of the given value
STEP = re.compile(r"(\w+)|\[(\d+)\]")


def read(body: str | bytes, schema: type[T], where: str = "") -> T:
    """Parse a request or a message; `where` is the path of the body in a larger one."""
    check_size(len(body))
    try:
        return msgspec.json.decode(body, type=schema)
    except msgspec.ValidationError as error:
        raise RefusedError(explained(str(error), body, where)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RefusedError(f"the request is not JSON: {error}") from None
    except RecursionError:
        raise RefusedError("the request is nested too deeply") from None


def check_size(size: int) -> None:
    if size > limits.BODY:
        raise RefusedError(f"the request is larger than {limits.BODY:,} bytes", 413)


def explained(error: str, body: str | bytes, where: str) -> str:
    """msgspec's error, with the path put first and the given value last."""
    found = PLACE.fullmatch(error)
    assert found is not None
    what, path = found[1], found[2] or ""
    place = ".".join(filter(None, [where, path]))
    name = path.rpartition(".")[2]
    if what.startswith("Invalid ") and name in CHOICES:
        return f"{place} must be one of {', '.join(CHOICES[name])}, got {given(body, path)}"
    what = what[0].lower() + what[1:]
    got = "" if "got `" in what or not path or "..." in path else f", got {given(body, path)}"
    return f"{place or 'the request'}: {what}{got}"


def given(body: str | bytes, path: str) -> str:
    """The value at a path in the body, shortened."""
    try:
        thing = msgspec.json.decode(body)
        for name, index in STEP.findall(path):
            thing = thing[int(index)] if index else thing[name]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return "a value that cannot be shown"  # the rest of the body may be invalid too
    if isinstance(thing, (dict, list)):
        return f"{len(thing):,} entries"
    text = repr(thing)
    if isinstance(thing, str) and len(text) > SHOWN:
        return f"{len(thing):,} characters"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def write(thing: Any) -> str:
    """JSON with non-finite numbers as the strings "NaN", "Infinity", "-Infinity".

    ASCII without < > &, so that it cannot be mistaken for HTML.
    """
    text = json.dumps(plain(thing), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
