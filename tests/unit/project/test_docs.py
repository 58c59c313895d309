"""Runs every example in the README and docs, and compares its output with the text."""

import contextlib
import io
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from ...conftest import python, require_imports

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SPECIAL = ROOT / "tests" / "conformance" / "campaigns" / "special_values.txt"
EXAMPLE = re.compile(
    r"```python\n(?P<code>(?:(?!```).)*)```\n\n```text\n(?P<output>(?:(?!```).)*)```", re.DOTALL
)


def examples() -> list[tuple[str, str, str]]:
    return [
        (f"{page.name} {i}", match["code"], match["output"])
        for page in PAGES
        for i, match in enumerate(EXAMPLE.finditer(page.read_text()))
    ]


def test_the_readme_has_examples() -> None:
    assert len([name for name, _, _ in examples() if name.startswith("README")]) >= 4


@pytest.mark.parametrize(("name", "code", "output"), examples(), ids=[name for name, _, _ in examples()])
def test_example(name: str, code: str, output: str) -> None:
    require_imports(code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), {})
    assert printed.getvalue() == output


def test_the_examples_of_the_readme_type_check(tmp_path: Path) -> None:
    """As in a user's project, with mypy --strict."""
    files = []
    for i, (name, code, _) in enumerate(examples()):
        if name.startswith("README") and "def cube(x):" not in code:
            require_imports(code)
            files.append(tmp_path / f"example_{i}.py")
            files[-1].write_text(code)
    options = ["--strict", "--config-file=", "--follow-imports=silent"]  # report only the examples
    environment = {"MYPYPATH": str(ROOT / "src"), "LD_PRELOAD": ""}  # mypy needs no sanitizer
    run = python("-m", "mypy", *options, *files, environment=environment, cwd=tmp_path)
    assert run.returncode == 0, run.stdout


def test_the_demo_output_in_the_readme_is_up_to_date() -> None:
    """Compares everything except the time and the core."""
    text = (ROOT / "README.md").read_text()
    shown = text.split("$ chainrule demo\n")[1].split("```")[0]
    run = python("-m", "chainrule", "demo", check=True)
    last_line = re.compile(r"\d+\.\d\d s on the \w+ core\.")
    assert last_line.sub("", run.stdout) == last_line.sub("", shown)
    assert last_line.search(run.stdout)


def test_the_number_of_special_values_is_up_to_date() -> None:
    rows = sum(1 for line in SPECIAL.read_text().splitlines() if not line.startswith("#"))
    assert f"{rows:,}" in " ".join((ROOT / "docs" / "numerics.md").read_text().split())


def test_names_in_running_text_exist() -> None:
    names = {
        name
        for page in [*PAGES, ROOT / "CHANGELOG.md"]
        for name in re.findall(r"`(chainrule(?:\.\w+)+)[`(\[]", page.read_text())
    }
    assert len(names) >= 5
    for name in names:
        resolve_name(name)


def test_links_point_to_existing_files() -> None:
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_picture_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    import picture

    assert picture.draw(picture.expression()) == picture.PICTURE.read_text(), "run `make regen`"
