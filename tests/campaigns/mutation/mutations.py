"""Small faults in source text: other operators, constants and comparisons, dropped statements, swaps.

Python is changed by its syntax tree, C by the words of a line. A mutation replaces one span of text.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType

from .trying import same

OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.And: "or",
    ast.Or: "and",
}
WRITTEN = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.And: "and",
    ast.Or: "or",
}


@dataclass(frozen=True)
class Mutation:
    """The text from `start` to `end` of a file, on this line, is replaced by `new`."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def apply(self, source: str) -> str:
        assert source[self.start : self.end] == self.old
        return source[: self.start] + self.new + source[self.end :]

    def key(self, source: str) -> str:
        """Identifies it in a list, as long as its line and equal lines above it stay as they are."""
        above, begin = source[: self.start].split("\n")[:-1], source.rfind("\n", 0, self.start) + 1
        line = source[begin : source.find("\n", self.start)]
        column = self.start - begin - (len(line) - len(line.lstrip()))
        again = [each.strip() for each in above].count(line.strip())
        place = f"{column}, {again + 1}" if again else str(column)
        return f"{self.file}: {line.strip()} [{place}] {' '.join(self.new.split())}"


class Python:
    """The mutations of a Python file."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self.lines = [0]
        for line in source.split("\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        begin = self.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return begin, self.at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def at(self, line: int, column: int) -> int:
        """The position of a place, whose column counts bytes."""
        start = self.lines[line - 1]
        text = self.source[start : self.lines[line]]
        return start + len(text.encode()[:column].decode())

    def replaced(self, node: ast.AST, new: str) -> Mutation:
        begin, end = self.span(node)
        return Mutation(self.file, node.lineno, begin, end, self.source[begin:end], new)  # type: ignore[attr-defined]

    def between(self, left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutation]:
        """The operator between two operands replaced."""
        begin, end = self.span(left)[1], self.span(right)[0]
        word = re.escape(WRITTEN[type(operator)]).replace(r"\ ", r"\s+")
        found = re.search(rf"(?<!\w){word}(?!\w)" if word[0].isalpha() else word, self.source[begin:end])
        if found:
            start = begin + found.start()
            line = self.source.count("\n", 0, start) + 1
            yield Mutation(
                self.file, line, start, begin + found.end(), found[0], OPERATORS[type(operator)]
            )

    def all(self) -> Iterator[Mutation]:
        yield from self.visit(ast.parse(self.source))

    def visit(self, node: ast.AST) -> Iterator[Mutation]:
        for name, child in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
                continue
            for each in child if isinstance(child, list) else [child]:
                if isinstance(each, ast.AST) and not isinstance(each, ast.JoinedStr):
                    yield from self.visit(each)
        yield from self.own(node)

    def own(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                yield from self.between(left, right, op)
            case ast.BoolOp(op=op, values=[first, second, *_]):
                yield from self.between(first, second, op)
            case ast.Compare(left=left, ops=[op, *_], comparators=[right, *_]):
                yield from self.between(left, right, op)
            case ast.UnaryOp(op=ast.USub() | ast.Not() | ast.Invert(), operand=operand):
                begin, end = self.span(operand)
                yield self.replaced(node, self.source[begin:end])
            case ast.Constant(value=bool() as value):
                yield self.replaced(node, repr(not value))
            case ast.Constant(value=int() | float() as value):
                yield self.replaced(node, repr(value + 1) if value != 1 else "2")
            case ast.AugAssign(op=op) if type(op) in OPERATORS:
                begin, end = self.span(node.target)[1], self.span(node.value)[0]
                at = begin + self.source[begin:end].index(WRITTEN[type(op)])
                word = WRITTEN[type(op)]
                yield Mutation(self.file, node.lineno, at, at + len(word), word, OPERATORS[type(op)])
            case ast.Expr(value=ast.Call() | ast.YieldFrom() | ast.Yield()) | ast.Raise() | ast.Assert():
                yield self.replaced(node, "pass")
            case ast.Delete() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self.replaced(node, "pass")
            case ast.Continue() | ast.Break():
                yield self.replaced(node, "pass")
            case ast.Return(value=ast.AST() as value) if not isinstance(value, ast.Constant):
                yield self.replaced(node, "return None")
            case ast.Call(args=[first, second, *_]) if not any(
                isinstance(each, ast.Starred) for each in node.args[:2]
            ):
                (a, b), (c, d) = self.span(first), self.span(second)
                text = self.source
                yield Mutation(
                    self.file, node.lineno, a, d, text[a:d], text[c:d] + text[b:c] + text[a:b]
                )


IN_C = [  # a pattern, and what replaces it
    (r"(?<=[\w\])]) \+ (?=[\w(])", " - "),
    (r"(?<=[\w\])]) - (?=[\w(])", " + "),
    (r"(?<=[\w\])]) \* (?=[\w(])", " / "),
    (r"(?<=[\w\])]) / (?=[\w(])", " * "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r"\+\+", "--"),
    (r" \+= ", " -= "),
    (r"(?<![\w.\"])(\d+)(?![\w.\"])", None),  # an integer: one more
    (r"(?<=[(&|] )!(?=[\w(])|(?<=\()!(?=[\w(])", ""),
    (r"^( +)(?!return|goto|else|case|default|const |static |typedef )\w[^{}]*;$", None),
]


def in_c(file: str, source: str) -> Iterator[Mutation]:
    """The mutations of a C file, outside comments, strings and declarations at the top."""
    blank = re.sub(
        r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^#(?:[^\n\\]|\\.)*",
        lambda found: re.sub(r"[^\n]", "\x00", found[0]),
        source,
        flags=re.S | re.M,
    )
    at, depth = 0, 0
    for number, line in enumerate(blank.split("\n"), 1):
        if depth or "{" in line:
            for pattern, new in IN_C:
                for found in re.finditer(pattern, line):
                    start, end = at + found.start(), at + found.end()
                    if new is None and pattern.startswith("^"):
                        if re.match(r" +(?:[A-Za-z_]\w*[ *]+)+\w+(?:\[.*\])? ?(?:=|;|,)", line):
                            continue  # a declaration
                        text = found[1] + ";"
                    else:
                        text = str(int(found[0]) + 1) if new is None else new
                    yield Mutation(file, number, start, end, source[start:end], text)
        depth += line.count("{") - line.count("}")
        at += len(line) + 1


def mutations(root: Path, file: str) -> list[Mutation]:
    source = (root / file).read_text()
    found = Python(file, source).all() if file.endswith(".py") else in_c(file, source)
    return sorted(found, key=lambda each: (each.start, each.end, each.new))


def is_code(mutation: Mutation, source: str) -> bool:
    """Whether the mutant can be compiled and its bytecode differs; of C, the compiler decides."""
    if mutation.file.endswith(".py"):
        try:
            return not same(compiled(source), compile(mutation.apply(source), "", "exec"))
        except SyntaxError:
            return False
    return True


@cache
def compiled(source: str) -> CodeType:
    return compile(source, "", "exec")
