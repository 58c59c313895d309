"""The local derivative of each edge of a picture, as a formula in terms of the nodes' names."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from itertools import count

from ...inspect.notation import MathML, Text, formula, substituted
from ...inspect.rules import is_known, rule, slot_of
from ..model import Picture


def rules_of(picture: Picture) -> list[dict[str, str] | None]:
    """For each edge of a picture, the formula of its local derivative in terms of the nodes' names.

    None if there is no derivative or no formula: for operations that are not in the table, for groups,
    and in pictures where a group may hide arguments of an operation.
    """
    names = node_names(picture)
    trees = [
        ast.Constant(node.data) if node.kind == "constant" else ast.Name(name)
        for node, name in zip(picture.nodes, names, strict=True)
    ]
    folded = any(node.kind == "group" and node.inside is None for node in picture.nodes)
    found: list[dict[str, str] | None] = []
    for edge in picture.edges:
        node = picture.nodes[edge.target]
        known = None
        hidden = node.changed and picture.nodes[edge.source].kind != "constant"
        if (edge.partial is not None or hidden) and is_known(node.op) and not folded:
            known = rule(node.op, edge.slot, len(node.inputs))
        if known is None:
            found.append(None)
            continue
        arity = len(node.inputs)
        places = {
            name: node.id if name == "out" else node.inputs[slot_of(node.op, name, arity)]
            for name in known.names
        }
        tree = substituted(known.tree, {name: trees[i] for name, i in places.items()})
        found.append({"text": Text()(tree), "mathml": formula(MathML()(tree))})
    return found


def node_names(picture: Picture) -> list[str]:
    """Labels; for the rest v1, v2, ... (leaves: x1, x2, ...; constants: no name), as in naming.js."""
    taken = {node.label for node in picture.nodes}
    names = []
    fresh = {"v": _numbered("v", taken), "x": _numbered("x", taken)}
    for node in picture.nodes:
        letter = "x" if node.kind == "leaf" else "v"
        names.append(node.label or ("" if node.kind == "constant" else next(fresh[letter])))
    return names


def _numbered(letter: str, taken: Collection[str]) -> Iterator[str]:
    return (name for i in count(1) if (name := f"{letter}{i}") not in taken)
