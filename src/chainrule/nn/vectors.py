"""Linear, Embedding, LayerNorm and Dropout: PyTorch's layers, for one sample at a time.

They have PyTorch's names, arguments, initialisation and arithmetic. A vector is a list of numbers; a
matrix of parameters is a list of rows, such as `weight[i][j]`.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .. import functional as F
from ..compiler import TraceError
from ..support.errors import user_line
from ..support.tree import flatten, unflatten
from ..value import Value, modes
from .layers import as_inputs, as_list, generator, positive
from .module import Module

Vector = list[Value]
Matrix = list[list[Value]]


class TorchLayer(Module, ABC):
    """A layer that PyTorch has too. Its settings are the arguments that both constructors take."""

    defaults: ClassVar[dict[str, Any]] = {}  # of the settings that may be left out

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The constructor's arguments."""

    def extra_repr(self) -> str:
        shown = {name: x for name, x in self.settings().items() if self.defaults.get(name, ...) != x}
        return ", ".join(
            f"{name}={x!r}" if name in self.defaults else f"{x}" for name, x in shown.items()
        )


def uniform(size: int, seed: int | random.Random | None) -> Callable[[], Value]:
    """Draws parameters from -1/√size to 1/√size, as PyTorch does."""
    rng, limit = generator(seed), 1.0 / math.sqrt(size)
    return lambda: Value(rng.uniform(-limit, limit))


def affine(weight: Matrix, x: Sequence[Any], bias: Vector | None) -> list[Any]:
    """weight · x + bias."""
    products = [F.dot(row, x) for row in weight]
    return products if bias is None else [p + b for p, b in zip(products, bias, strict=True)]


class Linear(TorchLayer):
    """weight · x + bias, as a list, even of one number."""

    defaults: ClassVar[dict[str, Any]] = {"bias": True}

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        seed: int | random.Random | None = None,
    ) -> None:
        self.in_features: int = positive("in_features", in_features)
        self.out_features: int = positive("out_features", out_features)
        draw = uniform(self.in_features, seed)
        self.weight: Matrix = [[draw() for _ in range(in_features)] for _ in range(out_features)]
        self.bias: Vector | None = [draw() for _ in range(out_features)] if bias else None

    def settings(self) -> dict[str, Any]:
        bias = self.bias is not None
        return {"in_features": self.in_features, "out_features": self.out_features, "bias": bias}

    def forward(self, x: Any) -> list[Any]:
        return affine(self.weight, as_inputs("Linear", self.in_features, x), self.bias)


class Embedding(TorchLayer):
    """The row of a table at an index, or a list of rows for a list of indices."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, *, seed: int | random.Random | None = None
    ) -> None:
        self.num_embeddings: int = positive("num_embeddings", num_embeddings)
        self.embedding_dim: int = positive("embedding_dim", embedding_dim)
        rng = generator(seed)
        self.weight: Matrix = [
            [Value(rng.gauss(0.0, 1.0)) for _ in range(embedding_dim)] for _ in range(num_embeddings)
        ]

    def settings(self) -> dict[str, Any]:
        return {"num_embeddings": self.num_embeddings, "embedding_dim": self.embedding_dim}

    def forward(self, input: Any) -> list[Any]:
        indices = as_list(input)
        if indices is input:
            return [self.forward(index) for index in indices]
        return list(F.take(self.weight, indices[0]))


class LayerNorm(TorchLayer):
    """(x - mean) / √(variance + eps) · weight + bias, over one list of numbers."""

    defaults: ClassVar[dict[str, Any]] = {"eps": 1e-5, "elementwise_affine": True, "bias": True}

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        shape: Any = normalized_shape
        sizes = list(shape) if hasattr(shape, "__len__") else [shape]
        if len(sizes) != 1:
            raise ValueError(
                f"LayerNorm normalises one list of numbers: expected its length, got {sizes}"
            )
        size = positive("normalized_shape", sizes[0])
        self.normalized_shape: tuple[int, ...] = (size,)
        self.eps: float = float(eps)
        self.weight: Vector | None = [Value(1.0) for _ in range(size)] if elementwise_affine else None
        has_bias = elementwise_affine and bias
        self.bias: Vector | None = [Value(0.0) for _ in range(size)] if has_bias else None

    def settings(self) -> dict[str, Any]:
        (size,), affine = self.normalized_shape, self.weight is not None
        bias = self.bias is not None or not affine  # without weights there is no bias either
        return {"normalized_shape": size, "eps": self.eps, "elementwise_affine": affine, "bias": bias}

    def forward(self, x: Any) -> list[Any]:
        (size,) = self.normalized_shape
        x = as_inputs("LayerNorm", size, x)
        mean = F.mean(x)
        centred = [v - mean for v in x]
        scale = F.div(1.0, F.sqrt(F.mean([v * v for v in centred]) + self.eps))
        y = [v * scale for v in centred]
        if self.weight is not None:
            y = [v * w for v, w in zip(y, self.weight, strict=True)]
        return y if self.bias is None else [v + b for v, b in zip(y, self.bias, strict=True)]


class Dropout(TorchLayer):
    """In training mode, zeros each number with probability p and divides the others by 1 - p.

    It draws from the `random` module, so `random.seed(0)` makes a run reproducible. In evaluation mode
    it returns its input.
    """

    def __init__(self, p: float = 0.5) -> None:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p is a probability, from 0 to 1, got {p}")
        self.p: float = float(p)

    def settings(self) -> dict[str, Any]:
        return {"p": self.p}

    def forward(self, x: Any) -> Any:
        if not self.training or self.p == 0.0:
            return x
        if modes().tracing:
            raise TraceError(
                f"Dropout in training mode inside a compiled function would drop the same numbers at "
                f"every call, at {user_line()}: call model.eval(), or train with engine='eager'"
            )
        scale = 1.0 / (1.0 - self.p) if self.p < 1.0 else 0.0
        numbers, rebuild = flatten(x)
        return unflatten(rebuild, [v * (scale if random.random() >= self.p else 0.0) for v in numbers])
