"""Wrong solutions that a checker must reject.

Those of the course are in `wrong.toml`, each as a few edits of the solution or the starter. An edit
whose old text does not occur exactly once is an error, so edits cannot silently become outdated. A
teacher may also write whole files, `wrong/*.py`.
"""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

MARK = "# your code here"


@dataclass(frozen=True)
class Wrong:
    """A wrong solution: its name, where it is written, why it is wrong, and its code."""

    name: str
    source: str
    why: str
    code: str


def read(folder: Path) -> list[Wrong]:
    """All wrong solutions of an exercise, sorted by name; ValueError names an unreadable entry."""
    found = []
    if (file := folder / "wrong.toml").is_file():
        try:
            entries = tomllib.loads(file.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{file} is not TOML: {error}") from None
        for name, entry in entries.items():
            try:
                found.append(_from_edits(folder, name, entry))
            except (ValueError, SyntaxError, RecursionError) as error:
                raise ValueError(f"{file}: {name}: {error}") from None
    for path in (folder / "wrong").glob("*.py"):
        try:
            code = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not text in UTF-8: {error}") from None
        why = code.partition("\n")[0].removeprefix("#").strip()
        found.append(Wrong(path.stem, f"wrong/{path.name}", why, code))
    return sorted(found, key=lambda each: each.name)


def _from_edits(folder: Path, name: str, entry: Any) -> Wrong:
    if not isinstance(entry, dict) or not {"why", "edits"} <= entry.keys() <= {"why", "edits", "of"}:
        raise ValueError("expected the keys why and edits, and optionally of")
    base, edits = entry.get("of", "solution"), entry["edits"]
    if base not in ("solution", "starter"):
        raise ValueError(f"of must be 'solution' or 'starter', got {base!r}")
    if not isinstance(entry["why"], str):
        raise ValueError(f"why must be a string, got {entry['why']!r}")
    pairs = isinstance(edits, list) and all(isinstance(each, list) and len(each) == 2 for each in edits)
    if not pairs or not all(isinstance(text, str) for each in edits for text in each):
        raise ValueError("edits must be pairs of strings, [[old, new]]")
    text = without_task((folder / f"{base}.py").read_text(encoding="utf-8"))
    return Wrong(name, f"wrong.toml, {name}", entry["why"], f"# {entry['why']}\n{edited(text, edits)}")


def without_task(text: str) -> str:
    """The code of a starter or solution, without its docstring and marker comment."""
    tree = ast.parse(text)
    lines = text.split("\n")
    if ast.get_docstring(tree) is not None:
        lines = lines[tree.body[0].end_lineno :]
    while lines and (not lines[0] or lines[0].startswith(MARK)):
        del lines[0]
    return "\n".join(lines)


def edited(text: str, edits: list[list[str]]) -> str:
    """Apply all edits. Each old text is looked up in the original text.

    The later lines of an edit are indented like the line in which it begins. A new text of "" removes
    whole lines; a newline at the end of a new text counts only if the old one ends in one too.
    """
    places = sorted((*_place(text, old), old, new) for old, new in edits)
    for before, after in pairwise(places):
        if before[1] > after[0]:
            raise ValueError(f"two edits overlap: {before[3]!r} and {after[3]!r}")
    for begin, end, margin, old, new in reversed(places):
        start = text.rfind("\n", 0, begin) + 1
        ends = 0 if old.endswith("\n") else 1  # whether a newline is left to remove
        if not new and text[start:begin] == margin and text[end : end + ends] in ("", "\n"):
            text = text[:start] + text[end + ends :]
        else:
            new = new if old.endswith("\n") else new.removesuffix("\n")
            text = text[:begin] + _indented(new, margin) + text[end:]
    return text


def _place(text: str, old: str) -> tuple[int, int, str]:
    """Start, end and indentation of a text that occurs exactly once."""
    found, start = [], 0
    for line in text.split("\n"):
        margin = line[: len(line) - len(line.lstrip(" "))]
        pattern = _indented(old, margin)
        at = text.find(pattern, start)
        while start <= at <= start + len(line):
            found.append((at, at + len(pattern), margin))
            at = text.find(pattern, at + 1)
        start += len(line) + 1
    if len(found) != 1:
        raise ValueError(f"the old text must occur once, not {len(found)} times: {old!r}")
    return found[0]


def _indented(text: str, margin: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(margin + line if line else "" for line in rest)])
