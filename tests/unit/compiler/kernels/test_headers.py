"""The headers that kernels include: complete, in a checkout and in an installed package."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule
from chainrule import ops
from chainrule.compiler.backends.kernels import cc, headers

from .test_building import SOURCE

ROOT = Path(__file__).resolve().parents[4]


def included(names: set[str]) -> set[str]:
    """These headers and all that they include."""
    texts = headers.texts()
    more = {name for known in names for name in re.findall(r'#include "(.*)"', texts[known])}
    return names if more <= names else included(names | more)


def test_the_list_is_what_kernels_can_include() -> None:
    assert included({"kernel.h", "folds.h", "matrix.h", "ops_codes.h"}) == set(headers.NAMES)


def test_every_operation_has_its_functions() -> None:
    functions = headers.functions()
    rows = [op for op in ops.TABLE if not isinstance(op, ops.Variadic)]
    for op in rows:
        assert functions[f"v_op_{op.name}"] == ("x", "y", "z")[: op.arity]
        for part, formula in enumerate(op.partials):
            assert (headers.partial(op.name, part) is None) == (formula is None)
    partials = sum(formula is not None for op in rows for formula in op.partials)
    assert len(functions) == len(rows) + partials


def test_the_compiler_is_told_not_to_compute_library_calls() -> None:
    """A compiler may round a call with a constant argument differently from the C library."""
    calls = headers.library_calls()
    assert {"tan", "pow", "fmod", "atan2", "sin"} <= set(calls)
    assert "sqrt" not in calls
    flags = cc.Compiler(("cc",)).flags("base")
    assert {f"-fno-builtin-{name}" for name in calls} <= set(flags)


@pytest.mark.parametrize("simd", list(cc.INSTRUCTIONS))
@pytest.mark.parametrize("is_zig", [False, True])
def test_no_machine_s_own_instructions(simd: str, is_zig: bool) -> None:
    flags = " ".join(cc.Compiler(("cc",), is_zig).flags(simd))
    assert "native" not in flags
    assert ("-mcpu=" in flags) == is_zig
    assert ("fma" in flags) == (simd != "base")
    assert ("avx512f" in flags) == (simd == "avx512")


def test_an_installed_package_compiles_kernels(tmp_path: Path) -> None:
    """What `pip install` puts into site-packages, without the checkout beside it."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    skipped = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=skipped)
    installed = tmp_path / "site"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--target",
        str(installed),
        ".",
    ]
    environment = {**os.environ, "CC": "false"}  # the core is there already
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    (core,) = Path(chainrule.__file__).parent.glob("_core.*.so")
    shutil.copy(core, installed / "chainrule")
    copies = installed / "chainrule" / "_headers"
    assert {path.name for path in copies.iterdir()} == set(headers.NAMES)
    code = f"""if True:
        from chainrule.compiler.backends.kernels import building, headers
        made = building.build({SOURCE!r})
        print(headers.include_dirs(), made.wait(), made.error, made.address("run") is not None)
    """
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert (run.stdout, run.stderr) == (f"[{copies!r}] True None True\n", "")


def test_a_copy_without_headers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from chainrule.compiler.backends.kernels import building

    for folder in ("SOURCES", "COPIES"):  # an installed package has copies
        monkeypatch.setattr(headers, folder, tmp_path / "missing")
    assert headers.include_dirs() == []
    assert building.build(SOURCE).error == "the C headers are missing: reinstall chainrule"
