"""Bundles ES modules into one script, for exported files and notebooks.

Each module becomes a function that returns its exports, so that private names stay private.
Only the forms of import and export that our modules use are supported; others are errors.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from importlib.resources import files
from posixpath import basename, dirname, join, normpath

from . import javascript

STEPPER = "viz/web/static/stepper/stepper.js"
STEPPER_STYLES = ("viz/web/static/graph/graph.css", "viz/web/static/stepper/stepper.css")

IMPORT = re.compile(r'^import \{ (.+) \} from "(\.\.?/[a-z_./]+\.js)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:const|class|function) (\w+)", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*$|\bimport\(", re.MULTILINE)


def bundle(entry_modules: Iterable[str]) -> str:
    """Bundle modules with all they import, each before its users; names are paths in the package.

    `.../stepper.js` becomes the constant `stepper_js`, an object with its exports.
    """
    order: dict[str, None] = {}

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"modules import each other in a cycle: {' -> '.join([*path, name])}")
        if name not in order:
            for _, needed in IMPORT.findall(static(name)):
                visit(normpath(join(dirname(name), needed)), (*path, name))
            order[name] = None

    for name in entry_modules:
        visit(name, ())
    named: dict[str, str] = {}
    for name in order:
        other = named.setdefault(_constant(name), name)
        if other != name:
            raise ValueError(f"modules with the same name cannot be bundled: {other} and {name}")
    return "\n".join(map(_wrapped, order))


@functools.cache
def static(name: str) -> str:
    """The text of a file that the browser loads, by its path in the package; `ops.js` is generated."""
    if name == javascript.NAME:
        return javascript.ops_module()
    return files("chainrule").joinpath(name).read_text("utf-8")


def styles(*names: str) -> str:
    """Style sheets, concatenated in the order in which the page loads them."""
    return "\n".join(map(static, names))


def _constant(name: str) -> str:
    return basename(name).replace(".", "_")


def _wrapped(name: str) -> str:
    text = static(name)
    exported = EXPORT.findall(text)
    text = IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_constant(found[2])};", text)
    text = EXPORT.sub(lambda found: found[0].removeprefix("export "), text)
    left = LEFT.search(text)
    if left is not None:
        raise ValueError(f"{name}: cannot bundle this line: {left[0]}")
    body = f'"use strict";\n{text}return {{ {", ".join(exported)} }};'
    return f"const {_constant(name)} = (() => {{\n{body}\n}})();\n"
