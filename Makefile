# make demo | test | lint | bench | fuzz | sanitize | mutate | screenshots | regen | clean
#
# Each target installs what it needs: a virtual environment in .venv, the dependencies, the C core.

PYTHON ?= python3
BIN := .venv/bin
# Optional packages that tests use if they are installed; CI has all of them.
EXTRA := $(if $(CI),torch==2.13.0 jax autograd casadi micrograd xad scipy scikit-learn onnx onnxruntime anywidget \
  pandas polars xarray playwright axe-playwright-python cairosvg matplotlib pyright,)
# A worker that runs out of tests takes some from the others, so all finish together; adjacent tests share fixtures.
# PASSED=FILE leaves out the tests listed in that file, and adds those that pass.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal $(if $(PASSED),--passed='$(PASSED)')
FUZZ ?= 1000000

# These tests do not depend on the core: they test files, pages, formats and text, or start processes that
# choose a core themselves. They run once; everything else, including new files, runs on both cores.
ONCE := tests/browser tests/scale tests/studio tests/conformance/test_simd.py \
  tests/unit/project/test_benchmarks.py tests/unit/project/test_cli.py tests/unit/project/test_docs.py \
  tests/unit/project/test_one_row.py tests/unit/project/test_project.py \
  tests/unit/inspect/test_rules.py tests/unit/viz/test_browser_engine.py tests/unit/viz/test_layout.py \
  $(filter-out tests/learn/test_lessons.py,$(wildcard tests/learn/test_*.py))

.PHONY: demo test test-tiny test-c test-python lint bench fuzz sanitize mutate screenshots regen clean

demo: .venv/installed
	$(BIN)/python -m chainrule.demo

test: test-tiny test-c test-python

# Reports a completely broken build within seconds.
test-tiny: .venv/installed
	$(BIN)/python -m pytest -q tests/test_tiny.py

# The suite on the compiled core. Without a C compiler there is none, and the install says so.
test-c: .venv/installed
	@if $(BIN)/python -c 'import chainrule._core' 2>/dev/null; then \
	  CHAINRULE_CORE=c $(PYTEST); \
	elif [ -n "$(CI)" ] && [ "$(CC)" != false ]; then \
	  echo 'The C core was not built, but CI requires it.'; exit 1; \
	else \
	  echo 'The C core was not built: testing the reference core only.'; \
	fi

# The tests that depend on the core, on the reference core; all tests if there is no other core.
test-python: .venv/installed
	@if $(BIN)/python -c 'import chainrule._core' 2>/dev/null; then \
	  CHAINRULE_CORE=python $(PYTEST) $(addprefix --ignore=,$(ONCE)); \
	else \
	  CHAINRULE_CORE=python $(PYTEST); \
	fi

lint: .venv/installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Installs the peers, measures once and writes docs/benchmarks.md; a missed target is not a failure.
bench: .venv/installed
	$(BIN)/pip install --quiet autograd casadi jax micrograd torch==2.13.0 xad
	$(BIN)/python benchmarks/report.py

# Long campaigns, a day and more; FUZZ=10000 makes them short. docs/reliability.md says what they found.
fuzz: .venv/installed
	$(BIN)/pip install --quiet jax torch==2.13.0
	$(BIN)/python -m tests.conformance.campaigns.accuracy $$(($(FUZZ) / 10))
	$(BIN)/python tests/unit/engine/hostile.py $$(($(FUZZ) / 10)) 0
	$(BIN)/python -m tests.studio.fuzzing $$(($(FUZZ) / 100)) 0
	$(BIN)/python -m tests.conformance.campaigns.compiled_graphs $$(($(FUZZ) / 10)) 0
	$(BIN)/python -m tests.conformance.campaigns.compiled_graphs $$(($(FUZZ) / 500)) 0 jax
	$(BIN)/python -m tests.conformance.derivatives $$(($(FUZZ) / 50)) 0
	$(BIN)/python -m tests.conformance.derivatives $$(($(FUZZ) / 1000)) 0 jax
	$(BIN)/python -m tests.conformance.campaigns.random_programs $$(($(FUZZ) / 10)) 0
	$(BIN)/python -m tests.conformance.campaigns.random_programs $$(($(FUZZ) / 5000)) 0 jax
	$(BIN)/python -m tests.unit.compiler.kernels.random_kernels $$(($(FUZZ) / 500)) 0
	$(BIN)/python -m tests.unit.compiler.loops.exported_loops $$(($(FUZZ) / 500)) 0
	$(BIN)/python -m tests.conformance.campaigns.random_graphs $(FUZZ) 0
	$(BIN)/python -m tests.campaigns.states --runs $$(($(FUZZ) / 100))
	$(BIN)/python -m tests.campaigns.interrupts
	$(BIN)/python -m tests.campaigns.signals --count $$(($(FUZZ) / 10))
	$(BIN)/python -m tests.campaigns.allocations
	$(BIN)/python -m tests.campaigns.allocations --for-good
	$(BIN)/python -m tests.campaigns.forks --count $$(($(FUZZ) / 1000))
	$(BIN)/python -m tests.campaigns.threads --rounds $$(($(FUZZ) / 10000))
	$(BIN)/python -m tests.campaigns.saves --kills $$(($(FUZZ) / 1000))
	$(BIN)/python -m tests.campaigns.files --fields $$(($(FUZZ) / 10)) --flips $(FUZZ)
	$(BIN)/python -m tests.campaigns.soak --minutes $$(($(FUZZ) * 60 / 1000000))

# The tests of the C core, built with the address and undefined-behaviour sanitizers, then with ThreadSanitizer.
sanitize:
	tools/sanitize.sh address,undefined -m pytest -p no:cacheprovider -n auto --dist worksteal tests/unit tests/conformance
	tools/sanitize.sh thread -m tests.campaigns.threads --rounds 10
	tools/sanitize.sh thread -m pytest -p no:cacheprovider -n auto --dist worksteal tests/unit tests/conformance

# Plants small faults in the code, each of which a test must find. Takes hours, and goes on where it stopped.
mutate: .venv/installed
	$(BIN)/pip install --quiet coverage jax
	$(BIN)/python -m tests.campaigns.mutation.mutants

# Every view of the studio, light and dark, wide and narrow, into docs/pictures. Needs chromium.
screenshots: .venv/installed
	$(BIN)/pip install --quiet playwright starlette uvicorn websockets msgspec markdown-it-py
	$(BIN)/python tools/screenshots.py

# The generated files: the C headers, the special values with their reasons, the README's picture.
regen: .venv/installed
	$(BIN)/python tools/gen_ops.py
	$(BIN)/python -m tests.conformance.campaigns.special
	$(BIN)/python tools/picture.py

clean:
	rm -rf .venv .venv-address .venv-thread build dist src/*.egg-info src/chainrule/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Rebuilt when the C sources or the choice of compiler change.
.venv/installed: pyproject.toml setup.py $(wildcard src/_core/*/*.[ch]) .venv/compiler
	$(BIN)/pip install --quiet --upgrade pip
	rm -rf build src/chainrule/*.so
	$(BIN)/pip install --quiet --editable '.[dev]' $(EXTRA)
	@$(BIN)/python -c 'import chainrule; print("chainrule", chainrule.__version__, "is installed with the", \
	  {"c": "compiled", "python": "reference"}[chainrule.core], "core")'
	@touch $@

.venv/compiler: .venv/made FORCE
	@echo '$(CC) $(CI)' | cmp -s - $@ || echo '$(CC) $(CI)' > $@

.venv/made:
	$(PYTHON) -m venv .venv
	@touch $@

FORCE:
