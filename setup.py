"""Builds the C core, and copies the headers that kernels include; everything else is in pyproject.toml.

Without a C compiler the install still succeeds, with the reference core, and says so.
CHAINRULE_SANITIZE=address,undefined (or thread) builds with these sanitizers.
"""

import os
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CCompilerError, ExecError, PlatformError

FLAGS = [
    "-std=c11",
    "-O3",
    "-ffp-contract=off",  # no fused multiply-add: the reference core has none either
    "-fno-math-errno",
    "-fno-builtin-pow",  # clang would call exp2 for pow(2, x), which rounds differently
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",  # Python prescribes what its functions take
]
CORE = Path("src/_core")
SANITIZERS = os.environ.get("CHAINRULE_SANITIZE")
SANITIZE = [f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=undefined", "-g", "-O1"]


class BuildOrExplain(build_ext):
    """Builds the extension if possible, on all processor cores, and otherwise says why not."""

    def build_extensions(self) -> None:
        one_by_one = self.compiler.compile

        def compile(sources: list[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                made = pool.map(lambda source: one_by_one([source], **options), sources)
                return [file for files in made for file in files]

        self.compiler.compile = compile
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except (CCompilerError, ExecError, PlatformError, OSError) as error:
            print(f"\nchainrule: the C core was not built ({error}).", file=sys.stderr)
            print("chainrule: the reference core will be used; it is slower.\n", file=sys.stderr)


class BuildWithHeaders(build_py):
    """Copies the headers, so that an installed package can compile kernels."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        folder = Path(self.build_lib) / "chainrule" / "_headers"
        folder.mkdir(parents=True, exist_ok=True)
        for header in kernel_headers():
            self.copy_file(str(header), str(folder / header.name))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        folder = Path(self.build_lib) / "chainrule" / "_headers"
        copies = [] if self.editable_mode else [str(folder / path.name) for path in kernel_headers()]
        return [*super().get_outputs(include_bytecode), *copies]


def kernel_headers() -> list[Path]:
    names = runpy.run_path("src/chainrule/compiler/backends/kernels/headers.py")["NAMES"]
    return sorted(path for path in CORE.rglob("*.h") if path.name in names)


sanitize = SANITIZE if SANITIZERS else []
core = Extension(
    "chainrule._core",
    sources=sorted(str(path) for path in CORE.rglob("*.c")),
    depends=sorted(str(path) for path in CORE.rglob("*.h")),
    include_dirs=sorted(str(path) for path in CORE.iterdir() if path.is_dir()),
    extra_compile_args=FLAGS + sanitize,
    extra_link_args=sanitize,
    optional=True,
)
setup(ext_modules=[core], cmdclass={"build_ext": BuildOrExplain, "build_py": BuildWithHeaders})
