"""Shared by the C generators: the package that the formulas are in, and the names of its operations."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))
if "chainrule" not in sys.modules:
    os.environ["CHAINRULE_CORE"] = "python"  # the compiled core may still be built from the old table

from chainrule import ops  # noqa: E402
from chainrule.support.formulas.symbols import COMPARISONS, Symbol, free_names, is_test, names  # noqa: E402
from chainrule.support.formulas.writing import C  # noqa: E402

# fmt: off
__all__ = [
    "COMPARISONS", "FIXED", "ROOT", "VARIADIC", "C", "Symbol", "code", "free_names", "is_test",
    "literal", "names",
]
# fmt: on

literal = C.literal


def code(op: ops.Op) -> str:
    return f"OP_{op.name.upper()}"


FIXED = [op for op in ops.TABLE if not isinstance(op, ops.Variadic)]
VARIADIC = [op for op in ops.TABLE if isinstance(op, ops.Variadic)]
