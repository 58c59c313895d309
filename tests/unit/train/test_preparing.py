"""Tables prepared for training: what becomes of every kind of column, and that all of it is said."""

import contextlib
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chainrule import data, nn, train
from chainrule.data.files import Table, read_rows
from chainrule.data.preparing import Preparation, prepare
from chainrule.value import Value

from ...near import near


def table(text: str) -> Table:
    return read_rows(text.strip().splitlines(), "the table", text=True)


def rows(*columns: Any, header: str = "") -> Table:
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return table("\n".join([header, *lines] if header else lines))


NUMBERS = [1.5, 2.0, 4.0, 5.0]


# --- columns -------------------------------------------------------------------------------------


def test_numbers_are_standardised() -> None:
    found = prepare(rows([10, 20, 30, 40], [-1e300, 1e300, 0, 0], NUMBERS))
    expected = [-1.3416407864998738, -0.4472135954999579, 0.4472135954999579, 1.3416407864998738]
    assert found.X[:, 0].tolist() == near(expected, rel=1e-15)
    assert found.X.mean(axis=0).tolist() == near([0.0, 0.0], abs=1e-15)
    assert found.X.std(axis=0).tolist() == near([1.0, 1.0], rel=1e-15)
    assert (found.y.mean(), found.y.std()) == (near(0.0, abs=1e-15), near(1.0, rel=1e-14))
    assert found.notes == ["numbers and the target standardised: mean 0, standard deviation 1"]
    answers = [found.preparation.answer([y]) for y in found.y]
    assert [answer for answer, _ in answers] == near(NUMBERS, rel=1e-15)
    assert {share for _, share in answers} == {None}


def test_missing_numbers_are_filled_with_the_mean() -> None:
    for missing in ("", " ", "NA", "NaN", "nan", "?", "null", "None", "N/A"):
        found = prepare(rows([1, missing, 3, 5], NUMBERS, header="a,y"))
        assert found.X[1].tolist() == [0.0]
        assert found.notes[0] == "a: 1 missing cell filled with the mean, 3"


def test_text_with_few_values_becomes_one_input_for_each() -> None:
    colors = ["red", " blue ", "red", "", "green"]
    found = prepare(rows(colors, [1, 2, 3, 4, 5], [0.1, 0.2, 0.3, 0.4, 0.5], header="c,a,y"))
    one_hot = [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 1, 0]]
    assert found.X[:, :3].tolist() == one_hot
    assert found.notes[:2] == [
        "c: text, one input for each of its values, blue, green, red",
        "c: 1 missing cell filled with the most frequent, red",
    ]
    other = table("c,a,y\npurple,3,\n")
    assert found.preparation.samples(other).tolist() == [[0.0, 0.0, 0.0, 0.0]]
    assert found.preparation.filled(other) == ["c: purple did not occur in training"]


@pytest.mark.parametrize(
    ("column", "note"),
    [
        ([f"name {i}" for i in range(30)], "text with 24 different values"),
        (["same"] * 30, "always same"),
        ([7] * 30, "always 7"),
        ([""] * 30, "empty"),
    ],
)
def test_columns_without_use_are_left_out(column: list[Any], note: str) -> None:
    found = prepare(rows(range(30), column, np.sqrt(range(30)), header="a,b,y"))
    assert found.X.shape == (24, 1)
    assert found.notes[0] == f"b: {note}, left out"


def test_rows_without_a_target_are_left_out() -> None:
    found = prepare(rows([1, 2, 3, 4], ["low", "", "high", "NA"]))
    assert found.X.shape == (2, 1)
    assert found.notes[0] == "2 rows without a target left out"


# --- targets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "loss", "chosen", "values", "alternative"),
    [
        ([0, 1, 1], None, "binary_cross_entropy_with_logits", ("0", "1"), "mse"),
        ([-1, 1.0, "1"], None, "binary_cross_entropy_with_logits", ("-1", "1"), "mse"),
        ([3, 10, 2], None, "cross_entropy", ("2", "3", "10"), "mse"),
        (["b", "a", "b"], None, "binary_cross_entropy_with_logits", ("a", "b"), ""),
        (["b", "1", "c"], None, "cross_entropy", ("1", "b", "c"), ""),
        ([0.5, 1, 2], None, "mse", None, ""),
        ([1000, 2000, 1], None, "mse", None, "cross_entropy"),
        ([0, 1, 1], "mse", "mse", None, ""),
        ([0, 1, 1], "huber_loss", "huber", None, ""),
        ([0, 1, 1], "cross_entropy", "cross_entropy", ("0", "1"), ""),
        ([5, 7, 7], "hinge", "hinge", ("5", "7"), ""),
    ],
)
def test_the_task(
    targets: list[Any], loss: str | None, chosen: str, values: Any, alternative: str
) -> None:
    found = prepare(rows([1, 2, 3], targets), loss=loss)
    preparation = found.preparation
    assert preparation.loss == chosen
    assert getattr(preparation.target, "values", None) == values
    assert found.alternative == alternative
    assert preparation.outputs == (len(values) if chosen == "cross_entropy" else 1)


def test_classes_in_the_form_that_the_loss_expects() -> None:
    given = rows([1, 2, 3], ["b", "a", "b"])
    assert prepare(given).y.tolist() == [1, 0, 1]
    assert prepare(given, loss="hinge").y.tolist() == [1.0, -1.0, 1.0]
    assert prepare(given, target=0, loss="cross_entropy").y.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("loss", "output", "expected"),
    [
        ("binary_cross_entropy_with_logits", [1.0], ("b", 1 / (1 + math.exp(-1)))),
        ("binary_cross_entropy_with_logits", [-1.0], ("a", 1 / (1 + math.exp(-1)))),
        ("binary_cross_entropy", [0.25], ("a", 0.75)),
        ("cross_entropy", [0.0, math.log(3.0)], ("b", 0.75)),
        ("hinge", [-0.1], ("a", None)),
        ("hinge", [0.1], ("b", None)),
    ],
)
def test_answers_with_probabilities(loss: str, output: list[float], expected: Any) -> None:
    label, share = prepare(rows([1, 2, 3], ["b", "a", "b"]), loss=loss).preparation.answer(output)
    assert label == expected[0]
    assert share == (None if expected[1] is None else near(expected[1], rel=1e-15))


# --- held out ------------------------------------------------------------------------------------


def test_a_fifth_of_the_rows_is_held_out_and_does_not_decide_the_scale() -> None:
    x = [float(i) for i in range(50)]
    found = prepare(rows(x, [i % 7 + 0.5 for i in range(50)]), seed=3)
    X, y = found.held_out or (None, None)
    assert (len(found.X), len(X), len(y)) == (40, 10, 10)
    assert (found.X.mean(), found.X.std()) == (near(0.0, abs=1e-15), near(1.0, rel=1e-14))
    (column,) = found.preparation.inputs
    everything = np.concatenate([found.X, X])[:, 0] * column.scale + column.mean  # type: ignore[union-attr]
    assert sorted(everything) == near(x, abs=1e-12)
    other = prepare(rows(x, [i % 7 + 0.5 for i in range(50)]), seed=4)
    assert other.X.tolist() != found.X.tolist()
    assert prepare(rows(x[:19], x[:19])).held_out is None
    wider = prepare(rows(x, x), held_out=0.5).held_out
    assert wider is not None
    assert len(wider[0]) == 25


# --- which columns of another table --------------------------------------------------------------


def test_no_rows_are_held_out_on_request() -> None:
    x = np.arange(40.0)
    found = prepare(rows(x, 2.5 * x), held_out=0)
    assert found.held_out is None
    assert len(found.X) == 40


def test_columns_by_name_and_by_position() -> None:
    named = prepare(table("a,y,b\n1,0.5,10\n3,1.5,30\n"), target="y").preparation
    expected = [[-1.0, 1.0], [1.0, -1.0]]
    for text in (
        "a,b\n1,30\n3,10\n",
        "b,other,a\n30,x,1\n10,y,3\n",
        "1,,30\n3,,10\n",
        "1,30\n3,10\n",
    ):
        assert named.samples(table(text)).tolist() == expected
    for text, message in {
        "a,c\n1,2\n": "the model was trained on the columns a, b; the table has no b",
        "1,2,3,4\n": "the model was trained on 3 columns, the target included; the table has 4",
        "a,b,a\n1,2,3\n": "the table: several columns are called 'a'",
        "a,b\n1,x\n": "the table, line 2, column 2: 'x' is not a number",
    }.items():
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            named.samples(table(text))
    ambiguous = prepare(table("a,a,y\n1,10,0.5\n3,30,1.5\n")).preparation
    assert ambiguous.samples(table("a,a,y\n1,30,0\n3,10,0\n")).tolist() == expected


@pytest.mark.parametrize(
    ("text", "header", "count"),
    [
        ("a,b\n1,red\n", ["a", "b"], 1),
        ("1,red\n2,blue\n", [], 2),
        ("0,1,target\n5,6,7\n", ["0", "1", "target"], 1),
        ("1,,red\n2,3,blue\n", [], 2),
        (",a\n0,1\n", ["", "a"], 1),
    ],
)
def test_the_header_of_a_table_with_text(text: str, header: list[str], count: int) -> None:
    found = table(text)
    assert (found.header, len(found.rows)) == (header, count)


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("1\n2\n", {}, "the table: the target is the only column; expected inputs before it"),
        ("1,\n2,\n", {}, "the table: the target x1 is missing in every row"),
        ("1,3\n2,3\n", {}, "the table: the target x1 is 3 in every row: there is nothing to learn"),
        ("1,0.5\n1,2\n", {}, "the table: no column is left to learn from: x0: always 1, left out"),
        (
            "1,0.5\n2,2\n",
            {"loss": "hinge"},
            "hinge needs classes, as text or whole numbers; the target x1",
        ),
        ("1,1\n2,2\n3,3\n", {"loss": "hinge"}, "hinge needs two classes; the target x1 has 1, 2, 3"),
        ("1,a\n2,b\n", {"loss": "mse"}, "the table, line 1, column 2: 'a' is not a number"),
        ("1,1\n2,2\n", {"loss": "nll"}, "a table is prepared for the losses mse, l1, huber, "),
        ("1,2,9\n1,2,8\n3,x,7\n", {}, "the table, line 3, column 2: 'x' is not a number"),
        ("1,inf,9\n1,2,8\n3,4,7\n", {}, "the table, line 1, column 2: 'inf' is not a finite number"),
        ("1,2\n", {"target": "y"}, "the table: no column 'y'; the columns are x0, x1"),
        ("1,2,9\n1,1_0,8\n3,4,7\n", {}, "the table, line 2, column 2: '1_0' is not a number"),
        ("a;b\n1;2\n3;4\n", {}, "the table: semicolons separate the columns; put commas between"),
        ("1,5;2,5;3\n4,5;1,5;2\n", {}, "the table: semicolons separate the columns; put commas"),
        ("1,2\n", {"held_out": 2}, "held_out is a fraction of the rows, from 0 to less than 1, got 2"),
    ],
)
def test_errors(given: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as caught:
        prepare(table(given), **options)
    assert "\n" not in str(caught.value)


def test_a_target_of_too_many_values() -> None:
    given = rows(range(30), [f"name {i}" for i in range(30)])
    message = (
        "the table: the target x1 has 30 different values in 30 rows, such as name 9: expected numbers, "
        "or a few classes"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        prepare(given)


# --- as text, and from Python --------------------------------------------------------------------


def examples() -> list[Preparation]:
    colors = ["red", "blue", "red", "green"]
    return [
        prepare(rows(NUMBERS, colors, NUMBERS, header="a,c,y")).preparation,
        prepare(rows(NUMBERS, colors)).preparation,
        prepare(rows(NUMBERS, [0, 1, 0, 1]), loss="hinge").preparation,
    ]


def test_as_text_and_back() -> None:
    for preparation in examples():
        assert Preparation.from_text(preparation.as_text()) == preparation


@pytest.mark.parametrize(
    "value", [None, True, -1, 10**400, 0, 1.5, math.nan, math.inf, "", "x", [], {}, [1], [[]]]
)
def test_damaged_text_is_refused_or_read_soundly(value: Any) -> None:
    for preparation in examples():
        fields = json.loads(preparation.as_text())
        places = [fields, fields["target"], *fields["inputs"]]
        for place in places:
            for name in list(place):
                kept = place[name]
                place[name] = value
                found = None
                with contextlib.suppress(ValueError):
                    found = Preparation.from_text(json.dumps(fields))
                if found is not None and found.columns < 100:
                    assert Preparation.from_text(found.as_text()) == found
                    X = found.samples(rows(*[[1, 2]] * found.columns))
                    assert np.isfinite(X).all()
                    found.answer([0.5] * found.outputs)
                place[name] = kept
    for text in ("", "[]", "3", "{}", "[" * 100_000, "null"):
        with pytest.raises(ValueError, match=r"."):
            Preparation.from_text(text)


def test_a_file_prepared_and_trained_in_python(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    size, rooms = rng.uniform(50, 3000, 200), rng.integers(1, 6, 200)
    path = tmp_path / "houses.csv"
    lines = [f"{a},{b},{120 * a + 9000 * b}" for a, b in zip(size, rooms, strict=True)]
    path.write_text("size,rooms,price\n" + "\n".join(lines))
    houses = data.prepare(path)
    model = nn.MLP(2, [8, houses.preparation.outputs], seed=0)
    history = train.fit(
        *(model, "mse", houses.X, houses.y),
        validation=houses.held_out,
        metrics={"R²": train.r_squared},
        progress=False,
    )
    assert history.metrics["R²"][-1] > 0.95
    sample = houses.preparation.samples(table("size,rooms\n1000,3\n"))[0]
    price, _ = houses.preparation.answer([model(sample).data])
    assert price == near(147_000, rel=0.1)


def test_r_squared() -> None:
    assert train.r_squared([Value(1.0), Value(2.0), Value(6.0)], [1.0, 2.0, 6.0]) == 1.0
    assert train.r_squared([3.0, 3.0, 3.0], np.array([1.0, 2.0, 6.0])) == near(0.0, abs=1e-15)
    assert train.r_squared([[Value(2.0)], [Value(2.0)]], [1.0, 3.0]) == near(0.0, abs=1e-15)
    assert math.isnan(train.r_squared([1.0], [1.0]))
