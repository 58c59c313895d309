from chainrule.learn.checking import CheckFailedError, Work, number
from chainrule.learn.programs import NAMES, Program, program, run


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
                "topological visits nodes more than once, for example in c = a + a, d = c + c, ..."
            )
        return self.kept


def check(work: Work) -> None:
    Value, topological = work.get("Value"), work.get("topological")

    def check_order(lines: Program, numbers: list) -> None:
        values = run(work, Value, lines, numbers)
        reached = [values[i] for i in sorted(lines.reached())]
        names = dict(zip(values, NAMES, strict=False))
        inputs = {values[i]: [values[k] for k in which] for i, which in enumerate(lines.inputs)}
        last = names[values[-1]]
        order = list(work.kind(f"topological({last})", topological(values[-1]), list))
        work.kinds("each element of the list", order, Value)
        text = "[" + ", ".join(names.get(each, "?") for each in order) + "]"
        for each in reached:
            name = names[each]
            work.equal(
                f"how many times {name} occurs in topological({last}), which is {text}",
                order.count(each),
                1,
            )
            for one in inputs[each]:
                ahead = one in order and order.index(one) < order.index(each)
                work.true(
                    f"{names[one]} must come before {name} in topological({last}), which is {text}",
                    ahead,
                )
        work.equal(f"the length of topological({last}), which is {text}", len(order), len(reached))

    @work.for_all(number())
    def a_leaf(a: float) -> None:
        check_order(Program(1, ()), [a])

    @work.for_all(program("+", "*"), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        check_order(lines, [a, b])

    node = Node(1.0)
    for _ in range(30):
        node = Node(2 * node.data, (node, node))
    work.equal(
        "the length of the list after doubling Value(1.0) thirty times", len(topological(node)), 31
    )
