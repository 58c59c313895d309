from chainrule.learn.checking import CheckFailedError, Work, number
from chainrule.learn.programs import Program, program, run


class Node:
    """A node that counts how often its inputs are read."""

    looks = 0

    def __init__(self, data, inputs=()):
        self.data, self.kept, self.op = data, inputs, "+" if inputs else ""

    @property
    def inputs(self):
        Node.looks += 1
        if Node.looks > 10_000:
            raise CheckFailedError(
                "count_nodes visits nodes more than once, for example in c = a + a, d = c + c, ..."
            )
        return self.kept


def check(work: Work) -> None:
    Value, count_nodes = work.get("Value"), work.get("count_nodes")

    def count(what: str, value, expected: int) -> None:
        work.equal(what, work.kind(what, count_nodes(value), int), expected)

    count("count_nodes(Value(2.0))", Value(2.0), 1)

    @work.for_all(program("+", "*"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        last = run(work, Value, lines, [a, b])[-1]
        count("count_nodes of the last value", last, len(lines.reached()))
        count("count_nodes, called a second time", last, len(lines.reached()))

    same = Value(2.0) + Value(2.0) * Value(2.0)
    count("count_nodes(Value(2.0) + Value(2.0) * Value(2.0))", same, 5)
    node = Node(1.0)
    for _ in range(30):
        node = Node(2 * node.data, (node, node))
    count("count_nodes after doubling Value(1.0) thirty times", node, 31)
