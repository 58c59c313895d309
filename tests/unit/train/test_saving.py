"""Saving and loading: bit for bit, never a partial file, and one clear error for any damage."""

import json
import math
import os
import re
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import chainrule
from chainrule import Value, load, nn, save
from chainrule.nn.activations import NAMES
from chainrule.nn.saving import ModelFileError
from chainrule.support.atomic import files
from chainrule.train import fit

ROOT = Path(__file__).parents[3]

MODELS: dict[str, nn.Module] = {
    "neuron": nn.Neuron(3, "relu", seed=0),
    "layer": nn.Layer(2, 3, "sigmoid", init="he", seed=1),
    "layer with one neuron": nn.Layer(2, 1, seed=1),
    "mlp": nn.MLP(2, [4, 4, 1], seed=2),
    "mlp with several outputs": nn.MLP(2, [4, 3], "gelu", "exp", init="xavier", seed=3),
    "network": nn.Network([2, 3, 1], "silu", seed=4),
    "Sequential": nn.Sequential(nn.Layer(2, 3, seed=5), nn.Neuron(3, seed=6)),
    "with functions": nn.Sequential(
        nn.Layer(2, 3, None, seed=7),
        chainrule.relu,
        nn.activation_named("sin"),
        nn.MLP(3, [2, 1], seed=8),
    ),
    "nested Sequential": nn.Sequential(
        nn.Sequential(nn.Sequential(nn.Neuron(2, seed=9)), chainrule.tanh)
    ),
    "empty": nn.Sequential(),
}


def bits(model: nn.Module) -> dict[str, bytes]:
    return {name: struct.pack("<d", x) for name, x in model.state_dict().items()}


def outputs(model: nn.Module, width: int) -> list[float]:
    result = model([0.5, -1.5, 2.0][:width])
    return [
        v.data if isinstance(v, Value) else v for v in (result if isinstance(result, list) else [result])
    ]


# --- round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_survives_bit_for_bit(name: str, tmp_path: Path) -> None:
    model = MODELS[name]
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert bits(again) == bits(model)
    assert repr(again) == repr(model)
    assert type(again) is type(model)
    if model.parameters():
        width = 3 if name == "neuron" else 2
        assert outputs(again, width) == outputs(model, width)
        assert all(p.is_leaf and p.grad == 0.0 for p in again.parameters())


@pytest.mark.parametrize("activation", NAMES)
def test_every_activation_survives(activation: str, tmp_path: Path) -> None:
    model = nn.Neuron(2, activation, seed=0)
    save(model, str(tmp_path / "model"))
    assert outputs(load(str(tmp_path / "model")), 2) == outputs(model, 2)


def test_special_numbers(tmp_path: Path) -> None:
    model = nn.Neuron(8, seed=0)
    (payload,) = struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_DEAD_BEEF))
    special = [math.inf, -math.inf, -0.0, 0.0, 5e-324, 1.7976931348623157e308, math.nan, payload]
    for w, x in zip(model.w, special, strict=True):
        w.data = x
    save(model, tmp_path / "model")
    assert bits(load(tmp_path / "model")) == bits(model)


def test_any_reader_of_safetensors_can_read_the_file(tmp_path: Path) -> None:
    model = nn.MLP(2, [2, 1], seed=0)
    save(model, tmp_path / "model")
    with safetensors.safe_open(str(tmp_path / "model"), "numpy") as file:
        metadata = file.metadata()
        numbers = file.get_tensor("parameters")
    assert metadata["format"] == "chainrule 1"
    assert metadata["version"] == chainrule.__version__
    assert json.loads(metadata["architecture"]) == {
        "kind": "MLP",
        "sizes": [2, 2, 1],
        "activations": ["tanh", "linear"],
    }
    assert json.loads(metadata["names"]) == list(model.state_dict())
    assert numbers.tolist() == list(model.state_dict().values())


# --- one's own models ----------------------------------------------------------------------------


class Custom(nn.Module):
    def __init__(self, size: int = 2, seed: int = 0) -> None:
        self.table = [[Value(seed + i + 0.1 * j) for j in range(3)] for i in range(size)]
        self.parts = {"neuron": nn.Neuron(2, seed=seed), "scale": Value(0.5 + seed)}

    def forward(self, x: Any) -> Any:
        rows = [chainrule.dot(row, [*x, 1.0]) for row in self.table]
        return self.parts["neuron"](rows) * self.parts["scale"]  # type: ignore[operator]


class Derived(nn.MLP):
    pass


class Classic:
    """Not a Module: any object with parameters()."""

    def __init__(self, seed: int = 0) -> None:
        self.w, self.b = [Value(seed + 1.0), Value(seed + 2.0)], Value(seed + 3.0)

    def parameters(self) -> Any:
        return [self.b, *self.w]


class Holder:
    """Its parameters are in objects that are not searched, so they are known by position."""

    def __init__(self, seed: int = 0) -> None:
        self.inner = Classic(seed)

    def parameters(self) -> Any:
        return (p for p in self.inner.parameters())


class Naming:
    """It names its parameters itself, and cannot be called."""

    def __init__(self, seed: int = 0) -> None:
        self.inner = Classic(seed)

    def named_parameters(self) -> Any:
        return [("slope", self.inner.w[0]), ("height", self.inner.b)]


def relu(x: Any) -> Any:
    """Not chainrule's relu."""
    return x * 100.0


def mixed(seed: int = 0) -> nn.Module:
    model = nn.Layer(2, 2, seed=seed)
    model.neurons[1].activation = nn.activation_named("relu")
    return model


def shared(seed: int = 0) -> nn.Module:
    layer = nn.Layer(2, 2, seed=seed)
    return nn.Sequential(layer, layer)


def extended(seed: int = 0) -> nn.Module:
    model = nn.MLP(2, [1], seed=seed)
    model.scale = Value(2.0 + seed)  # type: ignore[attr-defined]
    return model


OWN: dict[str, tuple[Callable[[int], Any], list[str]]] = {
    "Module": (lambda seed: Custom(2, seed), ["table.0.0", "table.0.1", "table.0.2", "table.1.0"]),
    "subclass": (lambda seed: Derived(2, [1], seed=seed), ["layers.0.neurons.0.w.0"]),
    "inside Sequential": (
        lambda seed: nn.Sequential(nn.Neuron(1, seed=seed), Custom(1, seed)),
        ["layers.0.w.0", "layers.0.b", "layers.1.table.0.0"],
    ),
    "activation": (lambda seed: nn.MLP(1, [1, 1], lambda x: x, seed=seed), []),
    "function": (lambda seed: nn.Sequential(nn.Neuron(1, seed=seed), lambda x: x), []),
    "known name": (lambda seed: nn.Neuron(1, relu, seed=seed), ["w.0", "b"]),
    "known name in Sequential": (lambda seed: nn.Sequential(nn.Neuron(1, seed=seed), relu), []),
    "mixed activations": (mixed, []),
    "shared layer": (shared, []),
    "additional parameter": (extended, ["layers.0.neurons.0.w.0"]),
    "not a Module": (Classic, ["b", "w.0", "w.1"]),
    "parameters without names": (Holder, ["params.0", "params.1", "params.2"]),
    "its own names": (Naming, ["slope", "height"]),
}


def numbers(model: Any) -> list[bytes]:
    named = [p for _, p in model.named_parameters()] if hasattr(model, "named_parameters") else None
    return [struct.pack("<d", p.data) for p in named or model.parameters()]


@pytest.mark.parametrize("name", OWN)
def test_ones_own_models_are_saved_by_name(name: str, tmp_path: Path) -> None:
    make, names = OWN[name]
    path, model, other = tmp_path / "model", make(1), make(2)
    save(model, path)
    assert numbers(other) != numbers(model)
    assert load(path, other) is other
    assert numbers(other) == numbers(model)
    with safetensors.safe_open(str(path), "numpy") as file:
        assert json.loads(file.metadata()["names"])[: len(names)] == names
    message = (
        f"{path} has the parameters of a model, but not its layers: build the model, then call "
        f"load(path, model)"
    )
    with pytest.raises(ModelFileError, match=f"^{re.escape(message)}$"):
        load(path)


def test_the_parameters_of_a_model_of_layers_can_be_loaded_into_another(tmp_path: Path) -> None:
    model, other = nn.MLP(2, [3, 1], seed=0), Derived(2, [3, 1], "relu", seed=1)
    save(model, tmp_path / "model")
    assert bits(load(tmp_path / "model", other)) == bits(model)
    assert other([1.0, 2.0]).data != model([1.0, 2.0]).data  # its own activation


@pytest.mark.parametrize(
    ("model", "difference"),
    [
        (nn.Neuron(2), "w has shape (3,), expected (2,)"),
        (nn.Neuron(4), "w has shape (3,), expected (4,)"),
        (nn.Layer(3, 1), "missing neurons.0.w.0, neurons.0.w.1, neurons.0.w.2 and 1 more, unexpected "),
        (Classic(), "w has shape (3,), expected (2,)"),
        (Naming(), "missing slope, height, unexpected w.0, w.1, w.2 and 1 more"),
        (nn.Sequential(), "missing none, unexpected w.0, w.1, w.2 and 1 more"),
    ],
)
def test_a_file_that_does_not_fit_the_model(model: Any, difference: str, tmp_path: Path) -> None:
    """One line says which names are missing, unexpected, or of another shape; nothing changes."""
    path = tmp_path / "model"
    save(nn.Neuron(3, seed=0), path)
    before = numbers(model)
    message = f"{path} does not fit this {type(model).__name__}: {difference}"
    with pytest.raises(ModelFileError, match=f"^{re.escape(message)}") as caught:
        load(path, model)
    assert "\n" not in str(caught.value)
    assert numbers(model) == before


def test_the_shape_of_a_table(tmp_path: Path) -> None:
    save(Custom(2), tmp_path / "model")
    message = r"does not fit this Custom: table has shape \(2, 3\), expected \(3, 3\)$"
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path / "model", Custom(3))


def test_models_whose_parameters_cannot_be_named(tmp_path: Path) -> None:
    class Hidden(nn.Module):
        def __init__(self) -> None:
            self.inside = Classic()

        def parameters(self) -> list[Value]:
            return list(self.inside.parameters())

    class Twice(nn.Module):
        def __init__(self) -> None:
            self.w = {1: Value(1.0), "1": Value(2.0)}

    for model, message in [
        (Hidden(), r"^Hidden\.parameters\(\) returns Values that have no name: assign them to "),
        (Twice(), r"^two parameters of this Twice are called w\.1: rename one$"),
    ]:
        with pytest.raises(ValueError, match=message):
            save(model, tmp_path / "model")
        with pytest.raises(ValueError, match=message):
            fit(model, "mse", [1.0], [1.0], patience=1, progress=False)
    for wrong, given in [(3, "int"), ({"w": Value(1.0)}, "dict"), (Custom, "the class Custom")]:
        message = f"^expected a Module, or an object whose .* leaf Values, got {given}$"
        with pytest.raises(TypeError, match=message):
            save(wrong, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# --- writing -------------------------------------------------------------------------------------


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(MODELS["mlp"], path)
    with path.open("rb") as old:
        save(MODELS["neuron"], path)
        assert b'"MLP' in old.read().replace(b"\\", b"")  # an open reader keeps reading the old file
    assert bits(load(path)) == bits(MODELS["neuron"])
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_failing_write_leaves_the_old_file(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    save(MODELS["mlp"], path)
    before = path.read_bytes()

    def fail(*args: Any, **keywords: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    with pytest.raises(OSError, match="the disk is full"):
        save(MODELS["neuron"], path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


SAVES = "import os, signal, sys\nfrom chainrule import load, nn, save\n"
KILLED = f"""{SAVES}os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)
save(nn.Neuron(2), sys.argv[1])"""
WAITING = f"""{SAVES}os.fsync = lambda file: print("writing", flush=True) or sys.stdin.readline()
save(nn.Neuron(2, seed=7), sys.argv[1])"""
BUSY = f"{SAVES}for _ in range(40): save(nn.MLP(3, [4, 1]), sys.argv[1]); load(sys.argv[1])"
LOCKS = pytest.mark.skipif(os.name != "posix", reason="needs POSIX file locks")


def started(code: str, path: Path) -> subprocess.Popen[str]:
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, "-c", code, str(path)], **pipes, text=True)


@LOCKS
def test_the_next_save_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for _ in range(2):
        killed = started(KILLED, path)
        killed.communicate(timeout=60)
        assert killed.returncode == -signal.SIGKILL
        assert [p.suffix for p in tmp_path.iterdir()] == [".part"]
    other = tmp_path / f".model.b.{'0' * 16}.part"  # belongs to the file model.b
    other.write_bytes(b"")
    save(MODELS["neuron"], path)
    assert {p.name for p in tmp_path.iterdir()} == {"model", other.name}
    assert bits(load(path)) == bits(MODELS["neuron"])


@LOCKS
def test_a_file_that_another_process_is_writing_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "model"
    writer = started(WAITING, path)
    assert writer.stdout.readline() == "writing\n"
    save(MODELS["mlp"], path)
    assert bits(load(path)) == bits(MODELS["mlp"])
    assert len([p for p in tmp_path.iterdir() if p.suffix == ".part"]) == 1
    _, error = writer.communicate("\n", timeout=60)
    assert writer.returncode == 0, error
    assert bits(load(path)) == bits(nn.Neuron(2, seed=7))
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@LOCKS
def test_processes_that_save_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for writer in [started(BUSY, path) for _ in range(3)]:
        _, error = writer.communicate(timeout=120)
        assert writer.returncode == 0, error
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    before = os.umask(0)
    os.umask(before)
    yield os.umask
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_open_gives(
    umask: Any, mask: int, mode: int, tmp_path: Path
) -> None:
    umask(mask)
    save(MODELS["neuron"], tmp_path / "model")
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX file modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_replaced_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(MODELS["mlp"], path)
    path.chmod(mode)
    save(MODELS["neuron"], path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert bits(load(path)) == bits(MODELS["neuron"])


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX links")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "model", tmp_path / "latest"
    link.symlink_to(target)
    save(MODELS["neuron"], link)
    assert link.is_symlink()
    assert bits(load(target)) == bits(MODELS["neuron"])


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
def test_only_ordinary_files_are_replaced(tmp_path: Path) -> None:
    """A device, for example: /dev/null must not be replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match=f"^{re.escape(str(pipe))} is not an ordinary file$"):
        save(MODELS["neuron"], pipe)
    assert pipe.is_fifo()


def test_saving_to_a_directory(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(OSError, match="model"):
        save(MODELS["neuron"], tmp_path / "model")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]
    assert list((tmp_path / "model").iterdir()) == []


def test_saving_into_a_missing_directory(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "model"
    with pytest.raises(
        FileNotFoundError, match=f"^the directory of {re.escape(str(path))} does not exist$"
    ):
        save(MODELS["neuron"], path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_saving_into_a_read_only_directory(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            save(MODELS["neuron"], tmp_path / "model")
    finally:
        tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


# --- reading -------------------------------------------------------------------------------------

NEURON = {"kind": "Neuron", "sizes": [1], "activations": ["tanh"]}
NEURON_NAMES = ["w.0", "b"]
FUNCTION = {"kind": "function", "name": "tanh"}
MISFIT = " is damaged: its names and numbers do not match$"
UNFIT = ": the architecture"


def written(path: Path, architecture: Any = NEURON, names: Any = NEURON_NAMES, **changes: Any) -> Path:
    """A well-formed file with these contents."""
    metadata = {
        "format": "chainrule 1",
        "architecture": architecture if isinstance(architecture, str) else json.dumps(architecture),
        "names": names if isinstance(names, str) else json.dumps(names),
    }
    numbers = np.array(changes.pop("numbers", [0.5, 0.25]), dtype=changes.pop("dtype", np.float64))
    metadata.pop(changes.pop("without", ""), None)
    metadata |= changes
    path.write_bytes(safetensors.numpy.save({"parameters": numbers}, metadata=metadata))
    return path


def test_a_hand_written_file(tmp_path: Path) -> None:
    model = load(written(tmp_path / "model"))
    assert repr(model) == "Neuron(1, tanh)"
    assert model.state_dict() == {"w.0": 0.5, "b": 0.25}


def test_loading_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(FileNotFoundError, match=f"^no model file {re.escape(str(path))}$"):
            load(path)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"1,2\n", b"0.5,-1.2,1\n0.1,0.2,0\n", b"\x80\x04\x95" + bytes(30)),
        b'{"format": "chainrule 1"}',
    ],
    ids=["empty", "short", "table", "pickle", "JSON"],
)
def test_a_file_of_a_different_kind_is_not_called_damaged(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_bytes(content)
    message = f"{path} is not a model file: pass one written by save or `chainrule train --save`"
    with pytest.raises(ModelFileError, match=f"^{re.escape(message)}$"):
        load(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "pt"}, r" is not a chainrule model \(format 'pt'\)$"),
        ({"without": "format"}, r" is not a chainrule model \(format None\)$"),
        ({"without": "architecture"}, " is damaged: "),
        ({"without": "names"}, " is damaged: "),
        ({"architecture": "{"}, " is damaged: "),
        ({"names": "["}, " is damaged: "),
        ({"names": "[" * 100_000}, " is damaged: "),
        ({"names": {"w.0": 0, "b": 1}}, MISFIT),
        ({"names": ["w.0", "w.0"]}, MISFIT),
        ({"names": ["w.0", "b", "b"]}, MISFIT),
        ({"names": ["w.0"]}, MISFIT),
        ({"names": ["w.0", "c"]}, rf"{UNFIT} does not fit the parameters \(the state does not fit"),
        ({"dtype": np.float32}, MISFIT),
        ({"numbers": [[0.5], [0.25]]}, MISFIT),
        ({"architecture": {"kind": "Transformer"}}, rf"{UNFIT} .* \(unknown kind 'Transformer'\)$"),
        ({"architecture": FUNCTION, "names": [], "numbers": []}, ": "),
    ],
)
def test_damaged_files(changes: Any, message: str, tmp_path: Path) -> None:
    path = written(tmp_path / "model", **changes)
    before = path.read_bytes()
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))}{message}"):
        load(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize(
    "architecture",
    [
        *(None, 3, [], "[]", {}, {"kind": []}, {"kind": "Neuron"}, {"kind": "Module"}),
        *(NEURON | {"sizes": sizes} for sizes in (1, [], [1, 1], ["1"], [True], [2])),
        *(NEURON | {"activations": a} for a in ([], [None], ["os.system"], ["tanh", "tanh"])),
        NEURON | {"kind": "Layer"},
        *({"kind": "MLP", "sizes": sizes, "activations": []} for sizes in ([1, 1], [1], [])),
        {"kind": "MLP", "sizes": [-5, -5, 1], "activations": ["tanh", "tanh"]},
        {"kind": "Sequential"},
        *({"kind": "Sequential", "layers": layers} for layers in (3, [NEURON])),
        *(FUNCTION, {"kind": "function", "name": None}),
    ],
    ids=repr,
)
def test_architectures_that_do_not_fit(architecture: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "model", architecture)
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(path))}") as caught:
        load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("depth", [50, 150, 250, 300, 325, 350, 400, 450, 1000, 100_000])
def test_nesting_of_any_depth(depth: int, tmp_path: Path) -> None:
    text = '{"kind": "Sequential", "layers": [' * depth + "]}" * depth
    path = written(tmp_path / "model", text, [], numbers=[])
    try:
        model = load(path)
    except ModelFileError:
        assert depth > 100
    else:
        assert model.parameters() == []


@pytest.mark.skipif(sys.platform != "linux", reason="finds the path of an open file in /proc")
def test_save_gives_up_if_its_file_keeps_disappearing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    save(nn.MLP(2, [1], seed=0), path)
    before = path.read_bytes()

    def removed(opened: int, wait: bool) -> bool:
        if wait:
            Path(os.readlink(f"/proc/self/fd/{opened}")).unlink()
        return True

    monkeypatch.setattr(files, "_lock", removed)
    message = r"^cannot write .*model: its temporary file was removed 100 times"
    with pytest.raises(OSError, match=message):
        save(nn.MLP(2, [1], seed=1), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]
