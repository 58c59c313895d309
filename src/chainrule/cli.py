"""The command line: `chainrule demo | train | predict | graph | check | learn | studio | info`.

Errors are one line on standard error and a non-zero exit code, never a traceback.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from . import Value, __version__, check_gradients, core, demo, nn, train, viz
from .data.datasets import BY_NAME as DATA_SETS
from .data.files import Table, read_table
from .inspect.expressions import CONSTANTS, parse
from .learn.commands import add_command, add_exercises, add_learn
from .learn.exercise import exercises, use
from .learn.sandbox.isolation import protection
from .nn.activations import NAMES
from .nn.losses import short_name
from .nn.saving import columns_of, load, save
from .optim.optimizers import BY_NAME as OPTIMIZERS
from .support.atomic.files import place
from .train.diagnosing import review
from .train.metrics import Metrics, number
from .value import c_core
from .viz.formats.text import show

# nll needs a network that ends in log_softmax; the two together are cross_entropy.
LOSSES = [name for name in train.LOSSES if name != "nll"]
EXTRAS = {
    "plot": "matplotlib",
    "jax": "jax",
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
    add_command(commands, "info", "show the version, the core and the installed extras", info, "info")
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
        more=".\nA CSV file has one sample per line: comma-separated numbers, the target last,\n"
        "as in 0.5,-1.2,1. The first line may be a header.",
    )
    hidden = "units in each hidden layer (default: 16 16); without numbers, no hidden layers"
    p.add_argument("data", help=f"{', '.join(DATA_SETS)} or a CSV file")
    p.add_argument("--hidden", type=int, nargs="*", default=[16, 16], metavar="N", help=hidden)
    activation = "activation of the hidden layers (default: tanh)"
    p.add_argument("--activation", choices=NAMES, default="tanh", help=activation)
    loss = "default: chosen to suit the data"
    p.add_argument("--loss", type=short_name, choices=LOSSES, help=loss)
    p.add_argument("--optimizer", choices=list(OPTIMIZERS), default="adam", help="default: adam")
    p.add_argument("--lr", type=float, default=0.01, help="learning rate (default: 0.01)")
    p.add_argument("--epochs", type=int, default=200, help="default: 200")
    p.add_argument("--batch-size", type=int, help="samples per step (default: all)")
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
        more=".\nEach line has the raw outputs of the network, separated by commas. For a model\n"
        "trained with `chainrule train`, they are: for regression, the predicted number; for two\n"
        "classes, one score, above 0 for class 1 (with binary_cross_entropy, a probability, above\n"
        "0.5 for class 1); for more classes, one score per class, starting with class 0. The largest\n"
        "score marks the predicted class.",
    )
    p.add_argument("model", help="a file written by `chainrule train --save`")
    p.add_argument(
        "data",
        help="a CSV file; if both it and the training file have headers, inputs are matched by name, "
        "otherwise by position; one extra column is taken to be the target and ignored",
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


def load_data(name: str, seed: int) -> tuple[Any, Any, list[str]]:
    """X, y and the column names, if any, with the target's name last."""
    if name in DATA_SETS:
        given = {"seed": seed} if "seed" in signature(DATA_SETS[name]).parameters else {}
        return (*DATA_SETS[name](**given), [])
    if not Path(name).is_file():
        raise CommandError(f"no data set or file {name!r}; the data sets are {', '.join(DATA_SETS)}")
    table = read_table(name)
    return *table.split(-1), table.header


def is_classes(y: Any) -> bool:
    return bool(
        len(set(y)) <= 20 and all(float(label).is_integer() and 0 <= label < 1000 for label in y)
    )


def choose_loss(name: str, y: Any) -> tuple[str, int]:
    """The loss for these targets, and the number of outputs it needs."""
    if name == "xor" or not is_classes(y):
        return "mse", 1
    classes = int(max(y)) + 1
    return ("binary_cross_entropy_with_logits", 1) if classes <= 2 else ("cross_entropy", classes)


def how_taken(loss: str, y: Any) -> str:
    """How the targets in a file were interpreted, and how to change that."""
    present = {float(label) for label in y}
    if loss != "mse":
        last = max(1, int(max(present)))
        occur = "occurs" if len(present) == 1 else "occur"
        gaps = f", of which {len(present)} {occur}" if len(present) <= last else ""
        return f"targets: classes 0 to {last}{gaps}; to predict numbers instead, use --loss mse"
    if present != {-1.0, 1.0}:
        return ""
    return "targets: the numbers -1 and 1; to treat them as two classes, use --loss hinge"


def targets_for(loss: str, y: Any) -> Any:
    """The targets in the form that the loss expects."""
    if loss == "cross_entropy":
        return y.astype(int)
    if loss != "hinge" or set(y) <= {-1, 1}:
        return y
    if not set(y) <= {0, 1}:
        few = ", ".join(f"{label:g}" for label in sorted(set(y))[:5])
        raise CommandError(f"hinge needs two classes, either 0 and 1 or -1 and 1; got {few}")
    return 2 * y - 1


def metrics_for(loss: str, y: Any) -> Metrics:
    """The metrics: accuracy if the targets are classes."""
    if loss in ("mse", "l1", "huber") or not (is_classes(y) or loss == "hinge"):
        return {}
    threshold = 0.5 if loss == "binary_cross_entropy" else 0.0
    return {"accuracy": partial(train.accuracy, threshold=threshold)}


def check_before_training(arguments: Any) -> None:
    """Check early what would otherwise fail after a long training run."""
    for file in (arguments.save, arguments.plot):
        if file is not None:
            place(file)
    if arguments.plot is not None and not importlib.util.find_spec("matplotlib"):
        raise CommandError("plotting needs matplotlib: pip install 'chainrule[plot]'")
    if arguments.seed < 0:
        raise CommandError(f"seed must not be negative, got {arguments.seed}")


def train_command(arguments: Any) -> None:
    check_before_training(arguments)
    X, y, names = load_data(arguments.data, arguments.seed)
    loss, outputs = choose_loss(arguments.data, y)
    if arguments.loss:
        loss = arguments.loss
        if loss == "cross_entropy" and not is_classes(y):
            raise CommandError(f"{loss} needs class numbers as targets: 0, 1, 2 and so on")
        outputs = int(max(y)) + 1 if loss == "cross_entropy" else 1
    targets = targets_for(loss, y)
    squash = nn.activation_named("sigmoid" if loss == "binary_cross_entropy" else "linear")
    sizes = [*arguments.hidden, outputs]
    model = nn.MLP(X.shape[1], sizes, arguments.activation, squash, init="xavier", seed=arguments.seed)
    optimizer = OPTIMIZERS[arguments.optimizer](model.parameters(), lr=arguments.lr)
    target = f", target {names[-1]}" if names else ""
    size = f"{len(X)} samples, {X.shape[1]} inputs{target}; {len(model.parameters())} parameters"
    print(f"{arguments.data}: {size}; {loss}")
    if not arguments.loss and arguments.data not in DATA_SETS and (taken := how_taken(loss, y)):
        print(taken)
    history = train.fit(
        model,
        train.loss_named(loss),
        X,
        targets,
        optimizer=optimizer,
        epochs=arguments.epochs,
        batch_size=arguments.batch_size,
        metrics=metrics_for(loss, y),
        seed=arguments.seed,
        progress=sys.stderr.isatty(),
    )
    print(history)
    for finding, text in review(model, loss, X, targets, names[:-1], history, optimizer).items():
        print(f"{finding}: {text}")
    if arguments.data == "xor":
        for x, target in zip(X, y, strict=True):
            output = model(x)
            shown = ", ".join(
                f"{v.data:.3f}" for v in (output if isinstance(output, list) else [output])
            )
            print(f"  {x[0]:.0f} xor {x[1]:.0f} = {shown}   target {target:.0f}")
    if arguments.save is not None:
        distinct = len(set(names)) == len(names)  # otherwise a name is ambiguous
        save(model, arguments.save, names[:-1] if distinct else ())
        print(f"saved to {arguments.save}")
    if arguments.plot is not None:
        history.plot(arguments.plot)
        print(f"plot saved to {arguments.plot}")


def predict(arguments: Any) -> None:
    model = load(arguments.model)
    table = read_table(arguments.data)
    for x in table.numbers(input_columns(arguments.model, inputs_of(model), table)):
        output = model(x)
        row = output if isinstance(output, list) else [output]
        print(",".join(f"{number(v):.6g}" for v in row))


def input_columns(model: str, count: int, table: Table) -> list[int]:
    """The positions of the model's input columns: by name if both have names, else the first ones."""
    width = len(table.names)
    wanted = columns_of(model)
    if wanted and len(wanted) != count:
        raise CommandError(f"{model} is damaged: it has {count} inputs and {len(wanted)} names for them")
    if wanted and table.header:
        if missing := [name for name in wanted if name not in table.header]:
            raise CommandError(
                f"the model was trained on the columns {', '.join(wanted)}; {table.source} has no "
                f"{missing[0]}"
            )
        return [table.place(name) for name in wanted]
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
    print(f"python     {platform.python_version()}, NumPy {np.__version__}")
    for extra, module in EXTRAS.items():
        missing = f"not installed: pip install 'chainrule[{extra}]'"
        print(f"{extra:<10} {'installed' if importlib.util.find_spec(module) else missing}")
    print(f"exercises  learners' programs are {protection()}")


def core_in_words() -> str:
    if core == "c":
        return "compiled"
    if c_core is not None:
        return "reference, chosen by CHAINRULE_CORE=python; the compiled core is available"
    return "reference; the compiled one was not built: install a C compiler and reinstall chainrule"


if __name__ == "__main__":
    sys.exit(main())
