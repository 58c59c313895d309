"""Damaged files of every kind that chainrule reads: each must be rejected with a clear error, or read
exactly.

    python -m tests.campaigns.files [--fields 100000] [--flips 1000000] [--seed 0] [KIND ...]

The first part changes fields: a value of another type or range, a missing or an additional field, a
tensor of another shape. The second part changes bytes anywhere. An error must name the file in one line,
and no object may have changed; an accepted file must be read exactly as it is. A damaged progress file
is set aside instead. The readers run with limited memory, so that a file that makes one allocate without
bound is noticed.
"""

import argparse
import json
import math
import os
import random
import re
import shutil
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as to_bytes
from tqdm import tqdm

import chainrule
from chainrule import data, nn, optim
from chainrule.data import read_csv
from chainrule.learn import exercise
from chainrule.learn.progress import FILE, Progress
from chainrule.nn.saving import ModelFileError
from chainrule.train import fit

HEADROOM = 1 << 30  # bytes of address space in addition to what the imports use
CHUNK = 2000
REJECTED, ACCEPTED = "rejected", "accepted"
WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "U64": 8, "U8": 1, "BOOL": 1}
WIDTHS |= {"C64": 8, "F8_E4M3": 1, "F8_E8M0": 1}
STRANGE = [None, True, -1, 0, 1, 2, 10**6, 10**9, 10**30, 10**400, 1.5, -0.5, 1e400, -1e400, math.nan]
STRANGE += ["", "tanh", "MLP", "function", "1", "\ud800", [], {}, [[]], ["w.0", "b"]]
STRANGE += [{"kind": "function", "name": "tanh"}]
TOKENS = rb'0 1 -1 9999999999 1e999 nan inf "" "a" [ ] { } [] {} , : = . # \ \u0000 true null'.split()
TOKENS += [b"\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"9" * 5000, b"[" * 3000, b"[[" * 200, b'"' * 3]


class UnsoundError(Exception):
    """A file was accepted but read wrongly, or was rejected with a bad message or a side effect."""


def rejected(error: Exception, path: Path) -> str:
    """The error must name the file, in one line."""
    if str(path) not in str(error) or "\n" in str(error):
        raise UnsoundError(f"bad message: {error!r}")
    return REJECTED


# --- kinds of files ------------------------------------------------------------------------------------


class Kind:
    """A kind of file: samples of it, how its fields can be wrong, and how it is read."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "file"
        self.samples = self.make()

    def make(self) -> list[bytes]:
        raise NotImplementedError

    def edit(self, rng: random.Random, sample: bytes) -> bytes:
        """A sample with a field changed."""
        return edit_text(rng, sample)

    def read(self) -> str:
        """REJECTED or ACCEPTED; an exception is a failure."""
        raise NotImplementedError


class ModelFile(Kind):
    def make(self) -> list[bytes]:
        models = [
            nn.Neuron(3, seed=0),
            nn.Layer(2, 3, "relu", seed=0),
            nn.MLP(2, [4, 3, 1], "tanh", "sigmoid", seed=0),
            nn.Network([1, 1], seed=0),
            nn.Sequential(nn.Layer(2, 2, seed=0), chainrule.tanh, nn.MLP(2, [1], seed=0)),
            nn.Sequential(nn.Embedding(3, 2), nn.Linear(2, 2, False), nn.Dropout(), nn.LayerNorm(2)),
            nn.Sequential(nn.RNNCell(1, 2), nn.GRUCell(2, 1), nn.LSTMCell(1, 1)),
        ]
        return [written(self.path, partial(chainrule.save, model)) for model in models]

    def edit(self, rng: random.Random, sample: bytes) -> bytes:
        return rng.choice([edit_metadata, edit_metadata, edit_tensor, edit_header, another, nested])(
            rng, sample
        )

    def read(self) -> str:
        try:
            model = chainrule.load(self.path)
        except ModelFileError as error:
            return rejected(error, self.path)
        header, body = split(self.path.read_bytes())
        fields = json.loads(header)
        start, end = fields["parameters"]["data_offsets"]
        names = json.loads(fields["__metadata__"]["names"])
        stored = np.frombuffer(body[start:end], dtype="<f8")
        state = model.state_dict()
        if sorted(state) != sorted(names) or len(stored) != len(names):
            raise UnsoundError("the model has other parameters than the file")
        if np.array([state[name] for name in names]).tobytes() != stored.tobytes():
            raise UnsoundError("the model has other numbers than the file")
        return ACCEPTED


class RunFile(Kind):
    """A run to be resumed; a rejected file leaves the model and the optimiser alone."""

    EPOCHS = 3

    def make(self) -> list[bytes]:
        self.X, self.y = data.moons(10, seed=0)
        return [written(self.path, self.train)]

    def train(self, path: Path, epochs: int = EPOCHS) -> tuple[Any, Any]:
        model = nn.MLP(2, [2, 1], seed=0)
        optimizer = optim.Adam(model.parameters(), lr=0.05)
        before = model.state_dict(), optimizer.state_dict()
        options: Any = {"batch_size": 5, "progress": False, "engine": "eager", "resume": path}
        try:
            fit(
                *(model, "mse", self.X, self.y),
                optimizer=optimizer,
                epochs=epochs,
                validation=(self.X[:2], self.y[:2]),
                **options,
            )
        except ModelFileError:
            if (model.state_dict(), optimizer.state_dict()) != before:
                raise UnsoundError("a rejected file changed the model or the optimiser") from None
            raise
        return model, optimizer

    def edit(self, rng: random.Random, sample: bytes) -> bytes:
        return rng.choice([edit_metadata] * 6 + [edit_tensor, edit_tensor, edit_header])(rng, sample)

    def read(self) -> str:
        content = self.path.read_bytes()
        try:
            model, optimizer = self.train(self.path)
        except ModelFileError as error:
            return rejected(error, self.path)
        header, body = split(content)
        fields = json.loads(header)
        about = json.loads(fields["__metadata__"]["training"])
        if about["epoch"] < self.EPOCHS:  # the run continued
            return ACCEPTED
        start, end = fields["parameters"]["data_offsets"]
        if np.array(list(model.state_dict().values())).tobytes() != body[start:end]:
            raise UnsoundError("the model has other numbers than the file")
        start, end = fields["optimizer"]["data_offsets"]
        if np.array(optimizer.state).tobytes() != body[start:end] or optimizer.steps != about["steps"]:
            raise UnsoundError("the optimiser has another state than the file")
        if not all(math.isfinite(x) for x in (*model.state_dict().values(), optimizer.lr)):
            raise UnsoundError("a number that is not finite was accepted")
        return ACCEPTED


class ProgressFile(Kind):
    """A learner's progress; a damaged file is kept, and a new one begun."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / FILE

    def make(self) -> list[bytes]:
        full: dict[str, Any] = {
            "passed": {"scale": "2026-01-01T00:00:00"},
            "hints": {"scale": 1, "neuron": 2},
            "solutions": ["scale"],
            "quizzes": {"1.1": True, "1.2": False},
        }
        return [
            json.dumps(x, indent=1).encode() for x in (full, {name: type(full[name])() for name in full})
        ]

    def edit(self, rng: random.Random, sample: bytes) -> bytes:
        return json.dumps(change(rng, json.loads(sample))).encode()

    def read(self) -> str:
        content = self.path.read_bytes()
        progress = Progress.read(self.path.parent)
        if progress.damaged is not None:
            if progress.damaged.read_bytes() != content or self.path.exists():
                raise UnsoundError("the damaged file was not kept")
            if progress.passed or progress.hints or progress.solutions or progress.quizzes:
                raise UnsoundError("a part of a damaged file was read")
        else:
            found = json.loads(content)
            for name in ("passed", "hints", "solutions", "quizzes"):
                if getattr(progress, name) != found[name]:
                    raise UnsoundError(f"{name} is not what the file says")
        progress.note_hint("scale", 3)
        progress.note_quiz("1.1", True)
        if Progress.read(self.path.parent).hints["scale"] not in (1, 2, 3):
            raise UnsoundError("a hint that does not exist")
        return ACCEPTED if progress.damaged is None else REJECTED


class Table(Kind):
    def make(self) -> list[bytes]:
        return [b"x1,x2,y\n0.5,-1.2,1\n1e-3,2,0\n", b"1,2\n3,4\n", b'"a b","y"\r\n1,2\r\n']

    def read(self) -> str:
        try:
            X, y, names = read_csv(self.path)
        except ValueError as error:
            return rejected(error, self.path)
        if X.shape != (len(y), len(names)) or not (np.isfinite(X).all() and np.isfinite(y).all()):
            raise UnsoundError(f"a table of shape {X.shape} with the columns {names}")
        words = self.path.read_text(encoding="utf-8-sig").replace('"', ",").split(",")
        known = {float(x) for text in words for x in re.split(r"[\r\n]+", text) if number(x)}
        if not {*X.ravel().tolist(), *y.tolist()} <= known:
            raise UnsoundError("numbers that are not in the file")
        return ACCEPTED


class ExerciseFile(Kind):
    """One of the files of a teacher's exercise."""

    def __init__(self, folder: Path) -> None:
        course = exercise.exercise("add_tanh")
        self.folder = folder / "add_tanh"
        if not self.folder.exists():
            shutil.copytree(course.folder, self.folder)
        super().__init__(folder)
        self.path = self.folder / self.NAME

    NAME = "exercise.toml"

    def make(self) -> list[bytes]:
        return [(self.folder / self.NAME).read_bytes()]

    def read(self) -> str:
        try:
            found = exercise.read(self.folder)
            for text in (found.task, found.title, *found.hints, *(each.why for each in found.wrong)):
                text.encode()
        except exercise.ExerciseError as error:
            return rejected(error, self.folder)
        if not all(type(x) is int for x in (found.lesson, found.minutes)):
            raise UnsoundError(f"lesson {found.lesson!r}, minutes {found.minutes!r}")
        return ACCEPTED


class WrongFile(ExerciseFile):
    NAME = "wrong.toml"


class StarterFile(ExerciseFile):
    NAME = "starter.py"


class HintsFile(ExerciseFile):
    NAME = "hints.md"


KINDS: dict[str, type[Kind]] = {
    "model": ModelFile,
    "run": RunFile,
    "progress": ProgressFile,
    "table": Table,
    "exercise": ExerciseFile,
    "wrong": WrongFile,
    "starter": StarterFile,
    "hints": HintsFile,
}


# --- changing fields -----------------------------------------------------------------------------------


def written(path: Path, write: Callable[[Path], Any]) -> bytes:
    write(path)
    content = path.read_bytes()
    path.unlink()
    return content


def number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def split(content: bytes) -> tuple[bytes, bytes]:
    """The header and the tensors of a safetensors file."""
    (length,) = struct.unpack("<Q", content[:8])
    return content[8 : 8 + length], content[8 + length :]


def join(header: bytes, body: bytes) -> bytes:
    return struct.pack("<Q", len(header)) + header + body


def change(rng: random.Random, thing: Any) -> Any:
    """Plain data with one part replaced, removed, repeated or added."""
    if isinstance(thing, list) and thing and rng.random() < 0.85:
        at, action = rng.randrange(len(thing)), rng.randrange(4)
        if action == 0:
            return thing[:at] + thing[at + 1 :]
        if action == 1:
            return [*thing, thing[at]]
        return [*thing[:at], change(rng, thing[at]), *thing[at + 1 :]]
    if isinstance(thing, dict) and thing and rng.random() < 0.9:
        key, action = rng.choice(list(thing)), rng.random()
        if action < 0.15:
            return {k: v for k, v in thing.items() if k != key}
        if action < 0.2:
            return thing | {rng.choice(["", "other", key.upper()]): rng.choice(STRANGE)}
        return thing | {key: change(rng, thing[key])}
    if isinstance(thing, (int, float)) and not isinstance(thing, bool) and rng.random() < 0.4:
        return rng.choice(
            [thing + 1, thing - 1, -thing, thing * 10**6, str(thing), [thing], float(thing)]
        )
    return rng.choice(STRANGE)


def edit_metadata(rng: random.Random, sample: bytes) -> bytes:
    """Change one field of the metadata; each is text or JSON."""
    header, body = split(sample)
    fields = json.loads(header)
    about = fields["__metadata__"]
    key = rng.choice(list(about))
    try:
        parsed = json.loads(about[key])
    except ValueError:
        about[key] = rng.choice(["", "chainrule 2", "9" * 5000, "\0"])
    else:
        about[key] = json.dumps(change(rng, parsed))
    if rng.random() < 0.05:
        del about[key]
    return join(json.dumps(fields).encode(), body)


def edit_tensor(rng: random.Random, sample: bytes) -> bytes:
    """A tensor with another type, size, shape, place or name, or with a number that is not finite."""
    header, body = split(sample)
    fields = json.loads(header)
    name = rng.choice([name for name in fields if name != "__metadata__"])
    entry = fields[name]
    start, end = entry["data_offsets"]
    if rng.random() < 0.3 and end - start >= 8:
        bits = struct.pack("<d", rng.choice([math.nan, math.inf, -math.inf, 1e308, 5e-324, -0.0, 0.0]))
        at = start + 8 * rng.randrange((end - start) // 8)
        return join(header, body[:at] + bits + body[at + 8 :])
    size = len(body)
    dtype, width = rng.choice(list(WIDTHS.items()))
    count = (end - start) // width
    shapes = [[count], [count, 1], [1, count], [count, 0], [], [count - 1], [count + 1], [2**40]]
    entry |= {"dtype": dtype, "shape": rng.choice([*shapes, [2**62, 4], [2, count // 2]])}
    if rng.random() < 0.3:
        entry["data_offsets"] = [rng.choice([0, 1, 8]), rng.choice([size, size - 8, size + 8, 2**60, 0])]
    if rng.random() < 0.2:
        fields["other"] = entry | {"data_offsets": [size, size + 8], "shape": [1], "dtype": "F64"}
        body += bytes(8)
    if rng.random() < 0.1:
        fields[rng.choice([name.title(), ""])] = fields.pop(name)
    return join(json.dumps(fields).encode(), body)


def edit_header(rng: random.Random, sample: bytes) -> bytes:
    """Characters of the header replaced, with the right or a wrong length."""
    header, body = split(sample)
    text = bytearray(header)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(text))
        text[at : at + rng.choice([0, 1, 1, 2])] = rng.choice(TOKENS)
    if rng.random() < 0.8:
        return join(bytes(text), body)
    lengths = [
        0,
        1,
        2**32,
        2**63 - 1,
        2**64 - 1,
        99_999_999,
        100_000_001,
        rng.randrange(2 * len(sample)),
    ]
    return struct.pack("<Q", rng.choice(lengths)) + sample[8:]


def another(rng: random.Random, sample: bytes) -> bytes:
    """A file that is not a model at all."""
    zeros = {"parameters": np.zeros(4)}
    return rng.choice(
        [
            *(b"", b"\0", bytes(8), b"weights of a network\n", b"a,b,y\n1,2,3\n"),
            b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94.",
            b"\x89PNG\r\n\x1a\n" + rng.randbytes(100),
            rng.randbytes(rng.randrange(200)),
            to_bytes({"weight": np.zeros((2, 2), dtype=np.float32)}),
            *(to_bytes(zeros, {"format": name}) for name in ("pt", "chainrule 1", "chainrule 2")),
            *(to_bytes({}), join(b"[" * 5000, b""), join(b'{"a":' * 5000, b"")),
        ]
    )


def nested(rng: random.Random, sample: bytes) -> bytes:
    """A model with deeply nested layers."""
    depth = rng.choice([1, 10, 1000, 10_000, *(rng.randrange(100, 600) for _ in range(8))])
    core = rng.choice(['{"kind": "function", "name": "tanh"}', "[]", "1"])
    architecture = '{"kind": "Sequential", "layers": [' * depth + core + "]}" * depth
    metadata = {"format": "chainrule 1", "architecture": architecture, "names": "[]"}
    return bytes(to_bytes({"parameters": np.zeros(0)}, metadata=metadata))


def edit_text(rng: random.Random, sample: bytes) -> bytes:
    """A word or a number replaced, a line removed or repeated."""
    lines = sample.splitlines(keepends=True)
    at, action = rng.randrange(len(lines)), rng.random()
    if action < 0.15:
        return b"".join(lines[:at] + lines[at + 1 :])
    if action < 0.3:
        return b"".join(lines[: at + 1] + lines[at:])
    words = list(re.finditer(rb'"[^"]*"|[\w.-]+|[^\w\s]', sample))
    word = rng.choice(words)
    return sample[: word.start()] + rng.choice([b"", *TOKENS]) + sample[word.end() :]


# --- changing bytes ------------------------------------------------------------------------------------


def flip(rng: random.Random, sample: bytes) -> bytes:
    """Bits flipped, or bytes cut off, inserted or left out."""
    action, at = rng.random(), rng.randrange(len(sample))
    if action < 0.1:
        return sample[:at]
    if action < 0.15:
        return sample[:at] + rng.randbytes(rng.choice([1, 2, 8, 100])) + sample[at:]
    if action < 0.2:
        return sample[:at] + sample[at + rng.choice([1, 2, 8]) :]
    damaged = bytearray(sample)
    for _ in range(rng.choice([1, 1, 1, 2, 8, 64])):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


# --- the campaign --------------------------------------------------------------------------------------


def limit_memory() -> None:
    """A file must not make its reader allocate without bound. Sets a limit on Linux only."""
    if sys.platform != "linux":
        return
    import resource

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, used + HEADROOM))


def damage(kind: str, way: str, count: int, seed: int) -> tuple[Counter[str], dict[str, str]]:
    """Read damaged files of one kind. Returns the count of each outcome, and an example of each
    failure.
    """
    rng = random.Random(f"{kind} {way} {seed}")
    outcomes: Counter[str] = Counter()
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="chainrule-campaign-") as folder:
        reader = KINDS[kind](Path(folder))
        for sample in reader.samples:
            reader.path.write_bytes(sample)
            if reader.read() != ACCEPTED:
                raise RuntimeError(f"{kind}: an undamaged file was rejected")
        files = sorted(os.listdir(reader.path.parent))
        change = flip if way == "flips" else reader.edit
        for _ in range(count):
            content = change(rng, rng.choice(reader.samples))
            reader.path.write_bytes(content)
            try:
                outcome = reader.read()
            except (Exception, MemoryError) as error:
                outcome = f"{type(error).__name__}: {str(error)[:80]}"
                failures.setdefault(outcome, f"{kind}, {way}: {content[:2000]!r}")
            outcomes[outcome] += 1
        left = {*os.listdir(reader.path.parent)} - {*files, "progress.damaged"}
        if left:
            failures["left behind"] = f"{kind}, {way}: {sorted(left)}"
    return outcomes, failures


def run(task: tuple[str, str, int, int]) -> tuple[str, str, Counter[str], dict[str, str]]:
    kind, way, *rest = task
    return kind, way, *damage(kind, way, *rest)


def main(names: list[str], fields: int, flips: int, seed: int, processes: int | None = None) -> None:
    """Run the campaign; raises SystemExit if it found something."""
    tasks = [
        (kind, way, min(CHUNK, share - i), seed * 10**6 + i)
        for way, count in (("fields", fields), ("flips", flips))
        for kind in names or KINDS
        for share in [math.ceil(count / len(names or KINDS))]
        for i in range(0, share, CHUNK)
    ]
    total: dict[tuple[str, str], Counter[str]] = {}
    failures: dict[str, str] = {}
    with ProcessPoolExecutor(processes, get_context("spawn"), limit_memory) as pool:
        done = tqdm(pool.map(run, tasks), total=len(tasks), mininterval=10, disable=len(tasks) < 50)
        for kind, way, outcomes, found in done:
            total.setdefault((kind, way), Counter()).update(outcomes)
            failures |= found
    for (kind, way), outcomes in total.items():
        counts = ", ".join(f"{outcomes[name]:,} {name}" for name in (REJECTED, ACCEPTED))
        print(f"{kind}, {way}: {sum(outcomes.values()):,} files, {counts}")
    for outcome, example in failures.items():
        print(f"{outcome}\n    {example}")
    if failures:
        raise SystemExit(f"{len(failures)} kinds of failure")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="KIND", choices=[*KINDS, []])
    parser.add_argument("--fields", type=int, default=100_000)
    parser.add_argument("--flips", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    main(given.names, given.fields, given.flips, given.seed)
