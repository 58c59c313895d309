#!/usr/bin/env bash
# Runs a command of Python's on a core built with sanitizers:
#
#     tools/sanitize.sh address,undefined -m pytest tests/unit
#     tools/sanitize.sh thread -m tests.campaigns.threads
#
# Leak detection is off, because CPython does not free all its memory at exit;
# tests/unit/engine/test_memory.py checks for leaks instead.
set -euo pipefail
cd "$(dirname "$0")/.."
export CHAINRULE_SANITIZE=$1
shift

venv=.venv-${CHAINRULE_SANITIZE%%,*}
python=$venv/bin/python
test -x "$python" || "${PYTHON:-python3}" -m venv "$venv"
"$python" -m pip install --quiet --upgrade pip
# A copy, not --editable, so that the checkout's ordinary build is left alone.
rm -rf build
"$python" -m pip install --quiet '.[dev]'
rm -rf build

libraries=
for sanitizer in ${CHAINRULE_SANITIZE//,/ }; do
  library=lib${sanitizer:0:1}san.so
  test "$sanitizer" != undefined || library=libubsan.so
  libraries+=" $("${CC:-cc}" -print-file-name="$library")"
done
core=$("$python" -c 'import importlib.util as u; print(u.find_spec("chainrule").submodule_search_locations[0])')/_core*.so
[[ $(nm -D $core) == *__[at]san_* ]] || { echo "The core is not instrumented."; exit 1; }

export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
# A fork of a process with threads gets threads of its own, which is tested too.
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:die_after_fork=0
export PYTHONMALLOC=malloc CHAINRULE_CORE=c LD_PRELOAD=$libraries
exec setarch --addr-no-randomize "$python" "$@"
