"""Writes an expression, given as a syntax tree, as text, LaTeX or MathML.

This module decides where parentheses are needed and how names, numbers and functions are written; it
does not know what the functions compute. A tree comes from `expressions.parse`, or is built with the
functions at the end of this file; the names in it may then be any text, such as a user's labels.
"""

from __future__ import annotations

import ast
import html
import math
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")

LOOSE, SUM, FRACTION, PRODUCT, POWER, ATOM = range(6)  # precedence, lowest first

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COMPARISONS = {"less": "<", "less_equal": "≤", "equal": "="}
REVERSED = {"<": ">", "≤": "≥", "=": "="}
LETTERS = {unicodedata.name(letter).split()[-1].lower(): letter for letter in "αβγδεζηθκμνξπρστφχψω"}
LATEX_FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"} | {
    name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "max", "min")
}
LATEX_SYMBOLS = {"·": r"\cdot", "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "←": r"\leftarrow"}
LATEX_ESCAPES = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"} | {
    c: "\\" + c for c in "{}$&#_%"
}
DOTS = "…"
NO_BREAK = "&#xA0;"  # browsers do not show trailing plain spaces


class Piece(NamedTuple):
    """A written part of an expression, with its precedence."""

    shown: str
    strength: int = ATOM
    negative: bool = False  # begins with a sign


def plain(x: float) -> str:
    """A number with four significant digits."""
    return f"{x:.4g}"


class Notation(ABC):
    """The rules common to all notations; subclasses define how each part looks."""

    stacked = True  # fractions and powers take two lines

    def __init__(self, number: Callable[[float], str] = plain) -> None:
        self.format = number

    def __call__(self, tree: ast.expr) -> str:
        return self.write(tree).shown

    def write(self, tree: ast.expr) -> Piece:
        if isinstance(tree, ast.Constant):
            return self.number(self.format(float(tree.value)))  # type: ignore[arg-type]
        if isinstance(tree, ast.Name):
            return Piece(self.name(tree.id))
        if isinstance(tree, ast.UnaryOp):
            operand = self.hold(tree.operand, PRODUCT)
            return Piece(
                self.sign("-" if isinstance(tree.op, ast.USub) else "+", operand), PRODUCT, True
            )
        if isinstance(tree, ast.BinOp):
            return self.binary(tree)
        assert isinstance(tree, ast.Call)
        assert isinstance(tree.func, ast.Name)
        return self.call(tree.func.id, tree.args)

    def hold(self, tree: ast.expr, least: int, first: bool = False) -> str:
        """An operand, in parentheses if its precedence is too low."""
        piece = self.write(tree)
        loose = piece.strength < least or (piece.negative and not first)
        return self.parentheses(piece.shown) if loose else piece.shown

    def binary(self, tree: ast.BinOp) -> Piece:
        left, right = tree.left, tree.right
        if isinstance(tree.op, ast.Pow):
            return Piece(self.power(left, right), POWER)
        if isinstance(tree.op, ast.Div):
            return self.fraction(left, right)
        negative = self.write(left).negative
        if isinstance(tree.op, ast.Mult):
            return Piece(self.product([left, right], tight=True), PRODUCT, negative)
        symbol = "+" if isinstance(tree.op, ast.Add) else "-"
        parts = self.hold(left, SUM, first=True), self.hold(right, FRACTION)
        return Piece(self.infix(symbol, parts), SUM, negative)

    def product(self, factors: Sequence[ast.expr], tight: bool) -> str:
        """A product: `tight` inside a formula; on a line of its own, it has spaces around the dots."""
        first = self.hold(factors[0], PRODUCT, first=True)
        others = [self.hold(factor, POWER if tight else PRODUCT) for factor in factors[1:]]
        return self.infix("·" if tight else " · ", [first, *others])

    def call(self, name: str, args: Sequence[ast.expr]) -> Piece:
        if name == "∂":
            return self.derivative(*args)
        if name == "·":
            return Piece(self.product(args, tight=False), PRODUCT, self.write(args[0]).negative)
        if name == "where":
            condition, then, other = args
            return Piece(self.choice(self(then), self.condition(condition), self(other)), LOOSE)
        if name in COMPARISONS:
            return Piece(self.comparison(COMPARISONS[name], *args), LOOSE)
        if name == "sqrt":
            return Piece(self.root(args[0]), POWER)
        if name == "abs":
            return Piece(self.size(self(args[0])))
        if name == "exp" and self.stacked:
            return Piece(self.power(ast.Name("e"), args[0]), POWER)
        return Piece(self.function(name, [self(arg) for arg in args]))

    def condition(self, tree: ast.expr) -> str:
        """A condition. A number can be a condition too: it holds if it is not 0."""
        asks = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
        if asks and tree.func.id in COMPARISONS:  # type: ignore[attr-defined]
            return self(tree)
        return self.comparison("≠", tree, ast.Constant(0.0))

    def comparison(self, symbol: str, left: ast.expr, right: ast.expr) -> str:
        if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
            left, right, symbol = right, left, REVERSED.get(symbol, symbol)  # x > 0, not 0 < x
        parts = [self.hold(side, SUM, first=True) for side in (left, right)]
        return self.infix(symbol, parts)

    def number(self, text: str) -> Piece:
        """A formatted number, with the notation's own minus sign and exponent."""
        digits = text.removeprefix("-").replace("inf", "∞")
        mantissa, exponent, power = digits.partition("e")
        if exponent and self.stacked:
            ten = self.raised(self.digits("10"), self.number(str(int(power))).shown)
            shown = self.infix("·", [self.digits(mantissa), ten])
            piece = Piece(shown, PRODUCT)
        else:
            piece = Piece(self.digits(digits))
        if text.startswith("-"):
            return Piece(self.sign("-", piece.shown), piece.strength, True)
        return piece

    def power(self, base: ast.expr, exponent: ast.expr) -> str:
        return self.raised(self.hold(base, ATOM), self(exponent))

    def sign(self, symbol: str, operand: str) -> str:
        return symbol + operand

    # --- defined by subclasses -------------------------------------------------------------------

    @abstractmethod
    def digits(self, text: str) -> str: ...
    @abstractmethod
    def name(self, name: str) -> str: ...
    @abstractmethod
    def infix(self, symbol: str, parts: Sequence[str]) -> str: ...
    @abstractmethod
    def raised(self, base: str, exponent: str) -> str: ...
    @abstractmethod
    def fraction(self, top: ast.expr, bottom: ast.expr) -> Piece: ...
    @abstractmethod
    def root(self, tree: ast.expr) -> str: ...
    @abstractmethod
    def size(self, shown: str) -> str: ...
    @abstractmethod
    def function(self, name: str, args: Sequence[str]) -> str: ...
    @abstractmethod
    def choice(self, then: str, condition: str, other: str) -> str: ...
    @abstractmethod
    def derivative(self, of: ast.expr, by: ast.expr) -> Piece: ...
    @abstractmethod
    def parentheses(self, shown: str) -> str: ...
    @abstractmethod
    def words(self, text: str) -> str: ...


class Text(Notation):
    """One line of Unicode: 1 - tanh(a·b)², √x, 1 if x > 0, else 0."""

    stacked = False

    def digits(self, text: str) -> str:
        return text.replace("∞", "inf")

    def name(self, name: str) -> str:
        return "π" if name == "pi" else " ".join(clean(name).split())

    def infix(self, symbol: str, parts: Sequence[str]) -> str:
        return ("·" if symbol == "·" else f" {symbol.strip()} ").join(parts)

    def raised(self, base: str, exponent: str) -> str:
        return f"{base}^{exponent}"

    def power(self, base: ast.expr, exponent: ast.expr) -> str:
        number = constant(exponent)
        if number is not None and number.is_integer() and abs(number) < 1000:
            return self.hold(base, ATOM) + str(int(number)).translate(SUPERSCRIPTS)
        return f"{self.hold(base, ATOM)}**{self.hold(exponent, ATOM)}"

    def fraction(self, top: ast.expr, bottom: ast.expr) -> Piece:
        shown = f"{self.hold(top, PRODUCT, first=True)} / {self.hold(bottom, POWER)}"
        return Piece(shown, FRACTION, self.write(top).negative)

    def root(self, tree: ast.expr) -> str:
        simple = isinstance(tree, (ast.Name, ast.Constant)) and not self.write(tree).negative
        return f"√{self(tree)}" if simple else f"√({self(tree)})"

    def size(self, shown: str) -> str:
        return f"|{shown}|"

    def function(self, name: str, args: Sequence[str]) -> str:
        return f"{clean(name)}({', '.join(args)})"

    def choice(self, then: str, condition: str, other: str) -> str:
        return f"{then} if {condition}, else {other}"

    def derivative(self, of: ast.expr, by: ast.expr) -> Piece:
        return Piece("/".join(map(self.differential, (of, by))))

    def differential(self, tree: ast.expr) -> str:
        shown = self(tree)
        if not isinstance(tree, ast.Name) or not shown.isidentifier():
            return f"d({shown})"
        return f"d{shown}" if len(shown) == 1 else f"d {shown}"

    def parentheses(self, shown: str) -> str:
        return f"({shown})"

    def words(self, text: str) -> str:
        return text


class Latex(Notation):
    r"""For $...$ and amsmath: 1 - \tanh\left(a \cdot b\right)^{2}."""

    def digits(self, text: str) -> str:
        return {"∞": r"\infty", "nan": r"\mathrm{NaN}"}.get(text, text)

    def name(self, name: str) -> str:
        if name == DOTS:
            return r"\dots"
        base, index = split(name)
        shown = "\\" + base if base in LETTERS else base if is_letter(base) else self.words(base)
        return f"{shown}_{{{index}}}" if index else shown

    def infix(self, symbol: str, parts: Sequence[str]) -> str:
        return f" {LATEX_SYMBOLS.get(symbol.strip(), symbol.strip())} ".join(parts)

    def raised(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def fraction(self, top: ast.expr, bottom: ast.expr) -> Piece:
        return Piece(f"\\frac{{{self(top)}}}{{{self(bottom)}}}", POWER)

    def root(self, tree: ast.expr) -> str:
        return f"\\sqrt{{{self(tree)}}}"

    def size(self, shown: str) -> str:
        return f"\\left\\lvert {shown} \\right\\rvert"

    def function(self, name: str, args: Sequence[str]) -> str:
        known = LATEX_FUNCTIONS.get(name)
        head = f"\\{known}" if known else f"\\operatorname{{{self.escaped(name)}}}"
        return head + self.parentheses(", ".join(args))

    def choice(self, then: str, condition: str, other: str) -> str:
        rows = f"{then} & \\text{{if }} {condition} \\\\ {other} & \\text{{else}}"
        return f"\\begin{{cases}} {rows} \\end{{cases}}"

    def derivative(self, of: ast.expr, by: ast.expr) -> Piece:
        top, bottom = (f"\\partial {self.hold(part, ATOM)}" for part in (of, by))
        return Piece(f"\\frac{{{top}}}{{{bottom}}}", POWER)

    def parentheses(self, shown: str) -> str:
        return f"\\left({shown}\\right)"

    def words(self, text: str) -> str:
        return f"\\text{{{self.escaped(text)}}}"

    def escaped(self, text: str) -> str:
        return "".join(LATEX_ESCAPES.get(c, c) for c in re.sub(r"\s+", " ", clean(text)))


class MathML(Notation):
    """MathML, which browsers render without a library; `formula` adds the <math> element."""

    def digits(self, text: str) -> str:
        return f"<mn>{'NaN' if text == 'nan' else text}</mn>"

    def name(self, name: str) -> str:
        base, index = split(name)
        shown = f"<mi>{escaped(LETTERS.get(base, base))}</mi>"
        return f"<msub>{shown}<mn>{index}</mn></msub>" if index else shown

    def sign(self, symbol: str, operand: str) -> str:
        return f"<mrow><mo>{symbol.replace('-', '−')}</mo>{operand}</mrow>"

    def infix(self, symbol: str, parts: Sequence[str]) -> str:
        operator = f"<mo>{escaped(symbol.strip().replace('-', '−'))}</mo>"
        return f"<mrow>{operator.join(parts)}</mrow>"

    def raised(self, base: str, exponent: str) -> str:
        return f"<msup>{base}{exponent}</msup>"

    def fraction(self, top: ast.expr, bottom: ast.expr) -> Piece:
        return Piece(f"<mfrac>{self(top)}{self(bottom)}</mfrac>", POWER)

    def root(self, tree: ast.expr) -> str:
        return f"<msqrt>{self(tree)}</msqrt>"

    def size(self, shown: str) -> str:
        return f"<mrow><mo>|</mo>{shown}<mo>|</mo></mrow>"

    def function(self, name: str, args: Sequence[str]) -> str:
        inside = self.parentheses(f"<mrow>{'<mo>,</mo>'.join(args)}</mrow>")
        return f"<mrow><mi>{escaped(name)}</mi><mo>&#x2061;</mo>{inside}</mrow>"

    def choice(self, then: str, condition: str, other: str) -> str:
        first = f"<mtr><mtd>{then}</mtd><mtd><mrow>{self.words('if ')}{condition}</mrow></mtd></mtr>"
        second = f"<mtr><mtd>{other}</mtd><mtd><mtext>else</mtext></mtd></mtr>"
        return f"<mrow><mo>{{</mo><mtable>{first}{second}</mtable></mrow>"

    def derivative(self, of: ast.expr, by: ast.expr) -> Piece:
        top, bottom = (f"<mrow><mo>∂</mo>{self.hold(part, ATOM)}</mrow>" for part in (of, by))
        return Piece(f"<mfrac>{top}{bottom}</mfrac>", POWER)

    def parentheses(self, shown: str) -> str:
        return f"<mrow><mo>(</mo>{shown}<mo>)</mo></mrow>"

    def words(self, text: str) -> str:
        return f"<mtext>{escaped(text)}{NO_BREAK if text.endswith(' ') else ''}</mtext>"


def formula(shown: str, display: str = "inline") -> str:
    """A piece of MathML as a complete <math> element."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{display}">{shown}</math>'


def split(name: str) -> tuple[str, str]:
    """Split a name from its index: `w12` is w with the index 12; most names have no index."""
    found = re.fullmatch(r"([A-Za-z]+)_?([0-9]+)", name)
    return (found[1], found[2]) if found and (is_letter(found[1]) or found[1] in LETTERS) else (name, "")


def is_letter(text: str) -> bool:
    return len(text) == 1 and text.isalpha()


def clean(text: str) -> str:
    """Replace each whitespace character with a space, and characters that could control a terminal,
    reverse text or break XML with U+FFFD.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(" " if c.isspace() else c if _is_harmless(c) else "\ufffd" for c in text)


def _is_harmless(c: str) -> bool:
    """Whether c is not a control, format, private-use or unassigned character or a surrogate.

    One format character is allowed: the zero-width joiner, which occurs in emoji.
    """
    return unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn") or c == "\u200d"


def escaped(text: str) -> str:
    return html.escape(" ".join(clean(text).split()) or " ")


# --- building trees ------------------------------------------------------------------------------


def constant(tree: ast.expr) -> float | None:
    """The number that a tree consists of; None if it is not a number."""
    if isinstance(tree, ast.Constant):
        return float(tree.value)  # type: ignore[arg-type]
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.operand, ast.Constant):
        size = float(tree.operand.value)  # type: ignore[arg-type]
        return -size if isinstance(tree.op, ast.USub) else size
    return None


def call(name: str, args: Sequence[ast.expr]) -> ast.expr:
    """A call. The name '∂' stands for the derivative of the first argument with respect to the second,
    '·' for a product.
    """
    return ast.Call(ast.Name(name), list(args), [])


def joined(operator: ast.operator, parts: Sequence[ast.expr]) -> ast.expr:
    """The parts with an operator between them, from left to right."""
    total = parts[0]
    for part in parts[1:]:
        total = ast.BinOp(total, operator, part)
    return total


def elided(parts: Sequence[T], most: int, tree: Callable[[T], ast.expr]) -> list[ast.expr]:
    """The trees of all parts; if there are more than `most`, the first few, dots and the last."""
    if len(parts) <= most:
        return [tree(part) for part in parts]
    return [*(tree(part) for part in parts[: most - 2]), ast.Name(DOTS), tree(parts[-1])]


def substituted(tree: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """Substitute trees for names, and simplify the result."""
    if isinstance(tree, ast.Name):
        return names.get(tree.id, tree)
    if isinstance(tree, ast.UnaryOp):
        return ast.UnaryOp(tree.op, substituted(tree.operand, names))
    if isinstance(tree, ast.BinOp):
        return simpler(substituted(tree.left, names), tree.op, substituted(tree.right, names))
    if isinstance(tree, ast.Call):
        return ast.Call(tree.func, [substituted(arg, names) for arg in tree.args], [])
    return tree


def simpler(left: ast.expr, op: ast.operator, right: ast.expr) -> ast.expr:
    """Simplify differences of numbers, factors of 1 and exponents of 1: 2 * a**(2 - 1) is 2 * a."""
    a, b = constant(left), constant(right)
    if isinstance(op, ast.Sub) and a is not None and b is not None and math.isfinite(a - b):
        return ast.Constant(a - b)
    if isinstance(op, ast.Mult) and a == 1.0:
        return right
    if isinstance(op, (ast.Pow, ast.Mult)) and b == 1.0:
        return left
    return ast.BinOp(left, op, right)
