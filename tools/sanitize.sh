#!/usr/bin/env bash
# Runs the suite on a core built with the address and undefined-behaviour sanitizers.
# CPython keeps memory until it exits, so tests/unit/engine/test_memory.py checks for leaks instead.
set -euo pipefail
cd "$(dirname "$0")/.."

python=.venv-sanitize/bin/python
test -x "$python" || "${PYTHON:-python3}" -m venv .venv-sanitize
"$python" -m pip install --quiet --upgrade pip
# A copy, not --editable, so that the checkout's ordinary build is left alone.
CHAINRULE_SANITIZE=1 "$python" -m pip install --quiet --force-reinstall --no-deps .
"$python" -m pip install --quiet '.[dev]'
rm -rf build

cc=${CC:-cc}
LD_PRELOAD="$("$cc" -print-file-name=libasan.so) $("$cc" -print-file-name=libubsan.so)"
export LD_PRELOAD
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
export PYTHONMALLOC=malloc CHAINRULE_CORE=c CHAINRULE_SANITIZE=1
exec "$python" -m pytest -p no:cacheprovider "$@"
