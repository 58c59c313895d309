"""JSON in and out: what may come in, and numbers that JSON does not have.

Knows nothing of what the messages mean.
"""

from __future__ import annotations

import json
import math
from typing import Any

from . import limits
from .limits import RefusedError


def read(body: str | bytes) -> dict[str, Any]:
    """The object of a request or a message; refuses what is too large, too deep or not JSON."""
    if len(body) > limits.BODY:
        raise RefusedError(f"the request is larger than {limits.BODY:,} bytes", 413)
    try:
        text = body.decode() if isinstance(body, bytes) else body
        found = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        if isinstance(error, RefusedError):
            raise
        raise RefusedError(f"the request is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise RefusedError("the request must be a JSON object")
    _check_depth(found)
    return found


def write(thing: Any) -> str:
    """JSON in which numbers that are not finite are the texts "NaN", "Infinity", "-Infinity".

    ASCII without < > &, so that nobody can take it for something else.
    """
    text = json.dumps(_plain(thing), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _plain(x: Any) -> Any:
    if isinstance(x, float) and not math.isfinite(x):
        return "NaN" if math.isnan(x) else "Infinity" if x > 0 else "-Infinity"
    if isinstance(x, dict):
        return {key: _plain(item) for key, item in x.items()}
    return [_plain(item) for item in x] if isinstance(x, (list, tuple)) else x


def _no_constant(text: str) -> float:
    raise RefusedError(f"{text} is not a number that JSON has")


def _finite(text: str) -> float:
    if math.isinf(float(text)):
        raise RefusedError(f"the number {text[:20]} is too large")
    return float(text)


def _check_depth(thing: Any) -> None:
    level = [thing]
    for _ in range(limits.DEPTH):
        inner = [x.values() if isinstance(x, dict) else x for x in level if isinstance(x, (dict, list))]
        level = [x for items in inner for x in items]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> RefusedError:
    return RefusedError(f"the request is nested deeper than {limits.DEPTH} levels")
