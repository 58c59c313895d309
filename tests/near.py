"""`near` compares numbers that may differ by rounding.

`assert found == near(expected, rel=1e-14)`. There are no default tolerances: `pytest.approx` also
accepts an absolute error of 1e-12, so it would accept 0 in place of 4e-18.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


class near:
    """Compares equal to a number close to `expected`, or to a container of such numbers.

    Lists, tuples, dicts and arrays must have the same structure as `expected`. A number passes if it
    is within any of the given tolerances: `rel` times the expected number, `ulps` units in its last
    place, or `abs`.
    """

    __array_ufunc__ = None  # `array == near(...)` calls __eq__ once, not once per element
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        expected: Any,
        *,
        rel: float = 0.0,
        ulps: float = 0.0,
        abs: float = 0.0,
        nan_ok: bool = False,
    ) -> None:
        if not (rel or ulps or abs):
            raise TypeError("near needs a tolerance: rel=, ulps= or abs=; use == for exact equality")
        self.expected, self.rel, self.ulps, self.abs, self.nan_ok = expected, rel, ulps, abs, nan_ok
        self.differences: list[str] = []

    def __eq__(self, found: object) -> bool:
        self.differences = list(self.compare("", found, self.expected))
        return not self.differences

    def __repr__(self) -> str:
        given = {"rel": self.rel, "ulps": self.ulps, "abs": self.abs}
        tolerances = ", ".join(f"{name}={x!r}" for name, x in given.items() if x)
        what = self.differences[:5] or [repr(self.expected)]
        return f"near({'; '.join(what)}; {tolerances})"

    def compare(self, place: str, found: Any, expected: Any) -> Iterator[str]:
        """Describe each difference and where it is."""
        if isinstance(expected, Mapping):
            if not isinstance(found, Mapping) or found.keys() != expected.keys():
                yield f"{place or 'the result'} should have the keys {list(expected)}"
                return
            for key in expected:
                yield from self.compare(f"{place}[{key!r}]", found[key], expected[key])
        elif isinstance(expected, list | tuple) or np.ndim(expected) > 0:
            length = len(found) if hasattr(found, "__len__") else None
            if length != len(expected):
                yield f"{place or 'the result'} has length {length}, not {len(expected)}"
                return
            for i, (a, b) in enumerate(zip(found, expected, strict=True)):
                yield from self.compare(f"{place}[{i}]", a, b)
        elif np.ndim(found) > 0:
            yield f"{place or 'the result'} should be one number"
        elif not self.same(float(found), float(expected)):
            yield f"{place} {float(found)!r} should be {float(expected)!r}".lstrip()

    def same(self, found: float, expected: float) -> bool:
        if math.isnan(expected):
            return self.nan_ok and math.isnan(found)
        if not math.isfinite(expected) or not math.isfinite(found):
            return found == expected
        slack = max(self.rel * abs(expected), self.ulps * math.ulp(expected), self.abs)
        return abs(found - expected) <= slack
