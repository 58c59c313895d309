"""The files that a browser may read: pages, modules and styles, some of them generated.

The address of a file is `/static/` plus its path in the package, so that relative imports work in the
browser as on disk. Nothing else of the package is served.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...viz.web import javascript
from .. import choices

PACKAGE = Path(__file__).parents[2]
FOLDERS = ("viz/web/static", "learn/static", "studio/static")
GENERATED: dict[str, Callable[[], str]] = {
    javascript.NAME: javascript.ops_module,
    choices.NAME: choices.choices_module,
}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}


def read(name: str) -> tuple[bytes, str] | None:
    """The content and the type of a file, by its path in the package; None if it is not served.

    The name is looked up among the served files. No path is ever built from it.
    """
    if name in GENERATED:
        return GENERATED[name]().encode(), TYPES[".js"]
    for folder in FOLDERS:
        for path in (PACKAGE / folder).rglob("*"):
            if path.relative_to(PACKAGE).as_posix() == name and path.suffix in TYPES and path.is_file():
                return path.read_bytes(), TYPES[path.suffix]
    return None
