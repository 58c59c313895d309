"""Random programs with shared subexpressions, run on both cores and on PyTorch.

A program is plain data, so each engine replays the same steps. Steps with an extreme value or slope
are skipped, because PyTorch's kernels differ there by more than rounding. `python -m
tests.conformance.campaigns.random_graphs COUNT SEED` runs a campaign.
"""

import math
import multiprocessing
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from chainrule import engine, ops
from chainrule.support import graph
from chainrule.value import c_core

Operand = int | float  # the index of an earlier step, or a constant

UNARY = [op for op in ops.TABLE if op.arity == 1]
BINARY = [op for op in ops.TABLE if op.arity == 2]
VARIADIC = [op for op in ops.TABLE if isinstance(op, ops.Variadic)]
WHERE = ops.where
ARITHMETIC = [ops.add, ops.sub, ops.mul, ops.div, ops.neg]


@dataclass
class Program:
    """The values of the leaves, then the steps, each an operation's name and its operands."""

    leaves: list[float]
    steps: list[tuple[str, list[Operand]]]


def make(rng: random.Random, cls: Any) -> Program:
    """Build a program of 2 to 200 steps, trying each step on Values of one core."""
    program = Program([rng.uniform(-2, 2) for _ in range(rng.randint(1, 6))], [])
    values = [cls(x) for x in program.leaves]
    size = rng.randint(2, 200)
    for _ in range(10 * size):
        if len(program.steps) == size:
            break
        op, operands = choose(rng, len(values))
        args = [values[x] if isinstance(x, int) else x for x in operands]
        if not any(isinstance(x, int) for x in operands):
            continue
        out = op(*args)
        if op is WHERE and not clear_condition(program, operands[0], args[0]):
            continue
        if abs(out.data) < 50 and tame(op, [a.data if isinstance(a, cls) else a for a in args]):
            values.append(out)
            program.steps.append((op.name, operands))
    return program


def choose(rng: random.Random, known: int) -> tuple[ops.Op, list[Operand]]:
    def operand() -> Operand:
        if rng.random() < 0.15:
            return rng.uniform(-2, 2)
        return rng.randrange(known) if rng.random() < 0.5 else max(0, known - 1 - rng.randrange(4))

    kind = rng.random()
    if kind < 0.45:
        op = rng.choice(ARITHMETIC)
    elif kind < 0.75:
        op = rng.choice(UNARY)
    elif kind < 0.9:
        op = rng.choice(BINARY)
    elif kind < 0.95:
        op = WHERE
    elif kind < 0.955:
        op = ops.with_partial
    else:
        op = rng.choice(VARIADIC)
    count = 2 * rng.randint(1, 5) if isinstance(op, ops.Variadic) else op.arity
    return op, [operand() for _ in range(count)]


def clear_condition(program: Program, operand: Operand, condition: Any) -> bool:
    """Whether a condition is a comparison or a number far from 0, so that rounding cannot flip it."""
    step = operand - len(program.leaves) if isinstance(operand, int) else -1
    if step >= 0 and program.steps[int(step)][0] in ("less", "less_equal", "equal"):
        return True
    return abs(condition.data if hasattr(condition, "data") else condition) > 1e-6


def tame(op: ops.Op, args: list[float]) -> bool:
    """Whether a step stays away from domain boundaries, kinks and steep slopes."""
    low, high = op.domain
    if args and not low + 1e-3 < args[0] < high - 1e-3:
        return False
    if op.kink is not None and abs(op.kink(*args)) < 1e-6:
        return False
    if op.name in ("less", "less_equal", "equal"):
        return abs(args[0] - args[1]) > 1e-6
    if op.name == "pow":
        return args[0] > 0.05
    if op.name in ("div", "fmod", "remainder", "floor_divide"):
        return abs(args[1]) > 0.05
    if op.name in ("xlogy", "xlog1py", "zeta"):
        return args[1] > 0.05
    if op.name in ("lgamma", "digamma"):
        return args[0] > 0.05 or abs(args[0] - round(args[0])) > 0.05
    if op.name == "cbrt":
        return abs(args[0]) > 1e-3
    return True


def run(
    program: Program, make_leaf: Callable[[float], Any], apply: Callable[[str, list[Any]], Any]
) -> list[Any]:
    values = [make_leaf(x) for x in program.leaves]
    for name, operands in program.steps:
        values.append(apply(name, [values[x] if isinstance(x, int) else x for x in operands]))
    return values


def run_core(program: Program, cls: Any) -> tuple[list[str], list[str]]:
    """Run a program; returns the data and the gradients of every step, as hexadecimal text."""
    values = run(program, cls, lambda name, args: ops.BY_NAME[name](*args))
    values[-1].backward()
    return [v.data.hex() for v in values], [v.grad.hex() for v in values]


def sensitivity(program: Program, values: list[Any]) -> list[float]:
    """For each leaf, the sum of |contributions| over all paths, as the scale of rounding errors."""
    size = {values[-1]: 1.0}
    for node in reversed(graph.topological(values[-1])):
        if node not in size or not node.inputs:
            continue
        data = [v.data for v in node.inputs]
        slopes = graph.row(node).derivatives(data, node.data, [True] * len(data))
        for child, slope in zip(node.inputs, slopes, strict=True):
            if slope is not None:
                size[child] = size.get(child, 0.0) + size[node] * abs(slope)
    return [size.get(v, 0.0) for v in values[: len(program.leaves)]]


def run_torch(program: Program, torch: Any) -> tuple[list[float], list[float]]:
    """Run the program on PyTorch in float64; returns all values, and the gradients of the leaves."""
    functions = torch_functions(torch)
    leaves: list[Any] = []

    def leaf(x: float) -> Any:
        leaves.append(torch.tensor(x, dtype=torch.float64, requires_grad=True))
        return leaves[-1]

    def apply(name: str, args: list[Any]) -> Any:
        tensors = [
            a if isinstance(a, torch.Tensor) else torch.tensor(a, dtype=torch.float64) for a in args
        ]
        return functions.get(name, getattr(torch, name, None))(*tensors)

    values = run(program, leaf, apply)
    if values[-1].requires_grad:
        values[-1].backward()
    grads = [0.0 if x.grad is None else x.grad.item() for x in leaves]
    return [v.item() for v in values], grads


def torch_functions(torch: Any) -> dict[str, Callable[..., Any]]:
    """The operations that PyTorch spells differently."""
    functional = torch.nn.functional
    stack = torch.stack

    def dot(*args: Any) -> Any:
        n = len(args) // 2
        return (stack(args[:n]) * stack(args[n:])).sum()

    return {
        "pos": lambda x: x * 1.0,
        "stop_gradient": lambda x: x.detach(),
        "with_partial": lambda y, x, partial: y + (x - x.detach()) * partial.detach(),
        "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
        "less": lambda x, y: (x < y).double(),
        "less_equal": lambda x, y: (x <= y).double(),
        "equal": lambda x, y: (x == y).double(),
        "where": lambda c, x, y: torch.where(c != 0, x, y),
        "leaky_relu": lambda x, a: torch.where(x > 0, x, a * x),
        "elu": lambda x, a: torch.where(x > 0, x, a * torch.expm1(x)),
        "floor_divide": lambda x, y: torch.floor(x / y),
        "xlog1py": torch.special.xlog1py,
        "zeta": lambda x, q: torch.special.zeta(x.detach(), q),
        "normal_pdf": lambda x: torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi),
        "normal_cdf": torch.special.ndtr,
        "log_normal_cdf": torch.special.log_ndtr,
        "log_sigmoid": functional.logsigmoid,
        "softplus": lambda x: functional.softplus(x, threshold=1e9),
        "silu": functional.silu,
        "gelu": functional.gelu,
        "sum": lambda *xs: stack(xs).sum(),
        "mean": lambda *xs: stack(xs).mean(),
        "prod": lambda *xs: stack(xs).prod(),
        "max": lambda *xs: stack(xs).amax(),
        "min": lambda *xs: stack(xs).amin(),
        "norm": lambda *xs: torch.linalg.vector_norm(stack(xs)),
        "logsumexp": lambda *xs: torch.logsumexp(stack(xs), 0),
        "dot": dot,
    }


def compare(seed: int, torch: Any) -> bool:
    """Run one program on all engines.

    Returns whether PyTorch was compared too, which is not possible where rounding errors explode.
    """
    cls = engine.Value if c_core is None else c_core.Value
    program = make(random.Random(seed), cls)
    assert run_core(program, cls) == run_core(program, engine.Value), f"the cores differ: seed {seed}"
    values = run(program, cls, lambda name, args: ops.BY_NAME[name](*args))
    values[-1].backward()
    scale = sensitivity(program, values)
    if torch is None or not all(math.isfinite(s) and s < 1e6 for s in scale):
        return False
    data, grads = run_torch(program, torch)
    assert abs(values[-1].data - data[-1]) <= 1e-9 * max(1.0, *map(abs, data)), f"value: seed {seed}"
    for v, grad, size in zip(values, grads, scale, strict=False):
        assert abs(v.grad - grad) <= 1e-8 * max(1.0, size), f"gradient: seed {seed}: {v.grad} {grad}"
    return True


CHUNK = 500


def compare_chunk(first: int) -> int:
    import torch

    torch.set_num_threads(1)
    return sum(compare(seed, torch) for seed in range(first, first + CHUNK))


if __name__ == "__main__":
    count, start = int(sys.argv[1]), int(sys.argv[2])
    chunks = range(start, start + count, CHUNK)
    with multiprocessing.Pool() as pool:
        results = pool.imap_unordered(compare_chunk, chunks)
        with_torch = sum(tqdm(results, total=len(chunks), unit=f" x {CHUNK} graphs", mininterval=10))
    done = len(chunks) * CHUNK
    print(f"{done:,} random graphs agree on both cores, {with_torch:,} of them also with PyTorch")
