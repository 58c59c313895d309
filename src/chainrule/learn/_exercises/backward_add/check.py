from chainrule.learn.checking import Work, number, positive

RULE = "the sum rule: d(x + y)/dx = 1 and d(x + y)/dy = 1, each times the gradient of the sum"


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(number(), number(), positive())
    def passes_on(x: float, y: float, g: float) -> None:
        a, b = Value(x), Value(y)
        c = work.kind("c = a + b", a + b, Value)
        work.equal("c.data, with c = a + b", c.data, x + y)
        work.equal("a.grad and b.grad before c._backward()", [a.grad, b.grad], [0.0, 0.0])
        c.grad = g
        work.true(
            f"c._backward must be a function, to be called later; got {c._backward!r}",
            callable(c._backward),
        )
        c._backward()
        work.equal("a.grad, with a = Value(x), b = Value(y), c.grad = g", a.grad, g, RULE)
        work.equal("b.grad, with a = Value(x), b = Value(y), c.grad = g", b.grad, g, RULE)
        work.equal("c.grad after c._backward(), which must not change it", c.grad, g)
        work.equal("a.data and b.data after c._backward()", [a.data, b.data], [x, y])
        fresh = Value(x) + Value(y)
        work.equal("the grad of a new result, which starts at 0", fresh.grad, 0.0)

    @work.for_all(number(), number())
    def plain_numbers(x: float, y: float) -> None:
        a = Value(x)
        c = work.kind("c = a + y", a + y, Value)
        c.grad = 1.0
        c._backward()
        work.equal("a.grad, with c = a + y, c.grad = 1", a.grad, 1.0, RULE)
