"""Folds large graphs into few boxes. Neurons and layers are found by their structure alone.

`fold` merges equal siblings (weights of a neuron, neurons of a layer, samples of a batch) and
subexpressions that only one value uses, small ones first, until the picture is small enough. `nearest`
is for graphs too large to read node by node: it shows the neighbourhood of the output and counts the
rest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from ...support import graph
from ..labels import shorten
from ..model import CHANGED, CONSTANT, GROUP, LEAF, Edge, Node, Picture, read

MOST = 40  # boxes in a readable picture
UNIT = 8  # subexpressions up to this size, such as a neuron, are always merged
INFIX = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "pow": "**"}
UNKNOWN = "·"  # an external or unnamed argument


def fold(picture: Picture, most: int = MOST) -> Picture:
    """A picture of the same graph in at most this many boxes.

    A box of the kind "group" stands for `count` nodes. If exactly one value leaves the group, the box
    has the data and the gradient of that value. A folded picture has no steps.
    """
    if len(picture.nodes) <= most:
        return picture
    parts = _Parts(picture)
    size = UNIT
    while len(parts) > most and size <= 2 * len(parts):
        before = len(parts)
        parts.join_leaves()
        if len(parts) > most:
            parts.join_private(size, most)
        if len(parts) > most:
            parts.join_users()
        if len(parts) > most:
            parts.join_inputs()
        if len(parts) > 0.9 * before:
            size *= 4
    if len(parts) > most:
        parts.join_farthest(most)
    return parts.picture()


def notes(picture: Picture) -> list[str]:
    """Notes about what a picture does not show."""
    found = []
    if any(node.kind == GROUP for node in picture.nodes):
        total = sum(node.count for node in picture.nodes)
        found.append(f"{total:,} nodes, folded into {len(picture.nodes):,} boxes")
    changed = sum(node.changed for node in picture.nodes)
    if changed:
        boxes = "box is" if changed == 1 else "boxes are"
        whose = "its" if changed == 1 else "their"
        found.append(f"{changed:,} {boxes} {CHANGED}: {whose} contributions are unknown")
    return found


# --- parts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """Nodes that are drawn as one box."""

    members: tuple[int, ...]
    exit: int | None  # the only member used from outside; None if there are several
    key: Hashable  # equal for parts of the same structure
    text: str  # the expression it computes


class _Parts:
    """A partition of a picture's nodes into parts, and the dependencies between parts."""

    def __init__(self, picture: Picture) -> None:
        self.whole = picture
        self.kinds: dict[Hashable, int] = {}  # a number per structure, instead of a deep tuple
        self.parts = [_single(node, self._exponent(node)) for node in picture.nodes]
        self._connect()

    def __len__(self) -> int:
        return len(self.parts)

    def _exponent(self, node: Node) -> str:
        """A constant exponent, otherwise "". It is part of the structure: x**2 and x**3 differ."""
        if node.op != "pow" or self.whole.nodes[node.inputs[1]].kind != CONSTANT:
            return ""
        return f"{self.whole.nodes[node.inputs[1]].data:g}"

    def _connect(self) -> None:
        """Sort the parts, inputs before results, and collect the users of each."""
        part_of = [0] * len(self.whole.nodes)
        for i, part in enumerate(self.parts):
            for member in part.members:
                part_of[member] = i
        inputs: list[set[int]] = [set() for _ in self.parts]
        for edge in self.whole.edges:
            source, target = part_of[edge.source], part_of[edge.target]
            if source != target:
                inputs[target].add(source)
        places = {i: place for place, i in enumerate(_sorted(inputs))}
        self.parts = [self.parts[i] for i in places]
        self.inputs = [frozenset(places[j] for j in inputs[i]) for i in places]
        self.part_of = [places[i] for i in part_of]
        self.outputs = {self.part_of[i] for i in self.whole.outputs}
        self.users: list[list[int]] = [[] for _ in self.parts]
        for i, found in enumerate(self.inputs):
            for j in found:
                self.users[j].append(i)

    def _join(self, groups: Iterable[tuple[Sequence[int], int | None, Hashable, str]]) -> None:
        """Replace each group of parts with one part. A group is (members, exit, key, text)."""
        joined: list[_Part] = []
        gone: set[int] = set()
        for group, way_out, key, text in groups:
            members = tuple(sorted(m for i in group for m in self.parts[i].members))
            joined.append(_Part(members, way_out, key, text))
            gone.update(group)
        if joined:
            self.parts = [part for i, part in enumerate(self.parts) if i not in gone] + joined
            self._connect()

    # Parts with the same users are equally far from the outputs, those with the same inputs equally
    # far from the leaves. So merging all groups of either kind never creates a cycle.

    def join_leaves(self) -> None:
        """Merge equal parts that have no inputs and the same users, such as the weights of a neuron."""
        leaves = zip(self.users, self.inputs, strict=True)
        self._join_equal([frozenset(() if inputs else users) for users, inputs in leaves])

    def join_users(self) -> None:
        """Merge equal parts that have the same users."""
        self._join_equal([frozenset(users) for users in self.users])

    def join_inputs(self) -> None:
        """Merge equal parts that have the same inputs."""
        self._join_equal(self.inputs)

    def _join_equal(self, neighbours: Sequence[frozenset[int]]) -> None:
        equal: dict[Hashable, list[int]] = {}
        for i, part in enumerate(self.parts):
            if neighbours[i] and i not in self.outputs:
                equal.setdefault((part.key, neighbours[i]), []).append(i)
        groups = [group for group in equal.values() if len(group) > 1]
        self._join((group, None, *self._several(group)) for group in groups)

    def _several(self, group: Sequence[int]) -> tuple[Hashable, str]:
        part = self.parts[group[0]]
        name = CONSTANT if part.key == CONSTANT else LEAF if part.text == UNKNOWN else part.text
        return (len(group), part.key), f"{len(group)} × {_enclosed(name)}"

    def join_private(self, size: int, most: int) -> None:
        """Merge each part with the parts that only it uses, into groups of at most `size` parts.

        Within that limit, uses the smallest group size, from UNIT up, that leaves at most `most` parts.
        If that size leaves too few parts, uses the next smaller one.
        """
        owners = self._owners()
        sizes = [1] * len(self.parts)
        for i, owner in enumerate(owners):  # inputs first
            if owner is not None:
                sizes[owner] += sizes[i]
        can = [i not in self.outputs and part.exit is not None for i, part in enumerate(self.parts)]

        def left(size: int) -> int:
            groups = _private(owners, sizes, can, size)
            return len(self.parts) - sum(len(group) - 1 for group in groups.values())

        low = bisect_left(range(size), True, UNIT, key=lambda size: left(size) <= most)
        if low > UNIT and left(low) < most // 4:  # too few boxes would be left
            low -= 1
        groups = _private(owners, sizes, can, low)
        self._join((group, self.parts[i].exit, *self._expression(group)) for i, group in groups.items())

    def _owners(self) -> list[int | None]:
        """The immediate dominator of each part: the nearest other part on all its paths to the outputs.

        That is the part where the dominator chains of the part's users meet.
        """
        owner: list[int | None] = [None] * len(self.parts)
        depth = [0] * len(self.parts)
        for i in reversed(range(len(self.parts))):
            users = sorted(self.users[i], key=lambda user: -depth[user])
            if i in self.outputs or not users:
                continue
            meeting: int | None = users[0]
            for user in users[1:]:
                other: int | None = user
                while meeting != other:
                    if meeting is None or other is None:
                        meeting = None
                        break
                    if depth[meeting] >= depth[other]:
                        meeting = owner[meeting]
                    else:
                        other = owner[other]
            owner[i] = meeting
            depth[i] = 0 if meeting is None else depth[meeting] + 1
        return owner

    def _expression(self, group: Sequence[int]) -> tuple[Hashable, str]:
        """The expression that the last of these parts computes from the others, as a key and as text."""
        found: dict[int, tuple[Hashable, str]] = {}
        for i in sorted(group):
            part = self.parts[i]
            arguments = [found.get(j, (None, UNKNOWN)) for j in self._arguments(part)]
            key, text = part.key, part.text
            if len(part.members) == 1 and arguments:
                node = self.whole.nodes[part.members[0]]
                texts = [text for _, text in arguments]
                exponent = self._exponent(node)
                text = _text(node, [texts[0], exponent] if exponent else texts)
            elif part.exit is None:
                text = UNKNOWN
            whole = (key, tuple(key for key, _ in arguments))
            found[i] = self.kinds.setdefault(whole, len(self.kinds)), text
        return found[max(group)]

    def _arguments(self, part: _Part) -> list[int]:
        """The parts that a part uses, in the order of arguments."""
        inputs = (j for m in part.members for j in self.whole.nodes[m].inputs)
        inside = set(part.members)
        return list(dict.fromkeys(self.part_of[j] for j in inputs if j not in inside))

    def join_farthest(self, most: int) -> None:
        """Merge all but the parts nearest to the outputs, if the graph has no structure to use."""
        height = [0] * len(self.parts)
        for i in reversed(range(len(self.parts))):
            height[i] = 1 + max((height[user] for user in self.users[i]), default=-1)
        ranking = sorted(range(len(self.parts)), key=lambda i: (height[i], -i))
        group = ranking[most - 1 :]
        members = (self.whole.nodes[m] for i in group for m in self.parts[i].members)
        counts = Counter(node.op or node.kind for node in members)
        self._join([(group, None, "rest", census(counts))])

    # --- the result ------------------------------------------------------------------------------

    def picture(self) -> Picture:
        nodes: list[Node] = []
        edges: list[Edge] = []
        arriving: list[list[Edge]] = [[] for _ in self.parts]
        for edge in self.whole.edges:
            if self.part_of[edge.source] != self.part_of[edge.target]:
                arriving[self.part_of[edge.target]].append(edge)
        for i, part in enumerate(self.parts):
            found = self._edges(i, arriving[i], len(edges))
            edges += found
            nodes.append(self._node(i, part, tuple(edge.source for edge in found)))
        outputs = tuple(dict.fromkeys(self.part_of[i] for i in self.whole.outputs))
        return Picture(tuple(nodes), tuple(edges), outputs, (), self.whole.title)

    def _edges(self, target: int, arriving: Sequence[Edge], first: int) -> list[Edge]:
        """Merge the edges between two boxes into one, whose share is the sum of their shares."""
        several: dict[Hashable, list[Edge]] = {}
        for edge in arriving:
            source = self.part_of[edge.source]
            joined = len(self.parts[source].members) > 1 or len(self.parts[target].members) > 1
            several.setdefault(source if joined else (source, edge.id), []).append(edge)
        edges = []
        for slot, group in enumerate(several.values()):
            source = self.part_of[group[0].source]
            shares = [edge.share for edge in group if edge.share is not None]
            one = self.parts[source].exit is not None and len(shares) == len(group)
            partial = group[0].partial if len(self.parts[target].members) == len(group) == 1 else None
            share = _added(group) if one else None
            edges.append(Edge(first + slot, source, target, slot, partial, share))
        return edges

    def _node(self, i: int, part: _Part, inputs: tuple[int, ...]) -> Node:
        if len(part.members) == 1:
            return replace(self.whole.nodes[part.members[0]], id=i, inputs=inputs)
        members = [self.whole.nodes[m] for m in part.members]
        at = None if part.exit is None else self.whole.nodes[part.exit]
        data, grad = (None, None) if at is None else (at.data, at.grad)
        label = _label(members, at, part.text)
        count, changed = sum(node.count for node in members), any(node.changed for node in members)
        return Node(i, GROUP, "", "", label, data, grad, inputs, count, changed)


def _added(edges: Sequence[Edge]) -> float:
    """The sum of shares, added in the order of `backward`: those of later results first."""
    total = 0.0
    for edge in sorted(edges, key=lambda edge: (-edge.target, edge.slot)):
        total += edge.share or 0.0
    return total


def _private(
    owners: Sequence[int | None], sizes: Sequence[int], can: Sequence[bool], most: int
) -> dict[int, list[int]]:
    """The largest subexpressions of at most `most` parts, by the part that owns the others."""
    inside: dict[int, int] = {}  # part: the part it is merged into
    groups: dict[int, list[int]] = {}
    for i in reversed(range(len(owners))):
        owner = owners[i]
        if owner in inside:
            inside[i] = inside[owner]
            groups[inside[i]].append(i)
        elif can[i] and 1 < sizes[i] <= most:
            inside[i] = i
            groups[i] = [i]
    return groups


def _sorted(inputs: Sequence[set[int]]) -> list[int]:
    """A stable topological order: inputs before results."""
    waiting = [len(found) for found in inputs]
    users: list[list[int]] = [[] for _ in inputs]
    for i, found in enumerate(inputs):
        for j in found:
            users[j].append(i)
    ready = deque(i for i, count in enumerate(waiting) if not count)
    order = []
    while ready:
        i = ready.popleft()
        order.append(i)
        for user in users[i]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    assert len(order) == len(inputs), "parts depend on each other in a cycle"
    return order


# --- words ---------------------------------------------------------------------------------------


def _single(node: Node, exponent: str) -> _Part:
    if node.kind == CONSTANT:
        return _Part((node.id,), node.id, CONSTANT, UNKNOWN)
    if node.kind == GROUP:  # it may have several values
        way_out = node.id if node.data is not None else None
        return _Part((node.id,), way_out, (node.label, node.count), node.label)
    text = UNKNOWN if node.kind == LEAF else node.op
    key = (node.kind, node.op, exponent, len(node.inputs))
    return _Part((node.id,), node.id, key, f"{UNKNOWN} ** {exponent}" if exponent else text)


def _text(node: Node, texts: Sequence[str]) -> str:
    """A short form of an operation on arguments: `tanh(dot + ·)`."""
    if node.op in INFIX and len(texts) == 2:
        return shorten(f"{_enclosed(texts[0])} {INFIX[node.op]} {_enclosed(texts[1])}")
    if len(texts) == len(node.inputs) == 1:
        return shorten(f"{node.op}({texts[0]})")
    return node.op


def _enclosed(text: str) -> str:
    """Add parentheses, unless the text is one word or one call."""
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == " " and not depth:
            return f"({text})"
    return text


def _label(members: Sequence[Node], at: Node | None, text: str) -> str:
    """The group's text, with the name of its output value or else the common part of its members' names.

    If the names have nothing in common and all members have one, the names are listed.
    """
    if at is not None and at.label:
        return f"{at.label} = {text}"
    names = [node.label for node in members if node.label]
    if not names:
        return text
    paths = [name.split(".") for name in names]
    shared = takewhile(lambda words: len(set(words)) == 1, zip(*paths, strict=False))
    prefix = ".".join(words[0] for words in shared)
    if prefix and len(names) > 1:
        return f"{prefix}: {text}"
    shown = ", ".join(names) if len(names) < 4 else f"{names[0]}, {names[1]} … {names[-1]}"
    return f"{text}: {shown}" if len(names) == len(members) else text


def census(counts: Mapping[str, int]) -> str:
    """Counts of each kind of node, the most frequent first."""
    total = sum(counts.values())
    common = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{count:,} {name}" for name, count in common[:3])
    return f"{total:,} nodes: {shown}{', ...' if len(common) > 3 else ''}"


# --- graphs too large to fold -------------------------------------------------------------


def nearest(
    order: Sequence[Any],
    roots: Sequence[Any],
    most: int = MOST,
    names: Mapping[Any, str] | None = None,
    title: str = "",
) -> Picture:
    """The values nearest to the outputs, and one group for all others.

    `order` has all values, inputs before results. A value is shown only if all its users are, so the
    group depends on nothing that is shown.
    """
    waiting: dict[Any, int] = {}  # the number of users of a value that are not shown
    counts: Counter[str] = Counter()
    for value in order:
        counts[value.op or LEAF] += 1
        for v in graph.arguments(value):
            if type(v) is float:
                counts[CONSTANT] += 1
            else:
                waiting[v] = waiting.get(v, 0) + 1
    shown: dict[Any, None] = {}
    ready = deque(root for root in dict.fromkeys(roots) if root not in waiting)
    while ready and len(shown) < most - 1:
        value = ready.popleft()
        shown[value] = None
        counts[CONSTANT if value.is_constant else value.op or LEAF] -= 1
        for v in value.inputs:
            waiting[v] = waiting.get(v, 1) - 1
            if not waiting[v]:
                ready.append(v)
    rest = Node(0, GROUP, "", "", census(+counts), None, None, (), counts.total())
    return read(list(reversed(shown)), roots, names, title, rest)
