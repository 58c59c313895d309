"""A picture as a text tree, for terminals.

A result that is used more than once is printed once and then referred to by number. Depth and number of
lines are limited, with a note, and nothing here recurses.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...support import numbers
from .. import labels
from ..model import CHANGED, CONSTANT, GROUP, LEAF, Node, Picture

DEPTH, LINES = 40, 400
BRANCHES = ("├─ ", "└─ ", "│  ", "   ")
PLAIN = {"├": "|", "└": "`", "─": "-", "│": "|", "–": "-", "…": "...", "×": "x", "·": ".", "−": "-"}
PLAIN |= {"÷": "/", "\ufffd": "?"}
BOLD, DIM, ORANGE = "1", "2", "33"


def tree(
    picture: Picture,
    *,
    color: bool = False,
    width: int | None = None,
    depth: int = DEPTH,
    told: Callable[[Node], str] | None = None,
) -> str:
    """Every output with the nodes it was computed from, one line per node.

    `color` marks names and gradients with terminal escape codes; `width` limits the columns of a line,
    `depth` the levels. `told` overrides the text of a node.
    """
    lines = []
    for line in _Tree(picture, depth, told).lines():
        text = "".join(part for part, _ in line)
        if width is not None and labels.columns(text) > width:
            lines.append(labels.shorten(text, width))
        elif color:
            lines.append("".join(f"\033[{code}m{part}\033[0m" if code else part for part, code in line))
        else:
            lines.append(text)
    return "\n".join(lines)


def show(picture: Picture, stream: Any = None) -> None:
    """Print the tree to a stream; on a terminal, in colour and to its width."""
    stream = sys.stdout if stream is None else stream
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size().columns if terminal else None
    print(encodable(tree(picture, color=color, width=width), stream), file=stream)


def encodable(text: str, stream: Any) -> str:
    """The text, or an ASCII version if the stream cannot encode it."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        for special, plain in PLAIN.items():
            text = text.replace(special, plain)
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


Line = Sequence[tuple[str, str]]  # parts, each with its colour code


class _Tree:
    """One walk over a picture; remembers what was printed."""

    def __init__(self, picture: Picture, depth: int, told: Callable[[Node], str] | None = None) -> None:
        self.picture, self.depth, self.told = picture, depth, told
        self.uses = Counter(edge.source for edge in picture.edges)
        self.marks: dict[int, int] = {}  # numbers of results that are used more than once
        self.printed: set[int] = set()

    def lines(self) -> Iterator[Line]:
        count = 0
        stack = [(output, "", "", 1) for output in reversed(self.picture.outputs)]
        while stack and count < LINES:
            i, indent, branch, level = stack.pop()
            node = self.picture.nodes[i]
            again = i in self.marks
            yield [(indent + branch, DIM if branch else ""), *self._line(node)]
            count += 1
            self.printed.add(i)
            if again or not node.inputs:
                continue
            if branch:
                indent += BRANCHES[3] if branch == BRANCHES[1] else BRANCHES[2]
            if level >= self.depth:
                yield [(f"{indent}{BRANCHES[1]}…", DIM)]
                continue
            last = len(node.inputs) - 1
            stack += [
                (node.inputs[slot], indent, BRANCHES[slot == last], level + 1)
                for slot in range(last, -1, -1)
            ]
        hidden = len(self.picture.nodes) - len(self.printed)
        if hidden:
            limits = f"at most {self.depth} levels and {LINES} lines"
            yield [(f"{hidden:,} of {len(self.picture.nodes):,} nodes are not shown: {limits}", DIM)]

    def _line(self, node: Node) -> Line:
        if self.told is not None:
            return [(self.told(node), "")]
        if node.kind == GROUP and node.data is None:
            what = [(labels.clean(node.label), BOLD), (f"  ({node.count:,} nodes)", "")]
            return [*what, (f"  {CHANGED}", DIM)] if node.changed else what
        name = labels.clean(node.label)
        kind = f"{node.count:,} nodes" if node.kind == GROUP else labels.kind_of(node)
        what = [(name, BOLD), (f"{' = ' if name else ''}{numbers.format(node.data)}  ({kind})", "")]
        if node.id in self.marks:
            return [(f"[{self.marks[node.id]}] ", DIM), *what, ("  as above", DIM)]
        if node.kind != CONSTANT:
            what.append((f"  grad {numbers.format(node.grad)}", ORANGE))
        if self.uses[node.id] > 1 and not (node.kind == LEAF and name):
            self.marks[node.id] = len(self.marks) + 1
            what.append((f"  [{self.marks[node.id]}]", DIM))
        if node.changed:
            what.append((f"  {CHANGED}", DIM))
        return what
