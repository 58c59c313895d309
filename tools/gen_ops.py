"""Writes the files generated from the table in src/chainrule/ops.py: C headers and type stubs.

Each formula is run once on symbols instead of numbers, and the recorded operations are written as C;
so are the rules that rewrite formulas. Run it with `make regen`; a test compares the committed files
with its output.
"""

from __future__ import annotations

from pathlib import Path

import derivatives_c
import folds_c
import rewrites_c
import scalar_c
import simd_c
import stubs
from symbols import ROOT, code

from chainrule import ops

NOTE = "/* Generated from src/chainrule/{} by tools/gen_ops.py: do not edit. */\n\n"
TABLE, RULES = NOTE.format("ops.py"), NOTE.format("support/formulas/rewrites.py")


def codes() -> str:
    """The number of each operation."""
    lines = ["enum {", *(f"    {code(op)} = {i}," for i, op in enumerate(ops.TABLE, 1))]
    return "\n".join([*lines, f"    OP_END = {len(ops.TABLE) + 1}", "};"]) + "\n"


def generate() -> dict[Path, str]:
    """Every generated file and its content."""
    generated = ROOT / "src" / "_core" / "generated"
    return {
        generated / "ops_codes.h": TABLE + guarded("CODES", codes()),
        generated / "ops_scalar.h": TABLE + scalar_c.generate(),
        generated / "ops_simd.h": TABLE + simd_c.generate(),
        generated / "ops_map.h": TABLE + simd_c.generate_map(),
        generated / "ops_folds.h": TABLE + folds_c.generate(),
        generated / "derivatives.h": TABLE + derivatives_c.generate(),
        generated / "rewrites.h": RULES + rewrites_c.generate(),
        stubs.PACKAGE / "functional.pyi": stubs.functional(),
        stubs.PACKAGE / "_core.pyi": stubs.methods(),
    }


def guarded(name: str, text: str) -> str:
    return f"#ifndef CHAINRULE_{name}_H\n#define CHAINRULE_{name}_H\n\n{text}\n#endif\n"


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text)
        print(f"wrote {path.relative_to(ROOT)}")
