"""Folds a network into one box per neuron: small enough to read, and it can still be stepped through.

Unlike in a folded picture, whose boxes may stand for many values, each box here is one value and
contains the picture that computes it. So it can be recomputed, and gradients flow through it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ... import ops
from ..model import CONSTANT, GROUP, LEAF, Edge, Node, Picture, steps_of


def fold_neurons(whole: Picture, ends: Mapping[int, str]) -> Picture:
    """Fold each neuron into one box. `ends` maps the output nodes of neurons to the neurons' names.

    A neuron consists of the nodes that its output is computed from, except other neurons and nodes that
    are also used elsewhere. Its leaves are those with its name as a prefix, `layers.0.neurons.3.w.1`.
    """
    users: list[set[int]] = [set() for _ in whole.nodes]
    into: list[list[Edge]] = [[] for _ in whole.nodes]
    for edge in whole.edges:
        users[edge.source].add(edge.target)
        into[edge.target].append(edge)
    members = {end: _members(whole, users, end, name, ends) for end, name in ends.items()}
    hidden = {i for end, found in members.items() for i in found if i != end}
    places = {i: place for place, i in enumerate(i for i in range(len(whole.nodes)) if i not in hidden)}
    nodes: list[Node] = []
    edges: list[Edge] = []
    for i in places:
        node = whole.nodes[i]
        arriving = into[i]
        if len(members.get(i, ())) > 1:
            node, arriving = _box(whole, into, members[i], ends[i])
        inputs = tuple(places[edge.source] for edge in arriving)
        nodes.append(replace(node, id=places[i], inputs=inputs))
        first = len(edges)
        edges += [
            replace(edge, id=first + slot, source=places[edge.source], target=places[i], slot=slot)
            for slot, edge in enumerate(arriving)
        ]
    outputs = tuple(places[i] for i in whole.outputs)
    return Picture(
        tuple(nodes), tuple(edges), outputs, tuple(steps_of(nodes, edges, outputs)), whole.title
    )


def _members(
    whole: Picture, users: Sequence[set[int]], end: int, name: str, ends: Mapping[int, str]
) -> list[int]:
    """The nodes of a neuron, in order. Walks from results to inputs, so users come first."""
    found = {end}
    for i in reversed(range(end)):
        node = whole.nodes[i]
        own = node.kind != LEAF or node.label.startswith(f"{name}.")
        if own and i not in ends and users[i] and users[i] <= found:
            found.add(i)
    return sorted(found)


def _box(
    whole: Picture, into: Sequence[list[Edge]], members: Sequence[int], name: str
) -> tuple[Node, list[Edge]]:
    """The neuron as one node, with one edge per argument, in the numbering of the whole picture."""
    own, end = set(members), members[-1]
    within = [edge for i in members for edge in into[i]]
    arguments = sorted({edge.source for edge in within} - own)
    places = {i: place for place, i in enumerate([*arguments, *members])}
    nodes = [
        Node(places[i], LEAF, "", "", whole.nodes[i].label, whole.nodes[i].data, None) for i in arguments
    ]
    for i in members:
        node = whole.nodes[i]
        label = node.label.removeprefix(f"{name}.") if node.kind == LEAF else node.label
        inputs = tuple(places[j] for j in node.inputs)
        nodes.append(replace(node, id=places[i], label=label, inputs=inputs, grad=None))
    edges = [
        replace(edge, id=n, source=places[edge.source], target=places[edge.target], share=None)
        for n, edge in enumerate(within)
    ]
    output = places[end]
    inside = Picture(tuple(nodes), tuple(edges), (output,), tuple(steps_of(nodes, edges, (output,))))
    slopes = _slopes(inside)
    sent = _sent(members, into)
    at = whole.nodes[end]
    changed = any(whole.nodes[i].changed for i in members)
    box = Node(end, GROUP, "", "neuron", name, at.data, at.grad, (), len(members), changed, inside)
    arriving = []
    for i in arguments:
        partial = None if changed or whole.nodes[i].kind == CONSTANT else slopes[places[i]]
        share = None if partial is None or at.grad is None else sent[i]
        arriving.append(Edge(0, i, end, 0, partial, share))
    return box, arriving


def _sent(members: Sequence[int], into: Sequence[list[Edge]]) -> dict[int, float]:
    """The share from a box to each of its arguments, summed in the order of backward."""
    sent: dict[int, float] = {}
    for i in reversed(members):
        for edge in into[i]:
            if edge.share is not None:
                sent[edge.source] = sent.get(edge.source, 0.0) + edge.share
    return sent


def _slopes(inside: Picture) -> list[float]:
    """The derivative of a box's output with respect to each node in it."""
    slopes = [0.0] * len(inside.nodes)
    slopes[inside.outputs[0]] = 1.0
    for step in inside.steps:
        if step.edge is not None:
            edge = inside.edges[step.edge]
            row = ops.BY_NAME.get(inside.nodes[edge.target].op)
            cut = edge.partial == 0.0 and row is not None and row.selects
            if edge.partial is not None and not cut:
                slopes[edge.source] += slopes[edge.target] * edge.partial
    return slopes
