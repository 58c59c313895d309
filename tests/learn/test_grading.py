"""A class is graded whatever its files do."""

from __future__ import annotations

from pathlib import Path

from .submissions import run


def test_a_hostile_class_gets_the_right_marks(tmp_path: Path) -> None:
    """A few submissions; more, of more kinds: `python -m tests.learn.submissions 200`."""
    wrong, seconds = run(tmp_path, 24)
    assert not wrong, "\n".join(wrong)
    assert seconds < 120
