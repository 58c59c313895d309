from chainrule.learn.checking import CheckFailedError, Work, number
from chainrule.learn.programs import Program, program


def expected(value, depth: int = 0) -> list[str]:
    line = "  " * depth + f"{value.data} {value.op}".rstrip()
    return [line, *(text for each in value.inputs for text in expected(each, depth + 1))]


def compare(work: Work, what: str, value) -> None:
    text = work.kind(what, work.get("draw")(value), str)
    found = [line.rstrip() for line in text.rstrip().split("\n")]
    wanted = expected(value)
    for i, (a, b) in enumerate(zip(found, wanted, strict=False)):
        work.equal(f"line {i + 1} of {what}", a, b)
    if len(found) != len(wanted):
        raise CheckFailedError(f"the number of lines of {what}", str(len(wanted)), str(len(found)))


def check(work: Work) -> None:
    Value = work.get("Value")

    @work.for_all(number())
    def leaves(x: float) -> None:
        compare(work, "draw(Value(x))", Value(x))

    @work.for_all(program("+", "*", longest=4), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, "draw of the last one", lines([Value(a), Value(b)])[-1])

    work.equal("what draw prints: it must return the text", work.printed(), "")
