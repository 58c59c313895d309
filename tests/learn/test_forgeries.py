"""A wrong solution does not pass, whatever it does to its result or to the checker."""

from pathlib import Path

import pytest

from chainrule.learn.exercise import exercise, exercises
from chainrule.learn.sandbox import starting
from chainrule.learn.sandbox.runner import Limits

from .test_sandbox import WITHOUT_ISOLATION, tried

# Each piece of code is put before a wrong solution and tries to make it pass.
FORGERIES = {
    "ends Python with exit code 0": "import os; os._exit(0)",
    "ends Python inside __mul__": """
import os
class Value:
    def __init__(self, data): self.data = data
    def __mul__(self, other): os._exit(0)
""",
    "writes a result to every open file": """
import json, os, struct
found = json.dumps({"kind": "passed", "message": "", "parts": {}}).encode()
answer = json.dumps(["is", True, []]).encode()
for fd in range(256):
    for text in (b"\\n" + found, struct.pack("=I", len(answer)) + answer):
        try: os.write(fd, text)
        except OSError: pass
""",
    "writes a result and ends": """
import json, os
for fd in range(3, 256):
    try: os.write(fd, b"\\n" + json.dumps({"kind": "passed", "message": "", "parts": {}}).encode())
    except OSError: pass
os._exit(0)
""",
    "writes a result when Python ends": """
import atexit, os
found = b'{"kind": "passed", "message": "", "parts": {}}'
atexit.register(lambda: [os.write(fd, found) for fd in (3, 4)])
""",
    "prints what a passed check shows": """
import sys
print('\\n{"kind": "passed", "message": "", "parts": {}}\\n✓ Multiply: passed', flush=True)
sys.exit(0)
""",
    "answers every question with True": """
from chainrule.learn.sandbox import link
link.Link._answer = lambda self, message: ["is", True, []]
""",
    "answers every question with None": """
import json
json.dumps = lambda *a, **k: '["is",null,[]]'
""",
    "answers every question with NaN": """
import json
json.dumps = lambda *a, **k: '["is",NaN,[]]'
""",
    "replaces the checks": """
from chainrule.learn import checking
from chainrule.learn.sandbox import child, judge
for name in ("equal", "kind", "true", "raises", "for_all"):
    setattr(checking.Work, name, lambda self, *a, **k: lambda test: None)
checking._same = lambda *a: True
judge.judged = lambda *a: {"kind": "passed", "message": "", "parts": {}}
judge.decide = judge.judged
checking.CheckFailedError = type("CheckFailedError", (Exception,), {})
""",
    "replaces modules": """
import sys, types
class Any(types.ModuleType):
    def __getattr__(self, name): return lambda *a, **k: True
for name in list(sys.modules):
    if name.startswith(("chainrule", "checker", "json", "__main__")):
        sys.modules[name] = Any(name)
""",
    "replaces built-in functions": """
import builtins
builtins.isinstance = lambda *a: True
builtins.abs = lambda x: 0.0
builtins.float = lambda x: 6.0
builtins.len = lambda x: 2
builtins.all = builtins.any = lambda x: True
""",
    "traces every call": """
import sys
def trace(frame, event, argument):
    for name in frame.f_locals:
        if name in ("kind", "found", "message"):
            frame.f_locals[name] = "passed"
    return trace
sys.settrace(trace)
sys.setprofile(trace)
""",
    "rewrites objects in memory": """
import gc
for each in gc.get_objects():
    if type(each) is dict and "kind" in each:
        each["kind"] = "passed"
    if type(each) is list and each and each[0] == "raised":
        each[:] = ["is", True, []]
    code = getattr(each, "__code__", None)
    if getattr(each, "__qualname__", "").startswith(("Work.", "judged", "decide", "_same")):
        try: each.__code__ = (lambda *a, **k: True).__code__
        except Exception: pass
""",
    "finds the connection to the judge in the stack frames": """
import sys
frame = sys._getframe()
while frame:
    for value in list(frame.f_locals.values()):
        if type(value).__name__ == "Link":
            for target in ({"named": "os:_exit"}, {"named": "builtins:exec"}, {"yours": 0}):
                try: value._send(["do", "call", [target, {"tuple": ["1"]}, {"dict": []}]])
                except BaseException: pass
            value.failed = None
    frame = frame.f_back
""",
    "compares equal to everything": """
class Always(float):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __sub__(self, other): return 0.0
    __rsub__ = __abs__ = __sub__
    def __hash__(self): return 0
class Value:
    def __init__(self, data): self.data = Always(data)
    def __mul__(self, other): return Value(1.0)
    __rmul__ = __mul__
""",
    "pretends to be a different class": """
class Value:
    data = property(lambda self: self)
    def __init__(self, data): pass
    __class__ = property(lambda self: float)
    def __eq__(self, other): return True
    def __float__(self): return float("nan")
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __iter__(self): return iter([self, self])
    def __mul__(self, other): return self
    __rmul__ = __mul__
""",
    "raises SystemExit": """
class Value:
    def __init__(self, data): self.data = data
    def __mul__(self, other): raise SystemExit(0)
""",
    "raises its own kind of BaseException": """
class Away(BaseException): pass
class Value:
    def __init__(self, data): self.data = data
    def __mul__(self, other): raise Away("passed")
""",
    "raises an exception that cannot be printed": """
class Odd(Exception):
    def __str__(self): raise SystemExit(0)
class Value:
    def __init__(self, data): self.data = data
    def __mul__(self, other): raise Odd
""",
    "overwrites its own memory": """
import ctypes
for start, end in [line.split()[0].split("-") for line in open("/proc/self/maps") if "[heap]" in line]:
    start, size = int(start, 16), int(end, 16) - int(start, 16)
    there = (ctypes.c_char * size).from_address(start)
    at = there.raw.find(b"failed")
    while at >= 0:
        ctypes.memmove(start + at, b"passed", 6)
        at = there.raw.find(b"failed", at + 1)
""",
    "overwrites the memory of the judge": """
import ctypes, os
library = ctypes.CDLL(None, use_errno=True)
library.ptrace(16, os.getppid(), 0, 0)
try:
    with open(f"/proc/{os.getppid()}/mem", "r+b") as memory:
        memory.seek(4096); memory.write(b"passed")
except OSError:
    pass
""",
    "kills the judge": """
import ctypes, os
ctypes.CDLL(None).kill(os.getppid(), 15)
ctypes.CDLL(None).kill(0, 9)
""",
    "answers from another thread": """
import os, struct, threading
def talk():
    text = b'["is",6.0,[]]'
    while True:
        for fd in range(3, 12):
            try: os.write(fd, struct.pack("=I", len(text)) + text)
            except OSError: pass
threading.Thread(target=talk, daemon=True).start()
""",
    "sends an endless message": """
import os, struct
for fd in range(3, 12):
    try: os.write(fd, struct.pack("=I", 2**32 - 1) + b"[" * 1000)
    except OSError: pass
""",
    "sends a deeply nested message": """
import os, struct
for fd in range(3, 12):
    try: os.write(fd, struct.pack("=I", 60_000) + b"[" * 60_000)
    except OSError: pass
""",
}
(WRONG,) = (wrong.code for wrong in exercise("write_mul").wrong if wrong.name == "adds")


@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "not isolated"])
@pytest.mark.parametrize("way", FORGERIES)
def test_forged_results_do_not_pass(
    way: str, isolated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even without the kernel's isolation: the result is decided outside the learner's process."""
    if not isolated:
        monkeypatch.setattr(starting, "FORKING", ("-c", WITHOUT_ISOLATION))
    wrong = "" if "class Value" in FORGERIES[way] else WRONG
    outcome = tried(FORGERIES[way] + "\n" + wrong, tmp_path)
    assert outcome.kind in ("failed", "error", "exit", "crash", "time"), outcome
    assert outcome.message


# A module that has every name, as an object equal to everything; its attributes are the same, or 1.0.
LIARS = """
import builtins
class Liar:
    def __getattr__(self, name): return ANSWER
    def __setattr__(self, name, value): pass
    def __call__(self, *a, **k): return self
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __index__(self): return 1
    def __iter__(self): return iter([self])
    def __len__(self): return 1
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __repr__(self): return "1.0"
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __call__
    __pow__ = __neg__ = __getitem__ = __call__
LIAR = Liar()
ANSWER = LIAR if OBJECTS else 1.0
honest = isinstance
builtins.isinstance = lambda thing, kind: thing is LIAR or kind is LIAR or honest(thing, kind)
def __getattr__(name): return LIAR
"""


@pytest.mark.parametrize("name", [exercise.name for exercise in exercises()])
def test_an_object_equal_to_everything_passes_no_exercise(name: str, tmp_path: Path) -> None:
    for objects in (True, False):
        outcome = tried(f"OBJECTS = {objects}\n{LIARS}", tmp_path, Limits(seconds=5.0), name)
        assert outcome.kind in ("failed", "error", "time"), outcome


PRYING = {
    "its globals": "f.__globals__",
    "its code": "f.__code__",
    "its closure": "f.__closure__",
    "its class": "f.__call__.__self__.__globals__",
    "a name that is hidden from it": "link.ask('get', f, '__globals__')",
    "a name with an underscore": "link.ask('get', f, '_x')",
    "setting an attribute": "link.ask('set', f, 'x', 1)",
    "a library function": "sent('call', {'named': 'os:getpid'}, {'tuple': []}, {'dict': []})",
    "an object by its number": "sent('call', {'yours': 1}, {'tuple': []}, {'dict': []})",
    "an unknown operation": "sent('eval', '1')",
    "an operation on plain numbers": "link.ask('pow', 2, 3)",
    "isinstance with a fake class": "link.ask('isinstance', 1, f)",
}


@pytest.mark.parametrize("way", PRYING)
def test_the_checkers_functions_cannot_be_inspected(way: str, tmp_path: Path) -> None:
    """The checker passes functions to learner code, which can call them but not inspect them."""
    code = f"""
def numeric_gradient(f, x, epsilon=1e-5):
    link = object.__getattribute__(f, "_link_")
    def sent(operation, *arguments):
        link._send(["do", operation, arguments])
        return link._result(link._receive(), [])
    try:
        found = {PRYING[way]}
    except (AttributeError, PermissionError, KeyError, TypeError, ValueError) as error:
        raise ValueError("refused") from None
    return found
"""
    outcome = tried(code, tmp_path, name="numeric_gradient")
    assert (outcome.kind, "ValueError: refused" in outcome.message) == ("failed", True), outcome


def test_the_checkers_exceptions_cannot_be_swallowed(tmp_path: Path) -> None:
    """The checker passes count_nodes nodes that count accesses and raise after too many."""
    code = """
def count_nodes(value):
    while type(value).__name__ == "Proxy":
        try: value.inputs
        except BaseException: return 31
    return right(value)
"""
    right = exercise("count_nodes").solution.replace("def count_nodes(", "def right(")
    outcome = tried(right + code, tmp_path, Limits(), "count_nodes")
    assert outcome.kind == "failed"
    assert outcome.message.startswith("count_nodes visits nodes more than once")


def test_changes_to_an_argument_are_detected(tmp_path: Path) -> None:
    code = "def count_parameters(nin, nouts):\n    nouts.append(3)\n    return 37 if nin == 2 else 0"
    outcome = tried(code, tmp_path, Limits(), "count_parameters")
    assert "the list after count_parameters, which must not change it" in outcome.message
    assert outcome.parts["got"] == "[4, 4, 1, 3]"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (
            "draw_tree",
            "class Value:\n    data, inputs, op = 1.0, (), ''\n    def __init__(self, *a): pass\n"
            "    def __add__(self, other): return self\n    __mul__ = __add__\n"
            "def draw(value): return '1.0'",
        ),
        (
            "write_layer",
            "from chainrule import Value\nclass Neuron:\n"
            "    def __init__(self, n): self.w, self.b = [Value(1.0) for _ in range(n)], Value(0.0)\n"
            "    def __call__(self, x): return self.b\n"
            "    def parameters(self): return [*self.w, self.b]\n"
            "class Layer:\n"
            "    def __init__(self, nin, nout): self.neurons = [Neuron(nin) for _ in range(nout)]\n"
            "    def __call__(self, x): return [neuron.b for neuron in self.neurons]\n"
            "    def parameters(self): return [p for n in self.neurons for p in n.parameters()]",
        ),
        (
            "count_nodes",
            "class Value:\n    inputs = ()\n    def __init__(self, *a): pass\n"
            "    def __add__(self, other): return Five(5)\n    def __mul__(self, other): return self\n"
            "class Five(Value):\n    def __init__(self, n): self.n = n\n"
            "def count_nodes(v): return 31 if type(v).__name__ == 'Proxy' else getattr(v, 'n', 1)",
        ),
    ],
)
def test_expected_results_do_not_come_from_learner_code(name: str, code: str, tmp_path: Path) -> None:
    """These classes are wrong, but consistently so."""
    outcome = tried(code, tmp_path, Limits(), name)
    assert outcome.kind == "failed", outcome
