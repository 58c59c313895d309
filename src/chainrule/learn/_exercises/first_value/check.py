from chainrule.learn.checking import Work, number


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(number())
    def keeps(x: float) -> None:
        v = Value(x)
        work.true("Value(x) must store its number: it has no .data", hasattr(v, "data"))
        work.equal("Value(x).data", v.data, x)

    @work.for_all(number(), number())
    def apart(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        work.equal("the numbers of a = Value(x) and b = Value(y)", [a.data, b.data], [x, y])

    @work.for_all(number())
    def prints(x: float) -> None:
        work.equal("repr(Value(x))", repr(Value(x)), f"Value({x})")

    @work.for_all(number(), number())
    def adds(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        total = work.kind("Value(x) + Value(y)", a + b, Value)
        work.equal("(Value(x) + Value(y)).data", total.data, x + y)
        work.true("Value(x) + Value(y) must be a new Value", total is not a and total is not b)
        work.equal(
            "the two numbers after the addition, which must not change them", [a.data, b.data], [x, y]
        )

    three = Value(1.0) + Value(2.0) + Value(4.0)
    work.equal("(Value(1.0) + Value(2.0) + Value(4.0)).data", three.data, 7.0)
