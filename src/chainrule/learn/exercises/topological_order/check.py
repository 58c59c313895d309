from chainrule.learn.checking import CheckFailedError, Work, number
from chainrule.learn.programs import NAMES, Program, program


class Node:
    """A node that counts how often its inputs are asked for."""

    looks = 0

    def __init__(self, data, inputs=()):
        self.data, self.kept, self.op = data, inputs, "+" if inputs else ""

    @property
    def inputs(self):
        Node.looks += 1
        if Node.looks > 10_000:
            raise CheckFailedError(
                "topological walks through the same node again and again: c = a + a, d = c + c, ..."
            )
        return self.kept


def reached(value) -> set:
    return {value}.union(*(reached(each) for each in value.inputs))


def check(work: Work) -> None:
    Value, topological = work.get("Value"), work.get("topological")

    def check_order(values: list) -> None:
        names = dict(zip(values, NAMES, strict=False))
        last = names[values[-1]]
        order = list(work.kind(f"topological({last})", topological(values[-1]), list))
        for each in order:
            work.kind("each of the list", each, Value)
        text = "[" + ", ".join(names.get(each, "?") for each in order) + "]"
        for each in (each for each in values if each in reached(values[-1])):
            name = names[each]
            work.equal(
                f"how often {name} is in topological({last}), which is {text}", order.count(each), 1
            )
            for one in each.inputs:
                ahead = one in order and order.index(one) < order.index(each)
                work.true(
                    f"{names[one]} must come before {name} in topological({last}), which is {text}",
                    ahead,
                )
        work.equal(
            f"the length of topological({last}), which is {text}", len(order), len(reached(values[-1]))
        )

    @work.for_all(number())
    def a_leaf(a: float) -> None:
        check_order([Value(a)])

    @work.for_all(program("+", "*"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        check_order(lines([Value(a), Value(b)]))

    node = Node(1.0)
    for _ in range(30):
        node = Node(2 * node.data, (node, node))
    work.equal(
        "the length of the list after doubling Value(1.0) thirty times", len(topological(node)), 31
    )
