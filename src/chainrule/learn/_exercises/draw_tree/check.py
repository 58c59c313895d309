from chainrule.learn.checking import CheckFailedError, Work, number
from chainrule.learn.programs import Program, program, run


def expected(lines: Program, numbers: list, which: int, depth: int = 0) -> list[str]:
    """The lines to expect for value number `which` of a program."""
    op = lines.lines[which - lines.leaves][0] if which >= lines.leaves else ""
    line = "  " * depth + f"{lines(numbers)[which]} {op}".rstrip()
    below = [expected(lines, numbers, each, depth + 1) for each in lines.inputs[which]]
    return [line, *(text for each in below for text in each)]


def compare(work: Work, what: str, lines: Program, numbers: list) -> None:
    value = run(work, work.get("Value"), lines, numbers)[-1]
    text = work.kind(what, work.get("draw")(value), str)
    found = [line.rstrip() for line in text.rstrip().split("\n")]
    wanted = expected(lines, numbers, len(lines.inputs) - 1)
    for i, (a, b) in enumerate(zip(found, wanted, strict=False)):
        work.equal(f"line {i + 1} of {what}", a, b)
    if len(found) != len(wanted):
        raise CheckFailedError(f"the number of lines of {what}", str(len(wanted)), str(len(found)))


def check(work: Work) -> None:
    @work.for_all(number())
    def leaves(x: float) -> None:
        compare(work, "draw(Value(x))", Program(1, ()), [x])

    @work.for_all(program("+", "*", longest=4), number(), number())
    def graphs(lines: Program, a: float, b: float) -> None:
        compare(work, "draw of the last value", lines, [a, b])

    work.equal("what draw prints: it must return the text instead", work.printed(), "")
