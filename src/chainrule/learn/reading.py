"""A lesson as text: its Markdown, its code, and what a terminal can show of its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..viz.formats.text import tree
from .course import Block, lesson
from .quizzes import pictured
from .terminal import output

PRINTED = f"{output.CODE}│ "  # before each line that code prints


def read(number: int) -> str:
    """A lesson as text; its quiz is only mentioned."""
    each = lesson(number)
    parts = [f"# {each.title}", output.prose(each.promise)]
    parts += [text for block in each.blocks if (text := shown(block))]
    parts.append(
        f"to run its code: chainrule learn code {number}\n"
        f"to answer its {len(each.of('quiz'))} questions: chainrule learn quiz {number}"
    )
    return "\n\n".join(parts)


def code(number: int) -> str:
    """The code of a lesson as one program; code that raises is commented out."""
    parts = []
    for block in lesson(number).of("python"):
        text = block.text.rstrip()
        parts.append(indented(f"raises an error:\n{text}", "# ") if "raises" in block.options else text)
    return "\n\n\n".join(parts)


def shown(block: Block) -> str:
    """A block of a lesson; "" if it is not shown."""
    if block.kind == "markdown":
        return output.prose(block.text)
    if block.kind == "python":
        return indented(block.text)
    if block.kind == "text":
        return indented(block.text, PRINTED)
    if block.kind == "figure":
        return figure(block.data)
    if block.kind == "exercise":
        return output.prose("Exercises: " + ", ".join(block.text.split()))
    return ""


def figure(data: Mapping[str, Any]) -> str:
    """The tree of an expression after backward, or the command that trains the figure's network."""
    if "stepper" in data:
        found = pictured(data["stepper"], data["values"])
        shared = any(n > 1 for n in Counter(edge.source for edge in found.edges).values())
        again = ", as a tree; a name that occurs twice is one value" if shared else ""
        told = f"`{data['stepper']}` after backward{again}."
        told += " To step through the graph, open the Learn tab of `chainrule studio`."
        return f"{output.prose(told)}\n\n{indented(tree(found))}"
    told = "To watch it train, open the Learn tab of `chainrule studio`. To train such a network here:"
    return f"{output.prose(told)}\n\n{indented(training(data))}"


def training(data: Mapping[str, Any]) -> str:
    """The command that trains the figure's network."""
    hidden = " ".join(str(width) for width in data["layers"])
    settings = f"--hidden {hidden} --activation {data['activation']} --lr {data['rate']}"
    return f"chainrule train {data['trainer']} {settings}"


def indented(text: str, mark: str = output.CODE) -> str:
    return "\n".join(f"{mark}{line}" for line in text.rstrip().splitlines())
