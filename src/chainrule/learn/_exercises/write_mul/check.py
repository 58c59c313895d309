from chainrule.learn.checking import Work, number


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(number(), number())
    def products(x: float, y: float) -> None:
        a, b = Value(x), Value(y)
        product = a * b
        work.true("Value(x) * Value(y) must be a Value", isinstance(product, Value))
        work.equal("(Value(x) * Value(y)).data", product.data, x * y)
        work.equal(
            "the factors after the multiplication, which must not change them", [a.data, b.data], [x, y]
        )

    @work.for_all(number(), number())
    def plain_numbers(x: float, y: float) -> None:
        for what, make in (
            ("Value(x) * y", lambda: Value(x) * y),
            ("x * Value(y)", lambda: x * Value(y)),
        ):
            try:
                product = make()
            except (TypeError, AttributeError) as error:
                work.true(f"{what} must work for a plain number, but raises {error!r}", False)
            work.true(f"{what} must be a Value", isinstance(product, Value))
            work.equal(f"({what}).data", product.data, x * y)

    work.equal("(Value(2.0) * 3 * Value(4.0)).data", (Value(2.0) * 3 * Value(4.0)).data, 24.0)
