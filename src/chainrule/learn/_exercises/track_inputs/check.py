from chainrule.learn.checking import Work, number


def check(work: Work) -> None:
    Value = work.get("Value")
    leaf = Value(2.0)
    for name in ("inputs", "op"):
        work.true(f"Value(2.0) has no .{name}", hasattr(leaf, name))
    work.equal("Value(2.0).inputs, for a leaf", leaf.inputs, ())
    work.equal("Value(2.0).op, for a leaf", leaf.op, "")

    @work.for_all(number(), number())
    def remembers(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        for op, what, c, data in (("+", "c = a + b", a + b, x + y), ("*", "c = a * b", a * b, x * y)):
            work.kind(what, c, Value)
            work.equal(f"c.data after {what}", c.data, data)
            work.kind(f"c.inputs after {what}", c.inputs, tuple)
            work.equal(f"the number of c.inputs after {what}", len(c.inputs), 2)
            work.true(
                f"c.inputs[0] must be a itself after {what}, got {c.inputs[0]!r}", c.inputs[0] is a
            )
            work.true(
                f"c.inputs[1] must be b itself after {what}, got {c.inputs[1]!r}", c.inputs[1] is b
            )
            work.equal(f"c.op after {what}", c.op, op)
        work.equal("a.inputs after a + b and a * b: a is still a leaf", a.inputs, ())

    @work.for_all(number(), number())
    def plain_numbers(x: float, y: float) -> None:
        a = Value(x)
        for what, c in (("a + y", a + y), ("a * y", a * y), ("y + a", y + a), ("y * a", y * a)):
            work.kind(f"c = {what}", c, Value)
            work.equal(f"the number of c.inputs after c = {what}", len(c.inputs), 2)
            for each in c.inputs:
                work.kind(f"each of c.inputs after c = {what}", each, Value)
            work.true(
                f"a itself must be one of c.inputs after c = {what}", any(v is a for v in c.inputs)
            )

    a = Value(3.0)
    for what, c in (("a + a", a + a), ("a * a", a * a)):
        work.equal(f"the number of inputs of {what}, where a counts twice", len(c.inputs), 2)
