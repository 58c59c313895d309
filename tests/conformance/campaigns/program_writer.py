"""Writes random whole programs: Python source generated from a seed.

A program has loops, branches, lists, dicts, closures, helpers, nested derivatives and one or several
outputs. Branches depend only on numbers that every precision represents exactly, so rounding cannot
flip them.
"""

import random
import re
from dataclasses import dataclass
from functools import partial

SMOOTH = [
    *("tanh", "sigmoid", "sin", "cos", "softplus", "silu", "gelu", "atan", "erf", "erfc", "asinh"),
    *("relu", "abs", "neg", "elu", "leaky_relu", "cbrt"),
]
EQUALITY = ["==", "!="]
FOLDS = ["sum", "mean", "logsumexp", "max", "min", "prod"]


@dataclass(frozen=True)
class Case:
    """A program and how to call it: its source, the kind and size of its arguments, its parameters."""

    seed: int
    source: str
    kind: str  # vector: f(x); scalar: f(x); record: f(d); two: f(x, y)
    width: int
    parameters: int

    @property
    def stops(self) -> bool:
        """Whether gradients are stopped somewhere, which finite differences do not notice."""
        return "stop_gradient" in self.source or "no_grad" in self.source

    @property
    def several(self) -> bool:
        """Whether it returns a list or a dict."""
        return re.search(r"return [\[{]", self.source) is not None

    @property
    def compares(self) -> bool:
        """Whether an operator compares inside `where`: only a trace has an operation for that."""
        return re.search(r"c\.where\((?!c\.)", self.source) is not None


class Writer:
    """Writes one program, line by line, tracking what each name holds."""

    def __init__(self, seed: int, special: bool, straight: bool) -> None:
        self.rng = random.Random(seed)
        self.straight = straight  # no Python branch depends on a sample
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.depth = 0
        self.constants = ["0.5", "-1.5", "2.0", "0.25", "3", "1", "0", "-0.0"]
        if special:
            self.constants += ["float('inf')", "-float('inf')", "float('nan')", "5e-324", "-1e-310"]
        self.kind = self.rng.choice(["vector", "scalar", "record", "two"])
        self.width = self.rng.choice([1, 2, 3])
        self.parameters = self.rng.choice([0, 0, 1, 2])
        self.outputs = self.rng.choice(["one", "one", "one", "list", "dict"])
        self.operators = self.rng.random() < 0.5  # `a < b` inside `where`, not `c.less(a, b)`
        vector = [f"x[{i}]" for i in range(self.width)]
        self.exact = {  # names of small numbers with few binary digits, which rounding never changes
            "vector": vector,
            "scalar": ["x"],
            "record": ["d['a']", *(f"d['b'][{i}]" for i in range(self.width))],
            "two": [*vector, "y"],
        }[self.kind]
        self.inputs = list(self.exact)
        self.degree = dict.fromkeys(self.exact, 1)  # in the inputs
        self.numbers = [*self.exact, *(f"w[{i}]" for i in range(self.parameters))]

    def write(self) -> str:
        for _ in range(self.rng.randint(2, 9)):
            self.statement()
        self.emit(self.result(f"{self.number()} + c.tanh({self.expression()}) * 0.25 + {self.input()}"))
        signature = {"record": "d", "two": "x, y"}.get(self.kind, "x")
        helpers = [
            "def scaled(a, b, by=0.5):\n    return c.tanh(a) * by + b\n",
            "def clipped(a, low=-1.0):\n    return c.clip(a, low, 1.5)\n",
            "def nearest(numbers, to):\n    return min(numbers, key=lambda z: abs(z - to))\n",
        ]
        used = [text for text in helpers if f"{text[4:11]}" in "\n".join(self.lines)]
        return "\n".join([*used, f"def program({signature}):", *self.lines]) + "\n"

    def result(self, first: str) -> str:
        """The return statement, with as many outputs as all others."""
        if self.outputs == "list":
            return f"return [{first}, {self.number()}]"
        if self.outputs == "dict":
            return f"return {{'p': {first}, 'q': [{self.number()}, {self.number()}]}}"
        return f"return {first}"

    # names, numbers and conditions

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def new(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def input(self) -> str:
        return self.rng.choice(self.inputs)

    def number(self) -> str:
        return self.rng.choice(self.numbers[-6:] + self.numbers)

    def constant(self) -> str:
        return self.rng.choice(self.constants)

    def exactly(self) -> tuple[str, int]:
        """An expression that is computed without rounding, and its degree."""
        a, b = self.rng.choice(self.exact), self.rng.choice(self.exact)
        kind = self.rng.random()
        if kind < 0.4:
            return a, self.degree[a]
        if kind < 0.75:
            return f"({a} {self.rng.choice('+-')} {b})", max(self.degree[a], self.degree[b])
        if kind < 0.85:
            return f"abs({a})", self.degree[a]
        if self.degree[a] + self.degree[b] <= 4:
            return f"({a} * {b})", self.degree[a] + self.degree[b]
        return a, self.degree[a]

    def condition(self) -> str:
        """A condition that is true or false about equally often: inputs are small multiples of 1/2."""
        if self.straight:
            return f"{self.edge()} {self.rng.choice(['<', '<=', '==', '!='])} {self.edge()}"
        sides = [self.exactly()[0], self.exactly()[0] if self.rng.random() < 0.5 else self.edge()]
        if self.rng.random() < 0.2:
            self.rng.shuffle(sides)
        sign = self.rng.choice(["<", "<=", ">", ">=", *EQUALITY])
        text = f"{sides[0]} {sign} {sides[1]}"
        if self.rng.random() < 0.15:
            return f"{text} {self.rng.choice(['and', 'or'])} {self.exactly()[0]} < {self.edge()}"
        return f"not {text}" if self.rng.random() < 0.05 else text

    def about(self, name: str) -> str:
        """A condition on one number, unless branches must not depend on samples."""
        sign = self.rng.choice(["<", ">", "<=", ">=", *EQUALITY])
        return self.condition() if self.straight else f"{name} {sign} {self.edge()}"

    def comparison(self) -> str:
        """A condition for `where`: a comparison, which is a Value during compilation."""
        a, b = self.exactly()[0], self.edge()
        if self.operators:
            return f"{a} {self.rng.choice(['<', '<=', '>', '>=', *EQUALITY])} {b}"
        return f"c.{self.rng.choice(['less', 'less_equal', 'equal'])}({a}, {b})"

    def edge(self) -> str:
        return self.rng.choice(["0.5", "0", "1.0", "-0.5", "2"])

    def expression(self, depth: int = 0) -> str:
        rng = self.rng
        if depth > 2 or rng.random() < 0.25:
            return self.number() if rng.random() < 0.85 else self.constant()
        inner = partial(self.expression, depth + 1)
        some = [self.expression(depth + 2) for _ in range(rng.randint(1, 4))]
        half = some[: len(some) // 2 or 1]
        return rng.choice(
            [
                lambda: f"({inner()} {rng.choice('+-*')} {inner()})",
                lambda: f"({inner()} {rng.choice('+-*')} {inner()})",
                lambda: f"c.{rng.choice(SMOOTH)}({inner()})",
                lambda: f"c.{rng.choice(SMOOTH)}({inner()})",
                lambda: f"({inner()} / (2.0 + c.abs({inner()})))",
                lambda: f"c.{rng.choice(['sqrt', 'log'])}(1.0 + ({self.number()})**2)",
                lambda: f"c.exp(c.clip({inner()}, -2.0, 1.0))",
                lambda: f"({self.number()})**{rng.choice([0, 1, 2, 3])}",
                lambda: (
                    f"c.{rng.choice(['maximum', 'minimum', 'hypot', 'atan2'])}({inner()}, {inner()})"
                ),
                lambda: f"c.where({self.comparison()}, {inner()}, {inner()})",
                lambda: f"c.{rng.choice(FOLDS)}([{', '.join(some)}])",
                lambda: f"c.dot([{', '.join(half)}], [{', '.join(reversed(half))}])",
                lambda: f"c.softmax([{', '.join(some)}])[{rng.randrange(len(some))}]",
                lambda: f"c.stop_gradient({self.number()})",
                lambda: f"sum([{', '.join(some)}])",
                lambda: f"scaled({inner()}, {inner()})",
                lambda: f"scaled({inner()}, {inner()}, by={self.number()})",
                lambda: f"clipped({inner()})",
            ]
        )()

    # statements

    def statement(self) -> None:
        kinds = [self.assign, self.choose, self.close, self.take, self.differentiate, self.simplify]
        kinds += [self.collect, self.look_up, self.untracked]
        if not self.straight:
            kinds += [self.sort, self.extreme]
        if self.depth < 2:
            kinds += [self.branch, self.branch, self.repeat, self.walk]
            kinds += [] if self.straight else [self.shrink_down]
        self.rng.choice(kinds)()

    def assign(self) -> None:
        name, text = self.new(), self.expression()
        self.emit(f"{name} = {text}")
        self.numbers.append(name)

    def simplify(self) -> None:
        name, (text, degree) = self.new(), self.exactly()
        self.emit(f"{name} = {text}")
        self.exact.append(name)
        self.numbers.append(name)
        self.degree[name] = degree

    def block(self, head: str, *lines: str) -> None:
        """Emit lines, and possibly another statement, in a scope of their own."""
        self.emit(head)
        self.indent += 1
        self.depth += 1
        known = list(self.numbers), list(self.exact)
        for line in lines:
            self.emit(line)
        if self.rng.random() < 0.25:
            self.statement()
        self.numbers, self.exact = known
        self.indent -= 1
        self.depth -= 1

    def branch(self) -> None:
        name = self.new()
        self.emit(f"{name} = {self.expression(2)}")
        self.block(f"if {self.condition()}:", f"{name} = {self.expression()}")
        if self.rng.random() < 0.2:
            self.block(f"elif {self.condition()}:", f"{name} = {name} * {self.number()}")
        if self.rng.random() < 0.6:
            self.block("else:", f"{name} = {name} - {self.expression()}")
        self.numbers.append(name)
        if self.rng.random() < 0.1:
            self.block(f"if {self.condition()}:", self.result(f"{name} + {self.input()}"))

    def choose(self) -> None:
        name = self.new()
        self.emit(f"{name} = {self.expression()} if {self.condition()} else {self.expression()}")
        self.numbers.append(name)

    def repeat(self) -> None:
        name, index = self.new(), self.new()
        self.emit(f"{name} = {self.expression(2)}")
        end = self.rng.choice(["", f"if {self.condition()}: break", f"if {index} == 1: continue"])
        lines = [f"{name} = c.tanh({name}) + {self.expression(1)} * 0.5"]
        self.block(f"for {index} in range({self.rng.randint(0, 4)}):", *([end] if end else []), *lines)
        self.numbers.append(name)

    def walk(self) -> None:
        """Emit a loop over numbers and their indices."""
        name, index, each = self.new(), self.new(), self.new()
        items = ", ".join(self.exactly()[0] for _ in range(self.rng.randint(1, 4)))
        self.emit(f"{name} = {self.constant()}")
        test = f"if {self.about(each)}: continue"
        add = f"{name} = {name} + {each} * ({index} + 1) * {self.number()}"
        self.block(f"for {index}, {each} in enumerate([{items}]):", test, add)
        self.numbers.append(name)

    def shrink_down(self) -> None:
        """Emit a while loop whose end depends on the inputs."""
        name, steps, (start, degree) = self.new(), self.new(), self.exactly()
        self.emit(f"{name}, {steps} = {start}, 0")
        self.emit(f"while {name} > {self.edge()} and {steps} < 5:")
        self.emit(f"    {name} = {name} - {self.rng.choice(['0.5', '1', '2.0'])}")
        self.emit(f"    {steps} += 1")
        self.numbers += [name, steps]
        self.exact.append(name)
        self.degree[name] = degree

    def sort(self) -> None:
        name, items = self.new(), [self.exactly()[0] for _ in range(self.rng.randint(2, 3))]
        more = self.rng.choice(["", ", reverse=True", ", key=lambda z: -z", ", key=abs"])
        self.emit(f"{name} = sorted([{', '.join(items)}]{more})")
        self.numbers.append(f"{name}[{self.rng.randrange(len(items))}]")

    def extreme(self) -> None:
        name, items = self.new(), ", ".join(self.exactly()[0] for _ in range(self.rng.randint(2, 3)))
        call = self.rng.choice(
            [f"max([{items}])", f"min({items})", f"nearest([{items}], {self.edge()})"]
        )
        self.emit(f"{name} = {call}")
        self.numbers.append(name)

    def close(self) -> None:
        """Emit a closure over the names so far, called twice."""
        name, function = self.new(), self.new()
        self.emit(f"def {function}(a, b={self.expression(2)}):")
        self.emit(f"    if {self.condition()}:")
        self.emit(f"        return a * {self.number()} + b")
        self.emit(f"    return a - c.tanh(b) * {self.number()}")
        self.emit(f"{name} = {function}({self.number()}) + {function}({self.number()}, {self.number()})")
        self.numbers.append(name)

    def collect(self) -> None:
        name, each = self.new(), self.new()
        items = ", ".join(self.exactly()[0] for _ in range(self.rng.randint(1, 4)))
        test = self.about(each)
        body = self.rng.choice([each, f"{each} * {self.number()}", f"c.sin({each})"])
        self.emit(f"{name} = sum({body} for {each} in [{items}] if {test})")
        self.numbers.append(name)

    def look_up(self) -> None:
        """Emit a dict that holds a growing list."""
        name = self.new()
        self.emit(f"{name} = {{'u': {self.expression(1)}, 'v': [{self.expression(2)}]}}")
        self.emit(f"{name}['v'].append({self.expression(2)})")
        if self.rng.random() < 0.5:
            self.block(f"if {self.condition()}:", f"{name}['u'] = {name}['v'][-1]")
        self.numbers += [f"{name}['u']", f"{name}['v'][{self.rng.randrange(2)}]"]

    def take(self) -> None:
        name, size = self.new(), self.rng.randint(1, 4)
        items = ", ".join(self.expression(2) for _ in range(size))
        places = [f"{self.rng.randrange(size)}.0" for _ in range(2)]
        self.emit(f"{name} = c.take([{items}], c.where({self.comparison()}, {', '.join(places)}))")
        self.numbers.append(name)

    def differentiate(self) -> None:
        """Emit a nested derivative, sometimes at a constant."""
        name, at = self.new(), self.number() if self.rng.random() < 0.85 else self.constant()
        inside = f"c.tanh(z) * {self.number()} + z * z"
        branched = f"(z if {self.condition()} else c.sin(z)) * {self.number()} + z * z"
        text = self.rng.choice(
            [
                f"c.grad(lambda z: {inside})({at})",
                f"c.grad(lambda z: {branched})({at})",
                f"c.value_and_grad(lambda z: {inside})({at})[0]",
                f"c.grad(c.grad(lambda z: {inside}))({at})",
                f"c.jvp(lambda z: {inside}, ({at},), (1.0,))[1]",
                f"c.hessian(lambda z: c.sin(z[0]) * z[1] + z[0] * z[0])([{at}, {self.number()}])[0][1]",
                f"c.jacobian(lambda z: [{inside}, z * 2.0])({at})[0]",
                f"c.hvp(lambda z: {inside}, ({at},), (0.5,))",
            ]
        )
        self.emit(f"{name} = {text}")
        self.numbers.append(name)

    def untracked(self) -> None:
        name = self.new()
        if self.rng.random() < 0.8:
            self.emit(f"{name} = c.stop_gradient({self.expression(1)})")
        else:
            self.emit("with c.no_grad():")
            self.emit(f"    {name} = {self.expression(1)}")
        self.numbers.append(name)


def make(seed: int) -> Case:
    """Generate the program for a seed. Every fifth may contain infinities, NaN and subnormal numbers.

    In every fourth program, no branch depends on a sample, so it has one path.
    """
    writer = Writer(seed, special=seed % 5 == 4, straight=seed % 4 == 3)
    return Case(seed, writer.write(), writer.kind, writer.width, writer.parameters)
