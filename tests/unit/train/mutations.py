"""Thousands of damaged model files; run by test_saving in a separate process with limited memory.

Prints one JSON object: how often each outcome occurred, and for every outcome other than a
ModelFileError or a correct model, the first file that led to it.
"""

import collections
import json
import random
import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as save_file

import chainrule
from chainrule import nn, save
from chainrule.nn.saving import ModelFileError, load

Content = bytes
HEADROOM = 1 << 30  # bytes of address space in addition to what the imports use
WIDTHS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "U64": 8, "U8": 1, "BOOL": 1}
WIDTHS |= {"C64": 8, "F8_E4M3": 1, "F8_E8M0": 1}


def originals(folder: Path) -> list[Content]:
    models = [
        nn.Neuron(3, seed=0),
        nn.Layer(2, 3, "relu", seed=0),
        nn.MLP(2, [4, 3, 1], "tanh", "sigmoid", seed=0),
        nn.Network([1, 1], seed=0),
        nn.Sequential(nn.Layer(2, 2, seed=0), chainrule.tanh, nn.MLP(2, [1], seed=0)),
    ]
    contents = []
    for model in models:
        save(model, folder / "original")
        contents.append((folder / "original").read_bytes())
    return contents


def split(content: Content) -> tuple[bytes, bytes]:
    (length,) = struct.unpack("<Q", content[:8])
    return content[8 : 8 + length], content[8 + length :]


def join(header: bytes, body: bytes) -> Content:
    return struct.pack("<Q", len(header)) + header + body


# --- mutations -----------------------------------------------------------------------------------


def flip_bits(rng: random.Random, content: Content, others: list[Content]) -> Content:
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 8, 64])):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def truncate(rng: random.Random, content: Content, others: list[Content]) -> Content:
    return content[: rng.randrange(len(content))]


def insert(rng: random.Random, content: Content, others: list[Content]) -> Content:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.randbytes(rng.choice([1, 2, 8, 100])) + content[at:]


def delete(rng: random.Random, content: Content, others: list[Content]) -> Content:
    at = rng.randrange(len(content))
    return content[:at] + content[at + rng.choice([1, 2, 8]) :]


def swap_headers(rng: random.Random, content: Content, others: list[Content]) -> Content:
    return join(split(rng.choice(others))[0], split(content)[1])


def header_length(rng: random.Random, content: Content, others: list[Content]) -> Content:
    lengths = [0, 1, 2**32, 2**63 - 1, 2**64 - 1, 99_999_999, 100_000_001]
    lengths.append(rng.randrange(2 * len(content)))
    return struct.pack("<Q", rng.choice(lengths)) + content[8:]


def edit_header(rng: random.Random, content: Content, others: list[Content]) -> Content:
    """Replace characters of the header, and correct its length."""
    header, body = split(content)
    text = bytearray(header)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(len(text))
        text[at : at + rng.choice([0, 1, 1, 2])] = rng.choice(
            [*rb'0 1 9 99999 -1 " [ ] { } , \ e9 null'.split(), b""]
        )
    return join(bytes(text), body)


def edit_architecture(rng: random.Random, content: Content, others: list[Content]) -> Content:
    """A well-formed file with a different architecture or names."""
    header, body = split(content)
    fields = json.loads(header)
    metadata = fields["__metadata__"]
    key = rng.choice(["architecture", "names"])
    metadata[key] = json.dumps(change(rng, json.loads(metadata[key])))
    return join(json.dumps(fields).encode(), body)


def change(rng: random.Random, thing: Any) -> Any:
    """Plain data with one part replaced."""
    strange = [None, True, -1, 0, 1, 2, 10**6, 10**9, 10**30, 1.5, 1e400, "", "tanh", "MLP", "function"]
    strange += [[], {}, [[]], ["w.0", "b"], {"kind": "function", "name": "tanh"}]
    if isinstance(thing, list) and thing and rng.random() < 0.85:
        at = rng.randrange(len(thing))
        action = rng.randrange(4)
        if action == 0:
            return thing[:at] + thing[at + 1 :]
        if action == 1:
            return [*thing, thing[at]]
        return [*thing[:at], change(rng, thing[at]), *thing[at + 1 :]]
    if isinstance(thing, dict) and thing and rng.random() < 0.85:
        key = rng.choice(list(thing))
        if rng.random() < 0.2:
            return {k: v for k, v in thing.items() if k != key}
        return thing | {key: change(rng, thing[key])}
    return rng.choice(strange)


def edit_tensor(rng: random.Random, content: Content, others: list[Content]) -> Content:
    """A well-formed file with a different dtype, number or shape of tensor."""
    header, body = split(content)
    fields = json.loads(header)
    entry = fields["parameters"]
    size = len(body)
    dtype, width = rng.choice(list(WIDTHS.items()))
    count = size // width
    shapes = [
        *([count], [count, 1], [1, count], [count, 0], [], [count - 1], [count + 1], [2**40]),
        [2**62, 4],
    ]
    entry |= {"dtype": dtype, "shape": rng.choice(shapes)}
    if rng.random() < 0.3:
        entry["data_offsets"] = [rng.choice([0, 1, 8]), rng.choice([size, size - 8, size + 8, 2**60, 0])]
    if rng.random() < 0.2:
        fields["other"] = entry | {"data_offsets": [size, size + 8], "shape": [1], "dtype": "F64"}
        body += bytes(8)
    if rng.random() < 0.1:
        fields[rng.choice(["Parameters", ""])] = fields.pop("parameters")
    return join(json.dumps(fields).encode(), body)


def foreign(rng: random.Random, content: Content, others: list[Content]) -> Content:
    """Files that are not models at all."""
    zeros = {"parameters": np.zeros(4)}
    return rng.choice(
        [
            *(b"", b"\0", bytes(8), b"weights of a network\n", b"a,b,y\n1,2,3\n"),
            b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94.",
            b"\x89PNG\r\n\x1a\n" + rng.randbytes(100),
            rng.randbytes(rng.randrange(200)),
            save_file({"weight": np.zeros((2, 2), dtype=np.float32)}),
            *(save_file(zeros, {"format": name}) for name in ("pt", "chainrule 1", "chainrule 2")),
            *(save_file({}), join(b"[" * 5000, b""), join(b'{"a":' * 5000, b"")),
        ]
    )


def nested(rng: random.Random, content: Content, others: list[Content]) -> Content:
    """Deeply nested lists."""
    depth = rng.choice([1, 10, 1000, 10_000, *(rng.randrange(100, 600) for _ in range(8))])
    core = rng.choice(['{"kind": "function", "name": "tanh"}', "[]", "1"])
    architecture = '{"kind": "Sequential", "layers": [' * depth + core + "]}" * depth
    metadata = {"format": "chainrule 1", "architecture": architecture, "names": "[]"}
    return bytes(save_file({"parameters": np.zeros(0)}, metadata=metadata))


MUTATIONS: list[Callable[[random.Random, Content, list[Content]], Content]] = [
    *(flip_bits, truncate, insert, delete, swap_headers, header_length, edit_header),
    *(edit_architecture, edit_architecture, edit_tensor, foreign, nested),
]


# --- valid outcomes ------------------------------------------------------------------------------


def is_legal(model: Any, content: Content) -> bool:
    """Whether a model's parameters are the numbers in the file, in the order of its names."""
    if not isinstance(model, nn.Module):
        return False
    fields = json.loads(split(content)[0])
    start, end = fields["parameters"]["data_offsets"]
    names = json.loads(fields["__metadata__"]["names"])
    stored = np.frombuffer(split(content)[1][start:end], dtype="<f8")
    state = model.state_dict()
    if sorted(state) != sorted(names) or len(stored) != len(names):
        return False
    return np.array([state[name] for name in names]).tobytes() == stored.tobytes()


def attempt(path: Path, content: Content) -> str:
    path.write_bytes(content)
    try:
        model = load(path)
    except ModelFileError as error:
        return (
            "rejected"
            if str(error).startswith(str(path)) and "\n" not in str(error)
            else "rejected with a bad message"
        )
    except (Exception, MemoryError) as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return "loaded" if is_legal(model, content) else "loaded numbers that are not in the file"


def limit_memory() -> None:
    """A file must not make the reader allocate without bound. Sets a limit on Linux only."""
    if sys.platform != "linux":
        return
    import resource

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + HEADROOM, used + HEADROOM))


def main(count: int, seed: int) -> None:
    limit_memory()
    rng = random.Random(seed)
    endings: collections.Counter[str] = collections.Counter()
    strange: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contents = originals(folder)
        for i in range(count):
            mutate = MUTATIONS[i % len(MUTATIONS)]
            content = mutate(rng, rng.choice(contents), contents)
            ending = attempt(folder / "damaged", content)
            endings[ending] += 1
            if ending not in ("rejected", "loaded"):
                strange.setdefault(ending, f"{mutate.__name__}: {content[:400]!r}")
        leftover = sorted(path.name for path in folder.iterdir())
    print(json.dumps({"endings": endings, "strange": strange, "leftover": leftover}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
