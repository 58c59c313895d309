"""The command line: `chainrule demo | train | predict | graph | check | learn | studio | info | cache`.

Errors are one line on standard error and a non-zero exit code, never a traceback.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from . import Value, __version__, check_gradients, core, demo, diagnose, nn, no_grad, optim, train, viz
from .compiler.backends.kernels import building as kernels
from .compiler.backends.kernels.cache import open_folder
from .data.datasets import BY_NAME as DATA_SETS
from .data.files import Table, read_table
from .data.preparing import NUMBERS, Categories, Preparation, Prepared, listed, prepare
from .inspect.expressions import CONSTANTS, parse
from .learn.commands import add_command, add_exercises, add_learn
from .learn.exercise import exercises, use
from .learn.sandbox.isolation import protection
from .nn.activations import NAMES
from .nn.losses import short_name
from .nn.saving import about_of, load, save
from .optim.optimizers import BY_NAME as OPTIMIZERS
from .support.atomic.files import place
from .train.diagnosing import review
from .train.metrics import Metrics, number
from .value import c_core
from .viz.formats.text import show

BATCH_SIZE = 32  # for a file
DECAYS = (0.1, 1.0, 10.0)  # to try on a file: the weight decay times the number of rows
MOST_ROWS = 5000  # above this, only the first weight decay: it makes little difference
DIAGNOSED = 1000  # rows
LITTLE = 0.1  # of what there is to learn
TABLE = "table"  # the name under which a model file keeps how its table was prepared
# nll needs a network that ends in log_softmax; the two together are cross_entropy.
LOSSES = [name for name in train.LOSSES if name != "nll"]
EXTRAS = {
    "plot": "matplotlib",
    "jax": "jax",
    "jit": "ziglang",
    "onnx": "onnx",
    "studio": "starlette",
    "notebook": "anywidget",
}
# Matches an expression that begins with a minus sign, but not an option.
MINUS = re.compile(r"-[^-h]|-h.")


class CommandError(Exception):
    """An error the user can fix; only its text is shown."""


class Parser(argparse.ArgumentParser):
    """Reports errors in one line that refers to --help."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    try:
        arguments = parser().parse_args(options_first(list(sys.argv[1:] if argv is None else argv)))
        arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader stopped early, as in `chainrule demo | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (CommandError, ValueError, TypeError, OSError, ImportError, ArithmeticError) as error:
        print(f"chainrule: {' '.join(str(error).split()) or type(error).__name__}", file=sys.stderr)
        return 1
    except RecursionError:
        print("chainrule: the expression is nested too deeply", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("chainrule: interrupted", file=sys.stderr)
        return 130
    return 0


def options_first(words: list[str]) -> list[str]:
    """Reorder the arguments of `graph` and `check` for argparse: options, then everything else.

    argparse would not find options between the expression and the values, and would mistake an
    expression that begins with a minus sign for an option.
    """
    if words[:1] not in (["graph"], ["check"]):
        return words
    end = words.index("--") if "--" in words else len(words)
    options, rest, i = [], [], 1
    while i < end:
        taken = 2 if words[i] == "--save" and i + 1 < end else words[i].startswith("--save=")
        options += words[i : i + taken]
        rest += words[i : i + (not taken)]
        i += taken or 1
    rest += words[end:]
    minus = ["--"] if MINUS.match("".join(rest[:1])) else []
    return [words[0], *options, *minus, *rest]


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="chainrule",
        description="Automatic differentiation for scalar programs.",
        epilog="examples:\n"
        "  chainrule demo\n"
        "  chainrule train moons --hidden 16 16 --epochs 100 --save moons.safetensors\n"
        "  chainrule predict moons.safetensors points.csv\n"
        '  chainrule graph "tanh(a*b + a**2)" a=2 b=-3\n'
        '  chainrule check "log(x)*sin(x)" x=1.5\n'
        "  chainrule studio",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"chainrule {__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    about = "show the gradients of an expression, and train a network on XOR"
    add_command(commands, "demo", about, lambda _: demo.main(), "demo")
    add_train(commands)
    add_predict(commands)
    graph_parser = add_expression(
        commands, "graph", "print the graph of an expression with values and gradients", graph
    )
    graph_parser.add_argument(
        "--save",
        metavar="FILE",
        help="write the graph to a .svg, .html, .png, .dot or .txt file instead",
    )
    add_expression(commands, "check", "compare gradients with finite differences", check)
    add_learn(commands)
    add_studio(commands)
    about = "show the version, the core, the compiler of kernels and the installed extras"
    add_command(commands, "info", about, info, "info")
    p = add_command(commands, "cache", "remove the kernels compiled so far", cache, "cache clear")
    p.add_argument("action", choices=["clear"], help="clear: they are compiled again when needed")
    return top


def add_train(commands: Any) -> None:
    p = add_command(
        commands,
        "train",
        "train a network on a built-in data set or a CSV file",
        train_command,
        "train xor",
        "train moons --hidden 16 16 --plot moons.png",
        "train data.csv --loss mse --optimizer sgd --lr 0.05 --save model.safetensors",
        more=".\nA CSV file has one sample per line, the target in the last column, as in 0.5,red,1.\n"
        "The first line may be a header. Numbers are standardised, text with few values becomes\n"
        "inputs of 0 and 1, missing cells are filled, and a fifth of the rows is held out. The weight\n"
        "decay that is best on these rows is chosen; the model that is saved is trained on all rows.",
    )
    target = "the column of a file to predict, by name (default: the last one)"
    p.add_argument("--target", metavar="COLUMN", help=target)
    hidden = "units in each hidden layer (default: 16 16); without numbers, no hidden layers"
    p.add_argument("data", help=f"{', '.join(DATA_SETS)} or a CSV file")
    p.add_argument("--hidden", type=int, nargs="*", default=[16, 16], metavar="N", help=hidden)
    activation = "activation of the hidden layers (default: silu for a file, otherwise tanh)"
    p.add_argument("--activation", choices=NAMES, help=activation)
    loss = "default: chosen to suit the data"
    p.add_argument("--loss", type=short_name, choices=LOSSES, help=loss)
    p.add_argument("--optimizer", choices=list(OPTIMIZERS), default="adam", help="default: adam")
    p.add_argument("--lr", type=float, default=0.01, help="learning rate (default: 0.01)")
    p.add_argument("--epochs", type=int, default=200, help="default: 200")
    size = f"samples per step (default: {BATCH_SIZE} for a file, otherwise all)"
    p.add_argument("--batch-size", type=int, help=size)
    p.add_argument("--seed", type=int, default=0, help="default: 0")
    p.add_argument("--save", metavar="FILE", help="write the model to a safetensors file")
    p.add_argument("--plot", metavar="FILE", help="plot the loss curves to an image file")


def add_predict(commands: Any) -> None:
    p = add_command(
        commands,
        "predict",
        "print the predictions of a saved model for the lines of a CSV file",
        predict,
        "predict moons.safetensors points.csv",
        more=".\nFor a model that `chainrule train` trained on a file, each line has the predicted\n"
        "number, or the predicted class and its probability. For any other model, it has the raw\n"
        "outputs of the network: for two classes, one score, above 0 for class 1; for more classes,\n"
        "one score per class, starting with class 0.",
    )
    p.add_argument("model", help="a file written by `chainrule train --save`")
    p.add_argument(
        "data",
        help="a CSV file; if both it and the training file have headers, inputs are matched by name, "
        "otherwise by position; the target may be there, and is ignored",
    )


def add_expression(commands: Any, name: str, text: str, run: Callable[[Any], Any]) -> Any:
    p = add_command(commands, name, text, run, f'{name} "tanh(a*b + a**2)" a=2 b=-3')
    p.add_argument("expression", help="numbers, names, + - * / ** and functions such as tanh")
    p.add_argument("values", nargs="*", metavar="NAME=NUMBER")
    return p


def add_studio(commands: Any) -> None:
    p = add_command(
        commands,
        "studio",
        "step through expressions, watch networks learn and read the course, in the browser",
        studio,
        *("studio", "studio --port 8000 --no-browser"),
        more=". Accepts connections from this machine only; press Ctrl-C to stop.",
    )
    port = "port to listen on (default: any free port)"
    p.add_argument("--port", type=int, default=0, metavar="N", help=port)
    browser = "print the address instead of opening a browser"
    p.add_argument("--no-browser", action="store_true", help=browser)
    p.add_argument(
        "--course",
        type=Path,
        metavar="FOLDER",
        help="folder with your course files (default: CHAINRULE_COURSE if set, else chainrule-course)",
    )
    add_exercises(p)


# --- commands ------------------------------------------------------------------------------------


@dataclass
class Task:
    """What to train on, and what the network's output means."""

    X: Any
    y: Any
    loss: str
    outputs: int
    held_out: tuple[Any, Any] | None = None
    prepared: Prepared | None = None  # of a file

    def with_all_rows(self) -> Task:
        """The task without rows held out; there must be some."""
        assert self.held_out is not None
        X, y = (np.concatenate(parts) for parts in zip((self.X, self.y), self.held_out, strict=True))
        return replace(self, X=X, y=y, held_out=None)


def built_in(name: str, loss: str | None, seed: int) -> Task:
    given = {"seed": seed} if "seed" in signature(DATA_SETS[name]).parameters else {}
    X, y = DATA_SETS[name](**given)
    classes = int(max(y)) + 1
    usual = "binary_cross_entropy_with_logits" if classes <= 2 else "cross_entropy"
    loss = loss or ("mse" if name == "xor" else usual)
    if loss == "hinge" and classes > 2:
        raise CommandError(f"hinge needs two classes, {name} has {classes}")
    targets = {"hinge": 2 * y - 1, "cross_entropy": y.astype(int)}.get(loss, y)
    return Task(X, targets, loss, classes if loss == "cross_entropy" else 1)


def from_file(path: str, loss: str | None, seed: int, target: str | None) -> Task:
    if not Path(path).is_file():
        raise CommandError(f"no data set or file {path!r}; the data sets are {', '.join(DATA_SETS)}")
    prepared = prepare(path, -1 if target is None else target, loss, seed=seed)
    found = prepared.preparation
    return Task(prepared.X, prepared.y, found.loss, found.outputs, prepared.held_out, prepared)


def metrics_for(task: Task) -> Metrics:
    """R² for numbers, accuracy for classes; for built-in data sets, only accuracy."""
    if task.loss in NUMBERS:
        return {"R²": train.r_squared} if task.prepared is not None else {}
    threshold = 0.5 if task.loss == "binary_cross_entropy" else 0.0
    return {"accuracy": partial(train.accuracy, threshold=threshold)}


def introduce(name: str, task: Task, parameters: int, chosen: bool) -> None:
    """Say what is trained on, and what was done to the columns of a file."""
    samples, target = len(task.X), ""
    if task.prepared is not None:
        samples += len(task.held_out[0]) if task.held_out else 0
        column, header = task.prepared.preparation.target, task.prepared.preparation.header
        target = f", target {column.name}" if header else ""
    size = f"{samples} samples, {task.X.shape[1]} inputs{target}; {parameters} parameters"
    print(f"{name}: {size}; {task.loss}")
    if task.prepared is None:
        return
    if not chosen:
        taken, other = "numbers", "classes"
        if isinstance(column, Categories):
            taken, other = f"classes {listed(column.values)}", "numbers"
        loss = task.prepared.alternative
        print(f"targets: {taken}" + (f"; to predict {other} instead, use --loss {loss}" if loss else ""))
    for note in task.prepared.notes:
        print(note)


def judge(model: Any, task: Task, metrics: Metrics) -> bool:
    """Print how good a file's model is on the rows that were held out; returns whether it is useful."""
    X, y = task.held_out or (task.X, task.y)
    with no_grad():
        predictions = [model(x) for x in X]
    ((name, metric),) = metrics.items()
    score = metric(predictions, y)
    print(f"{name} {score:.4f} on {len(X)} rows {'held out' if task.held_out else 'of training'}")
    constant = 0.0  # the score of the best answer that is always the same
    if name == "accuracy":
        constant = float(max(np.unique(y, return_counts=True)[1])) / len(y)
    if not score <= constant + LITTLE * (1.0 - constant):
        return True
    print(f"nothing useful was learned: the same answer for every row has {name} {constant:.4f}")
    return False


def check_before_training(arguments: Any) -> None:
    """Check early what would otherwise fail after a long training run."""
    for file in (arguments.save, arguments.plot):
        if file is not None:
            place(file)
    if arguments.plot is not None and not importlib.util.find_spec("matplotlib"):
        raise CommandError("plotting needs matplotlib: pip install 'chainrule[plot]'")
    if arguments.seed < 0:
        raise CommandError(f"seed must not be negative, got {arguments.seed}")


@dataclass
class Trained:
    """A network with what trained it."""

    model: nn.MLP
    optimizer: optim.Optimizer
    history: train.History
    decay: float  # the weight decay times the number of rows

    @property
    def validation_loss(self) -> float:
        """The loss on the rows held out, after the last epoch."""
        return next(reversed(self.history.validation_losses), math.inf)

    @property
    def is_last(self) -> bool:
        """Whether to train no further network: after Ctrl-C, and in eager mode, which is slow."""
        return bool(self.history.stopped) or self.history.engine == "eager"


def network(arguments: Any, task: Task) -> nn.MLP:
    """A new network, the same at every call."""
    squash = nn.activation_named("sigmoid" if task.loss == "binary_cross_entropy" else "linear")
    return nn.MLP(
        task.X.shape[1],
        [*arguments.hidden, task.outputs],
        arguments.activation or ("tanh" if task.prepared is None else "silu"),
        squash,
        init="xavier",
        seed=arguments.seed,
    )


def trained(arguments: Any, task: Task, metrics: Metrics, decay: float = 0.0) -> Trained:
    """Train a new network."""
    model, of_file = network(arguments, task), task.prepared is not None
    options = {"weight_decay": decay / len(task.X)} if decay else {}
    optimizer = OPTIMIZERS[arguments.optimizer](model.parameters(), lr=arguments.lr, **options)
    history = train.fit(
        model,
        train.loss_named(task.loss),
        task.X,
        task.y,
        optimizer=optimizer,
        epochs=arguments.epochs,
        batch_size=BATCH_SIZE if of_file and arguments.batch_size is None else arguments.batch_size,
        validation=task.held_out,
        metrics=metrics,
        schedule=optim.CosineAnnealingLR(optimizer, max(1, arguments.epochs)) if of_file else None,
        seed=arguments.seed,
        progress=sys.stderr.isatty(),
    )
    optimizer.lr = arguments.lr  # what advice refers to
    return Trained(model, optimizer, history, decay)


def trained_on_file(arguments: Any, task: Task, metrics: Metrics) -> Trained:
    """Train with several weight decays; returns what is best on the rows held out."""
    several = task.held_out and len(task.X) <= MOST_ROWS
    found: list[Trained] = []
    for decay in DECAYS[: None if several else 1]:
        found.append(trained(arguments, task, metrics, decay))
        if found[-1].is_last:
            break
    best = min(found, key=lambda each: each.validation_loss)
    if len(found) > 1:
        chosen = f"weight decay {best.decay / len(task.X):.2g}"
        print(f"{chosen}, the best of {len(found)} on the rows held out")
    return best


def train_command(arguments: Any) -> None:
    check_before_training(arguments)
    if arguments.data not in DATA_SETS:
        task = from_file(arguments.data, arguments.loss, arguments.seed, arguments.target)
    elif arguments.target is None:
        task = built_in(arguments.data, arguments.loss, arguments.seed)
    else:
        raise CommandError(f"{arguments.data} is a built-in data set: --target is for files")
    of_file = task.prepared is not None
    count = len(network(arguments, task).parameters())
    introduce(arguments.data, task, count, bool(arguments.loss))
    metrics = metrics_for(task)
    found = (trained_on_file if of_file else trained)(arguments, task, metrics)
    model, optimizer, history = found.model, found.optimizer, found.history
    print(history)
    findings = review(model, task.loss, task.X, task.y, [], history, optimizer)
    if of_file and not judge(model, task, metrics):
        some = slice(None, None, 1 + len(task.X) // DIAGNOSED)
        findings |= diagnose(model, task.loss, task.X[some], task.y[some], optimizer).findings
        findings = findings or {
            "data": "the columns may say nothing about the target; or try more epochs"
        }
    for finding, text in findings.items():
        print(f"{finding}: {text}")
    if arguments.data == "xor":
        for x, target in zip(task.X, task.y, strict=True):
            print(f"  {x[0]:.0f} xor {x[1]:.0f} = {shown(model(x), '.3f')}   target {target:.0f}")
    if arguments.save is not None:
        again = ""
        if task.held_out and not found.is_last:
            whole = task.with_all_rows()
            model = trained(arguments, whole, {}, found.decay).model
            again = f", trained again on all {len(whole.X)} rows"
        save(
            model, arguments.save, {TABLE: task.prepared.preparation.as_text()} if task.prepared else {}
        )
        print(f"saved to {arguments.save}{again}")
    if arguments.plot is not None:
        history.plot(arguments.plot)
        print(f"plot saved to {arguments.plot}")


def shown(output: Any, form: str) -> str:
    row = output if isinstance(output, list) else [output]
    return ", ".join(f"{number(v):{form}}" for v in row)


def predict(arguments: Any) -> None:
    model = load(arguments.model)
    about = about_of(arguments.model)
    inputs = inputs_of(model)
    if TABLE not in about:
        table = read_table(arguments.data)
        for x in table.numbers(input_columns(inputs, table)):
            print(shown(model(x), ".6g").replace(", ", ","))
        return
    try:
        preparation = Preparation.from_text(about[TABLE])
    except ValueError as error:
        raise CommandError(f"{arguments.model} is damaged: {error}") from None
    table = read_table(arguments.data, text=True)
    X = preparation.samples(table)
    for note in preparation.filled(table):
        print(note, file=sys.stderr)
    if X.shape[1] != inputs:
        raise CommandError(
            f"{arguments.model} is damaged: it has {inputs} inputs, its table {X.shape[1]}"
        )
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for x in X:
        output = model(x)
        answer, share = preparation.answer(
            [number(v) for v in (output if isinstance(output, list) else [output])]
        )
        text = answer if isinstance(answer, str) else f"{answer:.6g}"
        writer.writerow([text] if share is None else [text, f"{share:.4f}"])


def input_columns(count: int, table: Table) -> list[int]:
    """The positions of the inputs of a model that was not trained on a file: the first columns."""
    width = len(table.names)
    if width == count + 1:
        print(f"ignoring the last column of {table.source}, taken to be the target", file=sys.stderr)
    elif width != count:
        raise CommandError(f"the model expects {count} inputs, {table.source} has {width} columns")
    return list(range(count))


def inputs_of(model: Any) -> int:
    for module in model.modules():
        if isinstance(module, nn.Neuron):
            return len(module.w)
    raise CommandError("the model has no neurons, so its number of inputs is unknown")


def leaves(pairs: Sequence[str]) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier():
            raise CommandError(f"expected NAME=NUMBER, got {pair!r}")
        if name in CONSTANTS:
            raise CommandError(f"{name} is a constant, {CONSTANTS[name]:.6g}: choose a different name")
        if name in result:
            raise CommandError(f"{name} is given twice")
        try:
            result[name] = Value(float(text), label=name)
        except ValueError:
            raise CommandError(f"{text!r} is not a number, in {pair!r}") from None
    return result


def evaluate(arguments: Any) -> Value:
    expression = parse(arguments.expression)
    values = leaves(arguments.values)
    unused = [name for name in values if name not in expression.names]
    if unused:
        raise CommandError(f"not in the expression: {', '.join(unused)}")
    result = expression(values)
    return result if isinstance(result, Value) else Value(result)


def graph(arguments: Any) -> None:
    result = evaluate(arguments)
    result.backward()
    if arguments.save is None:
        show(viz.picture(result))
    else:
        viz.draw(result, title=" ".join(arguments.expression.split())).save(arguments.save)
        print(f"saved to {arguments.save}")


def check(arguments: Any) -> None:
    result = evaluate(arguments)
    where = f"at {' '.join(arguments.values)}" if arguments.values else "here"
    if math.isnan(result.data):
        raise CommandError(f"the expression is undefined (NaN) {where}: choose other values")
    if math.isinf(result.data):
        raise CommandError(
            f"the expression is {result.data} {where}, so it has no derivative there: choose other "
            f"values"
        )
    report = check_gradients(result)
    ends = [row.name for row in report.comparisons if math.isnan(row.numerical)]
    if ends:
        raise CommandError(
            f"the expression is undefined near {' '.join(arguments.values)}, for slightly smaller or "
            f"larger {' or '.join(ends)}: choose other values"
        )
    print(report)
    if not report:
        raise CommandError("some gradients do not agree")


def studio(arguments: Any) -> None:
    from .studio.server.serving import serve

    use(arguments.exercises)
    exercises()  # report errors here, not on the page
    serve(arguments.port, browser=not arguments.no_browser, course=arguments.course)


def info(_: Any) -> None:
    print(f"chainrule  {__version__}")
    print(f"core       {core_in_words()}")
    compiler, kept = kernels.description()
    print(f"kernels    {compiler}")
    print(f"cache      {kept}")
    print(f"python     {platform.python_version()}, NumPy {np.__version__}")
    for extra, module in EXTRAS.items():
        missing = f"not installed: pip install 'chainrule[{extra}]'"
        print(f"{extra:<10} {'installed' if importlib.util.find_spec(module) else missing}")
    print(f"exercises  learners' programs are {protection()}")


def cache(_: Any) -> None:
    folder = open_folder()
    if isinstance(folder, str) or folder.reason:
        raise CommandError(folder if isinstance(folder, str) else folder.reason)
    count = folder.clear()
    print(f"removed {count} kernel{'' if count == 1 else 's'} from {folder.path}")


def core_in_words() -> str:
    if core == "c":
        return "compiled"
    if c_core is not None:
        return "reference, chosen by CHAINRULE_CORE=python; the compiled core is available"
    return "reference; the compiled one was not built: install a C compiler and reinstall chainrule"


if __name__ == "__main__":
    sys.exit(main())
