"""The command line: every command and option with good and bad input.

Errors are one line on standard error and an exit code, never a traceback. Most tests run in this
process; a few start a real one, to check that the program itself is wired up.
"""

import csv
import importlib.util
import math
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chainrule
from chainrule import cli, data, load, nn, optim, train
from chainrule.nn.activations import NAMES

from ...conftest import require
from ...near import near

Run = Callable[..., tuple[int, str, str]]
Fine = Callable[..., str]
COMMANDS = ["demo", "train", "predict", "graph", "check", "studio", "info", "cache"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process; returns its exit code, output and errors."""

    def call(*arguments: Any) -> tuple[int, str, str]:
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def fine(run: Run) -> Fine:
    """Run a command that must succeed and print no errors; returns its output."""

    def call(*arguments: Any) -> str:
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        return out

    return call


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "table.csv"
        path.write_text(text)
        return path

    return write


def process(
    *arguments: str, program: tuple[str, ...] = (sys.executable, "-m", "chainrule"), **options: Any
) -> Any:
    return subprocess.run([*program, *arguments], capture_output=True, text=True, timeout=120, **options)


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d\d s", "T s", text)


# --- help ----------------------------------------------------------------------------------------


def test_help(fine: Fine) -> None:
    out = fine("--help")
    assert "examples:" in out
    assert 'chainrule graph "tanh(a*b + a**2)" a=2 b=-3' in out
    assert all(re.search(rf"^ +{command} ", out, re.MULTILINE) for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_examples(fine: Fine, command: str) -> None:
    out = fine(command, "--help")
    assert out.startswith(f"usage: chainrule {command}")
    assert re.search(rf"^examples?:\n  chainrule {command}", out, re.MULTILINE)


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"chainrule {chainrule.__version__}\n", "")


def test_every_option_is_tested_in_this_file(run: Run) -> None:
    text = Path(__file__).read_text()
    for command in COMMANDS:
        for option in re.findall(r"--[a-z-]+", run(command, "--help")[1]):
            assert f'"{option}"' in text, f"{command} {option}"


# --- demo and info -------------------------------------------------------------------------------


def test_demo(fine: Fine) -> None:
    out = fine("demo")
    assert out.startswith("y = tanh(a*b + a**2), every value with its gradient:")
    assert "2 of 2 gradients agree" in out
    assert out.count(" xor ") == 4


def test_info(fine: Fine) -> None:
    out = fine("info")
    lines = dict(line.split(None, 1) for line in out.splitlines())
    assert lines["chainrule"] == chainrule.__version__
    assert lines["core"].startswith("compiled" if chainrule.core == "c" else "reference")
    assert lines["python"].startswith(sys.version.split()[0])
    installed = importlib.util.find_spec("matplotlib") is not None
    expected = "installed" if installed else "not installed: pip install 'chainrule[plot]'"
    assert lines["plot"] == expected
    assert lines["cache"].startswith("none" if lines["kernels"].startswith("not compiled") else "")


def test_info_without_a_compiler(fine: Fine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.delenv("CHAINRULE_KERNELS", raising=False)
    lines = dict(line.split(None, 1) for line in fine("info").splitlines())
    reason = "CC names 'no-such-compiler', which was not found"
    assert lines["kernels"] == f"not compiled: {reason if cli.c_core else NO_CORE}"
    assert lines["cache"] == "none"


NO_CORE = "needs the compiled core, which was not built"


def test_the_cache_is_cleared(fine: Fine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setenv("CHAINRULE_CACHE", str(tmp_path))
    assert fine("cache", "clear") == f"removed 0 kernels from {tmp_path / 'kernels'}\n"
    (tmp_path / "kernels" / f"{'0' * 64}-{'1' * 64}.so").write_bytes(b"kernel")
    assert fine("cache", "clear") == f"removed 1 kernel from {tmp_path / 'kernels'}\n"
    assert list((tmp_path / "kernels").iterdir()) == []


def test_a_cache_that_is_not_ours_is_not_cleared(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    monkeypatch.setenv("CHAINRULE_CACHE", str(tmp_path))
    message = f"other users can write to {tmp_path / 'kernels'}: chmod go-w it"
    refused(run("cache", "clear"), message)


NOT_BUILT = "the compiled one was not built: install a C compiler and reinstall chainrule"


@pytest.mark.parametrize(
    ("core", "compiled", "said"),
    [
        ("c", True, "compiled"),
        ("python", True, "reference, chosen by CHAINRULE_CORE=python; the compiled core is available"),
        ("python", None, f"reference; {NOT_BUILT}"),
    ],
)
def test_info_says_why_the_core_is_the_reference(
    run: Run, monkeypatch: pytest.MonkeyPatch, core: str, compiled: Any, said: str
) -> None:
    """A deliberately chosen core is not blamed on a missing compiler."""
    monkeypatch.setattr(cli, "core", core)
    monkeypatch.setattr(cli, "c_core", compiled)
    assert f"core       {said}\n" in run("info")[1]


# --- graph and check -----------------------------------------------------------------------------


def test_graph(run: Run) -> None:
    assert run("graph", "tanh(a*b + a**2)", "a=2", "b=-3") == (
        0,
        "-0.9640  (tanh)  grad 1.0000\n"
        "└─ -2.0000  (add)  grad 0.0707\n"
        "   ├─ -6.0000  (mul)  grad 0.0707\n"
        "   │  ├─ a = 2.0000  (leaf)  grad 0.0707\n"
        "   │  └─ b = -3.0000  (leaf)  grad 0.1413\n"
        "   └─ 4.0000  (pow)  grad 0.0707\n"
        "      ├─ a = 2.0000  (leaf)  grad 0.0707\n"
        "      └─ 2.0000  (constant)\n",
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (["a", "a=1"], "a = 1.0000  (leaf)  grad 1.0000"),
        (["a", "a=-1e3"], "a = -1000.0000  (leaf)  grad 1.0000"),
        (["a + 1", "a=inf"], "inf  (add)  grad 1.0000"),
        (["log(a)", "a=-1"], "nan  (log)  grad 1.0000"),
        (["9 ** 9 ** 9"], "inf  (leaf)  grad 1.0000"),
        (["2 * pi"], "6.2832  (leaf)  grad 1.0000"),
        (["--", "-a", "a=1"], "-1.0000  (neg)  grad 1.0000"),
        (["-a*b", "a=1", "b=2"], "-2.0000  (mul)  grad 1.0000"),
    ],
)
def test_other_graphs(fine: Fine, arguments: list[str], first: str) -> None:
    assert fine("graph", *arguments).splitlines()[0] == first


@pytest.mark.parametrize("place", [2, 3, 4])
def test_graph_to_a_file(run: Run, tmp_path: Path, place: int) -> None:
    """The option may be anywhere, even after an expression that starts with a minus."""
    path = tmp_path / "graph.svg"
    words = ["graph", "-a*b", "a=1", "b=2"]
    words[place:place] = ["--save", str(path)]
    assert run(*words) == (0, f"saved to {path}\n", "")
    assert "<title" in path.read_text()
    assert "-a*b" in path.read_text()
    words[place : place + 2] = [f"--save={tmp_path / 'graph.dot'}"]
    assert run(*words)[0] == 0
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")


def test_graph_to_a_wrong_file(run: Run, tmp_path: Path) -> None:
    refused(run("graph", "a", "a=1", "--save", tmp_path / "graph.gif"), "a drawing can be saved as .svg")
    refused(
        run("graph", "a", "a=1", "--save", tmp_path / "no" / "graph.svg"), "graph.svg does not exist"
    )
    refused(run("graph", "a", "a=1", "--save"), "expected one argument", code=2)


def test_check(fine: Fine) -> None:
    out = fine("check", "log(x)*sin(x)", "x=1.5")
    lines = out.splitlines()
    assert lines[0].split() == ["value", "backward", "numerical", "difference"]
    expected = math.sin(1.5) / 1.5 + math.log(1.5) * math.cos(1.5)
    assert lines[1].split()[0] == "x"
    assert float(lines[1].split()[1]) == near(expected, rel=1e-7)
    assert lines[2] == "1 of 1 gradients agree (epsilon 1e-05)"


def test_check_at_a_kink(fine: Fine) -> None:
    """The derivative there is a convention that differences cannot reproduce: nothing is wrong."""
    out = fine("check", "relu(x) + y", "x=0", "y=1")
    assert "at a kink of 'relu'" in out
    assert "WRONG" not in out
    assert out.splitlines()[1].endswith("5.0e-01   at a kink")
    assert out.endswith("\n1 of 2 gradients agree, the rest at a kink (epsilon 1e-05)\n")


def test_check_where_gradients_do_not_agree(run: Run) -> None:
    """The expression jumps at x = 1."""
    code, out, err = run("check", "less(x, 1)", "x=1")
    assert (code, err) == (1, "chainrule: some gradients do not agree\n")
    assert out.splitlines()[1].endswith("WRONG")
    assert "0 of 1 gradients agree (epsilon" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["log(x)", "x=-1"], "undefined (NaN) at x=-1"),
        (["y * log(x)", "x=-1", "y=2"], "undefined (NaN) at x=-1 y=2"),
        (["1/x", "x=0"], "inf at x=0, so it has no derivative there"),
        (["log(x)", "x=0"], "-inf at x=0, so it has no derivative there"),
        (["9 ** 9 ** 9"], "inf here, so it has no derivative there"),
        (
            ["sqrt(x) + y", "x=0", "y=1"],
            "undefined near x=0 y=1, for slightly smaller or larger x",
        ),
    ],
)
def test_check_where_the_derivative_is_undefined(run: Run, arguments: list[str], message: str) -> None:
    """Two NaNs do not count as a wrong gradient."""
    expected = f"chainrule: the expression is {message}: choose other values\n"
    assert run("check", *arguments) == (1, "", expected)


@pytest.mark.parametrize("command", ["graph", "check"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a*b", "a=1"], "no value for b: write b=1.5"),
        (["a", "a=1", "b=2"], "not in the expression: b"),
        (["a", "a=x"], "'x' is not a number, in 'a=x'"),
        (["a", "a="], "'' is not a number, in 'a='"),
        (["a", "a"], "expected NAME=NUMBER, got 'a'"),
        (["a", "=3"], "expected NAME=NUMBER, got '=3'"),
        (["a", "1=3"], "expected NAME=NUMBER, got '1=3'"),
        (["e * x", "e=1", "x=2"], "e is a constant, 2.71828: choose a different name"),
        (["tanh(a", "a=1"], "'(' was never closed at column 5: tanh(a"),
        (["a\nb", "a=1"], "invalid syntax at column 1: a b"),
        (["-" * 5000 + "a", "a=1"], None),
        (["a", "a=1", "a=2"], None),
    ],
)
def test_bad_expressions(run: Run, command: str, arguments: list[str], message: str | None) -> None:
    code, out, err = run(command, "--", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("chainrule: ")
    assert err.count("\n") == 1
    if message is not None:
        assert err == f"chainrule: {message}\n"


@pytest.mark.parametrize("count", [200, 500, 800, *range(900, 1000, 5), 2000])
@pytest.mark.parametrize("piece", ["-", "a/"])
def test_deep_expressions(run: Run, piece: str, count: int) -> None:
    """They are shown, or rejected in one line."""
    code, out, err = run("graph", "--", piece * count + "a", "a=1")
    assert (code, err.count("\n"), bool(out)) in [(0, 0, True), (1, 1, False)]


# --- train ---------------------------------------------------------------------------------------


def test_train_xor(fine: Fine) -> None:
    out = fine("train", "xor")
    lines = out.splitlines()
    assert lines[0] == "xor: 4 samples, 2 inputs; 337 parameters; mse"
    assert re.fullmatch(r"200 epochs in .* s, loss 0\.\d+ -> .*", lines[1])
    cases = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    for line, (x, y, target) in zip(lines[2:], cases, strict=True):
        match = re.fullmatch(rf"  {x} xor {y} = (-?\d\.\d+)   target {target}", line)
        assert float(match[1]) == near(target, abs=0.1)


@pytest.mark.parametrize("name", ["moons", "circles", "spirals"])
def test_train_the_built_in_data_sets(fine: Fine, name: str) -> None:
    out = fine("train", name, "--hidden", "4", "--epochs", "2")
    assert out.splitlines()[0] == (
        f"{name}: 100 samples, 2 inputs; 17 parameters; binary_cross_entropy_with_logits"
    )
    assert re.search(r"^2 epochs in .*, accuracy \d", out, re.MULTILINE)


def test_train_digits(fine: Fine) -> None:
    require("sklearn")
    out = fine("train", "digits", "--hidden", "--epochs", "1", "--batch-size", "50")
    title, result = out.splitlines()
    assert title == "digits: 1797 samples, 64 inputs; 650 parameters; cross_entropy"
    assert float(re.findall(r"accuracy ([^,]+),", result)[0]) > 0.8


def test_train_digits_without_scikit_learn() -> None:
    code = "import sys; sys.modules['sklearn'] = None; from chainrule import cli; sys.exit(cli.main())"
    run = process("train", "digits", program=(sys.executable, "-c", code))
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "chainrule: digits needs scikit-learn: pip install scikit-learn\n"


@pytest.mark.parametrize("name", ["xor", "moons"])
@pytest.mark.parametrize("loss", cli.LOSSES)
def test_every_loss_decreases(fine: Fine, name: str, loss: str) -> None:
    """All these losses are at least 0, so a negative one cannot be right."""
    out = fine("train", name, "--loss", loss, "--epochs", "20", "--hidden", "3")
    assert out.splitlines()[0].endswith(f"; {loss}")
    first, last = re.findall(r"loss (\S+) -> ([^\s,]+)", out)[0]
    assert 0.0 <= float(last) < float(first)


def test_both_spellings_of_a_loss(fine: Fine) -> None:
    texts = [without_times(fine("train", "xor", "--loss", loss)) for loss in ("huber", "huber_loss")]
    assert texts[0] == texts[1]


def test_nll_is_not_offered(run: Run) -> None:
    """It expects log-probabilities, which no network here outputs; its loss for moons was -10."""
    assert set(cli.LOSSES) == set(train.LOSSES) - {"nll"}
    refused(run("train", "moons", "--loss", "nll"), "invalid choice: 'nll'", code=2)


@pytest.mark.parametrize("loss", ["hinge", "binary_cross_entropy"])
def test_the_accuracy_of_two_classes(fine: Fine, loss: str) -> None:
    """The threshold is 0 for scores and 1/2 for probabilities."""
    options = ("--hidden", "8", "--epochs", "20", "--lr", "0.1")
    out = fine("train", "moons", "--loss", loss, *options)
    assert float(re.findall(r"accuracy ([^,]+),", out)[0]) > 0.8


def test_hinge_with_signs_as_targets(run: Run, table: Any) -> None:
    signs = run("train", table("1,-1\n2,1\n"), "--loss", "hinge", "--epochs", "5")
    zeros = run("train", table("1,0\n2,1\n"), "--loss", "hinge", "--epochs", "5")
    assert signs[0] == 0
    assert without_times(signs[1]) == without_times(zeros[1])


@pytest.mark.parametrize("optimizer", cli.OPTIMIZERS)
def test_every_optimizer(fine: Fine, optimizer: str) -> None:
    out = fine("train", "moons", "--optimizer", optimizer, "--epochs", "3", "--hidden", "3")
    first, last = re.findall(r"loss (\S+) -> ([^\s,]+)", out)[0]
    assert float(last) < float(first)


@pytest.mark.parametrize("activation", NAMES)
def test_every_activation(run: Run, activation: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    arguments = ("--activation", activation, "--epochs", "1", "--hidden", "3", "2", "--save", path)
    assert run("train", "xor", *arguments)[0] == 0
    assert repr(load(path)) == (
        f"MLP(\n  (layers.0): Layer(2, 3, {activation})\n  (layers.1): Layer(3, 2, {activation})\n"
        "  (layers.2): Layer(2, 1, linear)\n)"
    )


def test_the_other_options(fine: Fine, tmp_path: Path) -> None:
    """Compares with the same training run written in Python."""
    path = tmp_path / "model"
    options = ("--hidden", "5", "--lr", "0.02", "--epochs", "4", "--batch-size", "30", "--seed", "7")
    out = fine("train", "circles", *options, "--optimizer", "sgd", "--save", path)
    assert out.endswith(f"saved to {path}\n")
    model = nn.MLP(2, [5, 1], init="xavier", seed=7)
    optimizer = chainrule.optim.SGD(model.parameters(), lr=0.02)
    settings: Any = {"optimizer": optimizer, "epochs": 4, "batch_size": 30, "seed": 7, "progress": False}
    train.fit(model, "binary_cross_entropy_with_logits", *data.circles(seed=7), **settings)
    assert load(path).state_dict() == model.state_dict()


def test_the_same_seed_prints_the_same(fine: Fine) -> None:
    options = ("--epochs", "2", "--seed")
    texts = [without_times(fine("train", "moons", *options, seed)) for seed in (1, 1, 2)]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_no_epochs_and_no_hidden_layer(fine: Fine) -> None:
    out = fine("train", "xor", "--epochs", "0", "--hidden")
    assert out.startswith("xor: 4 samples, 2 inputs; 3 parameters")
    assert "no epoch was completed" in out


def test_plotting_without_matplotlib(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = run("train", "xor", "--epochs", "2", "--plot", tmp_path / "curves.png")
    assert (code, err) == (1, "chainrule: plotting needs matplotlib: pip install 'chainrule[plot]'\n")
    assert out.count("\n") <= 1  # detected before the training run, not after it


def test_plotting(fine: Fine, tmp_path: Path) -> None:
    require("matplotlib")
    path = tmp_path / "curves.png"
    out = fine("train", "xor", "--epochs", "2", "--plot", path)
    assert out.endswith(f"plot saved to {path}\n")
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("text", "loss", "parameters"),
    [
        ("a,b,y\n1,2,0.5\n2,3,0.7\n", "mse", 21),
        ("1,2,0\n2,3,1\n", "binary_cross_entropy_with_logits", 21),
        ("1,2,0\n2,3,1\n3,4,2\n", "cross_entropy", 33),
        ("1,2,-1\n2,3,1\n", "binary_cross_entropy_with_logits", 21),
        ("1,2,no\n2,3,yes\n", "binary_cross_entropy_with_logits", 21),
        ("1,2,0\n2,3,100000\n", "mse", 21),
    ],
    ids=["numbers", "two classes", "three classes", "signs", "text", "integers that are not classes"],
)
def test_train_a_file(fine: Fine, table: Any, text: str, loss: str, parameters: int) -> None:
    path = table(text)
    out = fine("train", path, "--hidden", "5", "--epochs", "1")
    named = text.startswith("a")
    size = f"{len(text.strip().splitlines()) - named} samples, 2 inputs{', target y' if named else ''}"
    assert out.splitlines()[0] == f"{path}: {size}; {parameters} parameters; {loss}"


def refused(result: tuple[int, str, str], message: str = "", code: int = 1) -> None:
    """Assert that a command failed with one line on standard error, after printing at most a title."""
    assert result[0] == code
    assert result[1].count("\n") <= 1
    assert re.fullmatch(r"chainrule[a-z ]*: .+\n", result[2]), result[2]
    assert message in result[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hidden", "0"], "must be a positive integer, got 0"),
        (["--hidden", "4", "-3"], "must be a positive integer, got -3"),
        (["--lr", "-1"], "lr must not be negative, got -1.0"),
        (["--lr", "nan"], "lr must not be negative, got nan"),
        (["--epochs", "-1"], "epochs must be at least 0, got -1"),
        (["--batch-size", "0"], "batch_size must be at least 1, got 0"),
        (["--batch-size", "-5"], "batch_size must be at least 1, got -5"),
        (["--seed", "-1"], "seed"),
        (["--save", "/missing/model"], "the directory of /missing/model does not exist"),
        (["--save", "/"], "/ is a directory"),
        (["--save", ""], ". is a directory"),
        (["--plot", "/missing/curves.png"], ""),
        (["--target", "y"], "xor is a built-in data set: --target is for files"),
    ],
)
def test_bad_options(run: Run, options: list[str], message: str) -> None:
    refused(run("train", "xor", *options), message)


@pytest.mark.parametrize(
    "options",
    [
        *(
            "--hidden a",
            "--hidden 1.5",
            "--activation foo",
            "--loss foo",
            "--optimizer foo",
            "--lr fast",
        ),
        *("--epochs 1.5", "--batch-size all", "--seed x", "--save", "--unknown", "more"),
    ],
)
def test_usage_errors_are_one_line_too(run: Run, options: str) -> None:
    words = options.split()
    refused(run("train", "xor", *words), words[0], code=2)


@pytest.mark.parametrize(
    "arguments",
    [[], ["foo"], ["predict", "model"], ["graph"], ["check"], ["info", "x"], ["cache"], ["cache", "x"]],
)
def test_usage_errors_of_the_commands(run: Run, arguments: list[str]) -> None:
    refused(run(*arguments), code=2)


WHOLE = "cross_entropy needs classes, as text or whole numbers; the target x1 has 0.5"
CLASSES = "chainrule: hinge needs two classes; the target x1 has 0, 1, 2"
SAME = "table.csv: the target x1 is 1 in every row: there is nothing to learn"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1,2\n3\n", [], "line 2: expected 2 columns, got 1"),
        ("1,0.5\n2,0.7\n", ["--loss", "cross_entropy"], WHOLE),
        ("1,0\n2,1\n3,2\n", ["--loss", "hinge"], CLASSES),
        ("1,a\n2,b\n", ["--loss", "mse"], "line 1, column 2: 'a' is not a number"),
        ("1,2,0\n2,inf,1\n", [], "table.csv, line 2, column 2: 'inf' is not a finite number"),
        ("1,1\n2,1.0\n", [], SAME),
    ],
)
def test_bad_files(run: Run, table: Any, text: str, options: list[str], message: str) -> None:
    refused(run("train", table(text), "--epochs", "1", *options), message)


def test_missing_files_are_reported(run: Run, tmp_path: Path) -> None:
    for path in (tmp_path / "missing.csv", tmp_path):
        sets = "xor, moons, circles, spirals, blobs, digits"
        refused(run("train", path), f"no data set or file '{path}'; the data sets are {sets}")


def test_a_file_that_is_not_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "picture.csv"
    path.write_bytes(b"\x89PNG\xff\xfe")
    refused(run("train", path), str(path))


def houses(target: Callable[[float, float], float], scale: float = 1.0) -> str:
    """A table with one large column, and one whose values are about 1."""
    rows = [(500.0 + 25.0 * i, i % 5 / 2.0) for i in range(60)]
    lines = [f"{area * scale},{rooms},{target(area, rooms)}" for area, rooms in rows]
    return "area,rooms,price\n" + "\n".join(lines)


def test_columns_of_any_scale_are_learned(fine: Fine, table: Any) -> None:
    lines = fine("train", table(houses(lambda area, rooms: 150.0 * area + 1e4 * rooms))).splitlines()
    standardised = "numbers and the target standardised: mean 0, standard deviation 1"
    assert lines[1:3] == ["targets: numbers", standardised]
    assert float(re.fullmatch(r"R² (\S+) on 12 rows held out", lines[-1])[1]) > 0.99


@pytest.mark.parametrize("name", ["xor", "moons", "circles", "spirals", "digits"])
def test_the_built_in_data_sets_give_no_advice(run: Run, name: str) -> None:
    out = run("train", name, "--epochs", "20")[1]
    assert not re.search("^(scale|constant|learning rate):", out, re.MULTILINE)


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "sgd", "rmsprop", "adagrad"])
@pytest.mark.parametrize("epochs", ["1", "2", "50"])
@pytest.mark.parametrize("rate", ["1e6", "1e9"])
def test_a_learning_rate_that_is_too_large_is_reported(
    run: Run, optimizer: str, epochs: str, rate: str
) -> None:
    code, out, err = run("train", "moons", "--optimizer", optimizer, "--epochs", epochs, "--lr", rate)
    if code:
        message = r"chainrule: the loss is (inf|nan) in epoch \d+, .*try a smaller learning rate"
        assert re.match(message, err)
        return
    (line,) = [line for line in out.splitlines() if line.startswith("learning rate:")]
    assert line.startswith("learning rate: the loss grew from 0.6777 to ")
    assert line.endswith(f": the learning rate of {float(rate):g} is too large; try 0.01")


def test_a_loss_that_is_not_finite(run: Run) -> None:
    code, _, err = run("train", "xor", "--optimizer", "sgd", "--lr", "1e300")
    assert code == 1
    message = r"chainrule: the loss is (inf|nan) in epoch \d+, batch 1: .*clip_grad_norm_\.\n"
    assert re.fullmatch(message, err)


def test_control_c_saves_what_was_learned(tmp_path: Path) -> None:
    path = tmp_path / "model"
    options = ["--epochs", "2000000000", "--hidden", "3", "--save", str(path)]
    command = [sys.executable, "-m", "chainrule", "train", "xor", *options]
    terminal, end = pty.openpty()  # the progress bar is shown in terminals only
    termios.tcsetwinsize(end, (24, 80))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, text=True) as process:
        seen = b""
        while b"loss" not in seen:
            assert process.poll() is None
            seen += os.read(terminal, 1000)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    os.close(terminal)
    os.close(end)
    assert process.returncode == 0
    assert re.search(r"; interrupted in epoch \d+\n", out)
    assert load(path).state_dict() != nn.MLP(2, [3, 1], init="xavier", seed=0).state_dict()


def test_control_c_in_other_commands(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressing() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("chainrule.demo.main", pressing)
    assert run("demo") == (130, "", "chainrule: interrupted\n")


# --- predict -------------------------------------------------------------------------------------


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    assert run("train", "moons", "--hidden", "4", "--epochs", "2", "--save", path)[0] == 0
    return path


@pytest.mark.parametrize("text", ["0.5,1\n-1,2\n", "a,b\n0.5,1\n-1,2\n", "0.5,1,0\n-1,2,1\n"])
def test_predict_with_a_trained_model(run: Run, saved: Path, table: Any, text: str) -> None:
    model = load(saved)
    expected = [f"{model(x).data:.6g}\n" for x in ([0.5, 1.0], [-1.0, 2.0])]
    assert run("predict", saved, table(text))[:2] == (0, "".join(expected))


def test_predict_finds_columns_by_their_names(run: Run, table: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    data = "a,b,y\n0.5,1,0.1\n-1,2,0.7\n"
    assert run("train", table(data), "--epochs", "1", "--save", path)[0] == 0
    expected = run("predict", path, table(data))
    assert expected[0] == 0
    assert run("predict", path, table("b,y,c,a\n1,0.1,9,0.5\n2,0.7,9,-1\n")) == expected
    assert run("predict", path, table("0.5,1\n-1,2\n")) == expected  # without names, by position
    assert run("predict", path, table("name,b,a,y\nbob,1,0.5,\nann,2,-1,\n")) == expected
    assert run("predict", path, table("0.5,1,7\n-1,2,7\n")) == expected  # the target is ignored
    refused(run("predict", path, table("a,b,a\n1,2,3\n")), "several columns are called 'a'")
    refused(run("predict", path, table("x0,x1\n1,2\n")), "was trained on the columns a, b; ")
    refused(run("predict", path, table("a,c\n1,2\n")), "was trained on the columns a, b; ")


def test_duplicate_column_names_are_matched_by_position(run: Run, table: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    data = "a,a,y\n0.5,1,0.1\n-1,2,0.7\n"
    assert run("train", table(data), "--epochs", "1", "--save", path)[0] == 0
    named = run("predict", path, table(data))
    assert named[0] == 0
    assert named[:2] == run("predict", path, table("0.5,1\n-1,2\n"))[:2]


def test_train_says_how_it_read_the_targets(run: Run, table: Any) -> None:
    classes, numbers = (f"; to predict {x} instead, use --loss " for x in ("numbers", "classes"))
    for targets, said in {
        (0, 1): f"targets: classes 0, 1{classes}mse",
        (0, 1, 2, 3): f"targets: classes 0, 1, 2, 3{classes}mse",
        (9, 0, 1.0): f"targets: classes 0, 1, 9{classes}mse",
        (-1, 1): f"targets: classes -1, 1{classes}mse",
        (1, 2, 3, 4, 5, 6, 8): f"targets: classes 1, 2, 3, 4, 5 and 2 more{classes}mse",
        (1000, 2000, 3000): f"targets: numbers{numbers}cross_entropy",
        (0.5, 1): "targets: numbers",
        ("red", "blue"): "targets: classes blue, red",
    }.items():
        rows = "".join(f"{i},{target}\n" for i, target in enumerate(targets))
        assert said in run("train", table(rows), "--epochs", "1")[1].splitlines()
        loss = "cross_entropy" if "red" in targets else "mse"
        assert "targets:" not in run("train", table(rows), "--epochs", "1", "--loss", loss)[1]


def test_help_says_what_a_prediction_is(run: Run) -> None:
    out = " ".join(run("predict", "--help")[1].split())
    assert "each line has the predicted number, or the predicted class and its probability" in out


def test_the_prediction_of_numbers(run: Run, tmp_path: Path, table: Any) -> None:
    """Scaling is undone, with the numbers in the file."""
    path, text = tmp_path / "model", "a,b,y\n1,200,5000\n2,100,5500\n4,500,9000.5\n"
    assert run("train", table(text), "--epochs", "1", "--save", path)[0] == 0
    model = load(path)
    X = np.array([[1.0, 200], [2, 100], [4, 500]])
    y = np.array([5000.0, 5500, 9000.5])
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = [model(x).data * y.std() + y.mean() for x in scaled]
    code, out, err = run("predict", path, table(text))
    assert (code, err) == (0, "")
    assert [float(line) for line in out.splitlines()] == near(expected, rel=1e-5)


def test_the_target_by_name(run: Run, tmp_path: Path, table: Any) -> None:
    path, text = tmp_path / "model", "".join(f"{i % 2},{i},{i % 3}\n" for i in range(30))
    out = run("train", table("y,a,b\n" + text), "--target", "y", "--epochs", "1", "--save", path)[1]
    assert ": 30 samples, 2 inputs, target y; " in out
    assert len(run("predict", path, table("b,a\n1,2\n"))[1].splitlines()) == 1
    refused(
        run("train", path.parent / "table.csv", "--target", "z"), "no column 'z'; the columns are b, a"
    )


def test_the_saved_model_knows_all_rows(run: Run, tmp_path: Path, table: Any) -> None:
    """The same steps on all rows, with the weight decay that was chosen on those held out."""
    path = tmp_path / "model"
    text = "".join(f"{i % 7},{(i * i) % 11},{0.5 * (i % 7) - (i * i) % 11}\n" for i in range(40))
    out = run("train", table(text), "--epochs", "30", "--save", path)[1]
    assert re.search(
        "^weight decay 0.(0031|031|31), the best of 3 on the rows held out$", out, re.MULTILINE
    )
    assert out.endswith(f"\nsaved to {path}, trained again on all 40 rows\n")
    prepared = data.prepare(tmp_path / "table.csv")
    X, y = (
        np.concatenate(parts) for parts in zip((prepared.X, prepared.y), prepared.held_out, strict=True)
    )
    found = []
    for decay in cli.DECAYS:
        model = nn.MLP(2, [16, 16, 1], "silu", init="xavier", seed=0)
        optimizer = optim.Adam(model.parameters(), lr=0.01, weight_decay=decay / 40)
        schedule = optim.CosineAnnealingLR(optimizer, 30)
        train.fit(
            model,
            "mse",
            X,
            y,
            optimizer=optimizer,
            epochs=30,
            batch_size=32,
            schedule=schedule,
            progress=False,
        )
        found.append(model.state_dict())
    assert load(path).state_dict() in found


def test_eager_mode_trains_once(
    fine: Fine, tmp_path: Path, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table("".join(f"{i % 7},{i % 7 + 0.5}\n" for i in range(30)))
    monkeypatch.setattr(train, "fit", partial(train.fit, engine="eager"))
    out = fine("train", path, "--epochs", "2", "--save", tmp_path / "model")
    assert "the best of" not in out
    assert out.endswith(f"\nsaved to {tmp_path / 'model'}\n")


@pytest.mark.parametrize("seed", range(2))
def test_noise_is_not_learned(fine: Fine, tmp_path: Path, seed: int) -> None:
    """Half of the variance is noise: on unseen rows, predictions are close to the targets without it.

    Measured on six such files: R² from 0.90 to 0.98; without weight decay from -0.17 to 0.42.
    """
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(1200, 5)), rng.normal(size=5)
    exact = X @ weights / np.linalg.norm(weights)
    rows = [",".join(map(str, row)) for row in np.column_stack([X, exact + rng.normal(size=1200)])]
    (tmp_path / "known.csv").write_text("\n".join(rows[:200]))
    (tmp_path / "fresh.csv").write_text("\n".join(rows[200:]))
    fine("train", tmp_path / "known.csv", "--save", tmp_path / "model")
    found = [float(x) for x in fine("predict", tmp_path / "model", tmp_path / "fresh.csv").split()]
    assert train.r_squared(found, exact[200:]) >= 0.85


def test_the_prediction_of_classes(run: Run, tmp_path: Path, table: Any) -> None:
    """A label and its probability."""
    path = tmp_path / "model"
    rows = "".join(
        f"{i},{name}\n" for i, name in enumerate(["low"] * 9 + ['"in, between"'] * 9 + ["high"] * 9)
    )
    for text, loss in (
        (rows, "cross_entropy"),
        (rows[: rows.index("18,")], "binary_cross_entropy"),
        (rows[: rows.index("18,")], "binary_cross_entropy_with_logits"),
    ):
        assert run("train", table(text), "--loss", loss, "--save", path)[0] == 0
        code, out, err = run("predict", path, table(text))
        assert (code, err) == (0, "")
        found = list(csv.reader(out.splitlines()))
        wanted = [label for _, label in csv.reader(text.splitlines())]
        assert np.mean([label == right for (label, _), right in zip(found, wanted, strict=True)]) > 0.9
        assert all(1 / 3 < float(share) <= 1.0 for _, share in found)
    assert run("train", table(text), "--loss", "hinge", "--save", path)[0] == 0
    assert set(run("predict", path, table(text))[1].splitlines()) == {"low", '"in, between"'}


def test_predict_says_what_it_fills(run: Run, tmp_path: Path, table: Any) -> None:
    path = tmp_path / "model"
    assert run("train", table("a,c,y\n1,red,0.5\n3,blue,0.7\n"), "--epochs", "1", "--save", path)[0] == 0
    code, out, err = run("predict", path, table("a,c\n,red\n2,pink\n"))
    assert (code, len(out.splitlines())) == (0, 2)
    assert err == "a: 1 missing cell filled with the mean, 2\nc: pink did not occur in training\n"


def test_nothing_useful_learned(run: Run, table: Any) -> None:
    rng = np.random.default_rng(0)
    numbers = "".join(f"{a},{b}\n" for a, b in rng.normal(size=(100, 2)))
    classes = "".join(f"{a},{int(b > 0)}\n" for a, b in rng.normal(size=(100, 2)))
    for text, name in ((numbers, r"R² 0\.0000"), (classes, r"accuracy 0\.\d{4}")):
        out = run("train", table(text))[1]
        same = f"^nothing useful was learned: the same answer for every row has {name}$"
        assert re.search(same, out, re.MULTILINE), out
        assert re.search("^(data|constant|learning rate): ", out, re.MULTILINE)
    for options, finding in {
        "--epochs 5": "data: the columns may say nothing about the target",
        "--activation relu --lr 100": r"dead: \d+% of the units of layer ",
        "--optimizer sgd --lr 1e-9": "learning rate: one step moves the parameters by only ",
    }.items():
        assert re.search(f"\n{finding}", run("train", table(numbers), *options.split())[1])


def table_of(seed: int, rows: int, kind: str) -> str:
    """Features of scale 1, 50 and 1,000; the target is linear in them and mildly nonlinear."""
    rng = np.random.default_rng(seed)
    x, speed, area = rng.normal(size=rows), rng.normal(20, 50, rows), rng.uniform(0, 3000, rows)
    color = rng.choice(["red", "green", "blue"], rows)
    z = np.column_stack([x, (speed - 20) / 50, (area - 1500) / 866])
    y = z @ (rng.uniform(0.5, 1.5, 3) * rng.choice([-1, 1], 3))
    a, b, c = rng.uniform(-0.4, 0.4, 3)
    y += a * np.sin(2 * z[:, 0]) + b * z[:, 1] ** 2 + c * z[:, 0] * z[:, 2]
    text = seed % 2
    y += text * np.select([color == "red", color == "green"], [1.0, -0.5], 0.0)
    order = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    targets = {
        "numbers": 12000 + 3000 * y,
        "two": (y > 0).astype(int),
        "three": np.array(["small", "medium", "large"])[order],
    }[kind]
    columns = [x, speed, area, *([color] if text else []), targets]
    header = ["x", "speed", "area", *(["color"] if text else []), "y"]
    return "\n".join(",".join(map(str, row)) for row in [header, *zip(*columns, strict=True)]) + "\n"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("kind", "rows"),
    [("numbers", 200), ("numbers", 2000), ("two", 500), ("two", 2000), ("three", 2000)],
)
def test_ordinary_files_are_learned_without_options(
    fine: Fine, tmp_path: Path, kind: str, rows: int, seed: int
) -> None:
    """R² of at least 0.99, accuracy of at least 0.95, on all rows and on 500 that it has never seen."""
    lines = table_of(seed, rows + 500, kind).splitlines(keepends=True)
    known, fresh = tmp_path / "known.csv", tmp_path / "fresh.csv"
    known.write_text("".join(lines[: rows + 1]))
    fresh.write_text("".join([lines[0], *lines[rows + 1 :]]))
    fine("train", known, "--save", tmp_path / "model")
    for path in (known, fresh):
        wanted = [line.split(",")[-1].strip() for line in path.read_text().splitlines()[1:]]
        found = [line.split(",")[0] for line in fine("predict", tmp_path / "model", path).splitlines()]
        if kind == "numbers":
            assert train.r_squared([float(x) for x in found], [float(x) for x in wanted]) >= 0.99
        else:
            assert np.mean([a == b for a, b in zip(found, wanted, strict=True)]) >= 0.95


@pytest.mark.parametrize("kind", ["two", "three"])
def test_classes_of_few_rows_are_learned_as_well_as_by_scikit_learn(
    fine: Fine, tmp_path: Path, kind: str
) -> None:
    """From 200 rows: the mean accuracy on 500 unseen ones over four files.

    The labels have no noise, but 200 rows are too few for 0.95 in every file. Measured over ten files
    of 200 rows and 1,000 unseen ones, with two and three classes: ours 0.967 and 0.949 (least 0.943 and
    0.916), MLPClassifier 0.966 and 0.940, SVC with C and gamma from a grid 0.962 and 0.932,
    LogisticRegression 0.945 and 0.904.
    """
    network, linear = require("sklearn.neural_network"), require("sklearn.linear_model")
    ours, networks, lines_only = [], [], []
    for seed in range(4):
        lines = table_of(seed, 700, kind).splitlines(keepends=True)
        known, fresh = tmp_path / "known.csv", tmp_path / "fresh.csv"
        known.write_text("".join(lines[:201]))
        fresh.write_text("".join([lines[0], *lines[201:]]))
        fine("train", known, "--save", tmp_path / "model")
        wanted = [line.split(",")[-1].strip() for line in lines[201:]]
        found = [line.split(",")[0] for line in fine("predict", tmp_path / "model", fresh).splitlines()]
        ours.append(np.mean([a == b for a, b in zip(found, wanted, strict=True)]))
        prepared = data.prepare(known, held_out=0)
        unseen = data.files.read_table(fresh, text=True)
        X, y = prepared.preparation.samples(unseen), prepared.preparation.targets(unseen)
        peer = network.MLPClassifier(max_iter=3000, random_state=0)
        networks.append(peer.fit(prepared.X, prepared.y).score(X, y))
        lines_only.append(linear.LogisticRegression().fit(prepared.X, prepared.y).score(X, y))
    assert np.mean(ours) >= np.mean(networks) - 0.005
    assert np.mean(ours) >= np.mean(lines_only)


def test_bad_predictions(run: Run, saved: Path, table: Any, tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        refused(run("predict", path, table("1,2\n")), f"no model file {path}")
    refused(run("predict", saved, tmp_path / "missing.csv"), "missing.csv")
    refused(run("predict", saved, table("1\n")), "the model expects 2 inputs, ")
    refused(run("predict", saved, table("1,2,3,4\n")), "has 4 columns")
    refused(run("predict", saved, table("")), "the file is empty")
    refused(run("predict", table("1,2\n"), table("1,2\n")), "table.csv is not a model file: pass one")
    saved.write_bytes(saved.read_bytes()[:-1])
    refused(run("predict", saved, table("1,2\n")), "is damaged")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"inputs": []}'])
def test_a_model_with_a_damaged_table(run: Run, tmp_path: Path, table: Any, text: str) -> None:
    chainrule.save(nn.MLP(2, [1]), tmp_path / "model", {cli.TABLE: text})
    refused(
        run("predict", tmp_path / "model", table("1,2\n")), "model is damaged: the preparation of its"
    )


def test_a_table_of_another_model(run: Run, tmp_path: Path, table: Any) -> None:
    found = data.prepare(table("1,2,0.5\n2,4,0.6\n")).preparation
    chainrule.save(nn.MLP(3, [1]), tmp_path / "model", {cli.TABLE: found.as_text()})
    message = "model is damaged: it has 3 inputs, its table 2"
    refused(run("predict", tmp_path / "model", table("1,2\n")), message)


def test_predict_with_a_model_that_has_no_neurons(run: Run, tmp_path: Path, table: Any) -> None:
    chainrule.save(nn.Sequential(chainrule.tanh), tmp_path / "model")
    refused(run("predict", tmp_path / "model", table("1,2\n")))


# --- real processes ------------------------------------------------------------------------------


def test_the_program_itself() -> None:
    program = Path(sys.executable).with_name("chainrule")
    programs = [(sys.executable, "-m", "chainrule"), *([(str(program),)] if program.exists() else [])]
    # Python warns about the literal 1if, which must not add a line.
    choice = "write a choice as where(less(a, b), x, y), a comparison as less(a, b) at column 1"
    for words in programs:
        run = process("graph", "a*b", "a=2", "b=3", program=words)
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("6.0000  (mul)  grad 1.0000\n")
        run = process("graph", "1if a else a", "a=2", program=words)
        assert (run.returncode, run.stdout, run.stderr) == (1, "", f"chainrule: {choice}\n")
        run = process("train", "nothing", program=words)
        assert (run.returncode, run.stderr.count("\n")) == (1, 1)


def test_train_and_predict_in_processes(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("0,0\n0,1\n1,0\n1,1\n")
    run = process("train", "xor", "--save", "xor.safetensors", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    run = process("predict", "xor.safetensors", "points.csv", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert [float(line) for line in run.stdout.split()] == near([0, 1, 1, 0], abs=0.1)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
def test_a_reader_that_closes_the_pipe() -> None:
    """`chainrule demo | head -1` prints nothing about broken pipes."""
    command = [sys.executable, "-u", "-m", "chainrule", "demo"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as child:
        child.stdout.readline()
        child.stdout.close()
        error = child.stderr.read()
        code = child.wait(timeout=60)
    assert (code, error) == (0, "")


# --- studio: tests/studio/test_serving.py has the rest -------------------------------------------


def test_a_studio_on_an_invalid_port(run: Run) -> None:
    require("starlette")
    message = "chainrule: the port must be a number from 0 to 65535, got 65536\n"
    assert run("studio", "--no-browser", "--course", "elsewhere", "--port", "65536") == (1, "", message)
    assert "invalid int value: 'http'" in run("studio", "--port", "http")[2]


def test_a_studio_with_a_missing_exercise_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("starlette")
    monkeypatch.setenv("CHAINRULE_EXERCISES", "")  # the option sets it for this process
    code, _, error = run("studio", "--no-browser", "--exercises", str(tmp_path / "nothing"))
    assert code == 1
    assert error.startswith(f"chainrule: {tmp_path / 'nothing'} is not a folder: --exercises and ")
