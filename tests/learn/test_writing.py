"""Prose is wrapped to the width of the terminal; code, tables and headings are not."""

import io

import pytest

from chainrule.learn import reading
from chainrule.learn.course import Lesson, lessons
from chainrule.learn.exercise import exercises
from chainrule.learn.sandbox.runner import Outcome
from chainrule.learn.terminal import output, session

MARKDOWN = """\
# A title that is longer than the terminal is wide, by far

One two three four five six seven `a * b + c` eight nine.
Ten.

- an item that is longer than one line of the terminal
  goes on
- another

10. the tenth of them, which is long as well, so it wraps

    code = "as long as its author wants it to be, to the letter"

    more = 1

| a | table | that | has | many | columns | in | a | row |

```python
x = "fenced code that is longer than the terminal is wide"
```
"""
FILLED = """\
# A title that is longer than the terminal is wide, by far

One two three four five six seven
`a * b + c` eight nine. Ten.

- an item that is longer than one line
  of the terminal goes on
- another

10. the tenth of them, which is long as
    well, so it wraps

    code = "as long as its author wants it to be, to the letter"

    more = 1

| a | table | that | has | many | columns | in | a | row |

```python
x = "fenced code that is longer than the terminal is wide"
```"""


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


@pytest.mark.usefixtures("narrow")
def test_wrapping_markdown() -> None:
    assert output.prose(MARKDOWN) == FILLED
    assert output.prose(FILLED) == FILLED


def test_lines_have_at_most_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, widest in (("60", 60), ("100", 100), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        lines = output.prose("word " * 100).splitlines()
        assert widest - 5 < max(map(len, lines)) <= widest


@pytest.mark.usefixtures("narrow")
def test_a_word_that_is_too_long_gets_its_own_line() -> None:
    assert output.prose(f"see {'x' * 50} there") == f"see\n{'x' * 50}\nthere"


@pytest.mark.usefixtures("narrow")
def test_wrapping_reports() -> None:
    message = (
        "the gradient of a is not what it should be, at all\n  with      a = 1, b = 2\n"
        "  expected  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]\n"
        "    an indented line as Python prints it below an error\n  got       2"
    )
    assert output.report(message) == (
        "the gradient of a is not what it should\nbe, at all\n  with      a = 1, b = 2\n"
        "  expected  [1, 2, 3, 4, 5, 6, 7, 8, 9,\n            10, 11, 12]\n"
        "    an indented line as Python prints it below an error\n  got       2"
    )
    outcome = Outcome("failed", "word " * 20, "printed " * 20)
    shown = session.report(exercises()[0], outcome, output.Style(io.StringIO()))
    head, *rest = shown.splitlines()
    assert head == "  | " + ("printed " * 20).rstrip()  # the learner's output is not wrapped
    assert all(len(line) <= 40 for line in rest)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_lessons_keep_their_code_and_their_words(lesson: Lesson) -> None:
    shown = reading.read(lesson.number)
    for block in lesson.of("python"):
        assert "\n".join(f"    {line}" for line in block.text.rstrip().splitlines()) in shown
    words = " ".join(shown.split())
    for block in lesson.of("markdown"):
        assert " ".join(block.text.split()) in words
