"""The course in the studio, in a real browser: reading lessons, running code, quizzes, exercises.

The tests compare the page with the library, and what it saves with what the terminal then shows.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from chainrule import Value
from chainrule.learn.course import lesson, lessons
from chainrule.learn.exercise import exercise
from chainrule.learn.progress import Progress

from .studio import Pages, becomes, checked, serious, wait_for_text

MUL = exercise("write_mul")
WRONG = MUL.solution.replace("self.data * other.data", "self.data + other.data")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("learner") / "course"


@pytest.fixture(scope="module")
def words(folder: Path) -> tuple[str, ...]:
    return "--course", str(folder)


@pytest.fixture(autouse=True)
def _empty(folder: Path) -> None:
    """Every test starts with an empty folder."""
    for path in folder.glob("*"):
        path.unlink(missing_ok=True)  # the server may still be renaming a file that a closed page saved


def at(pages: Pages, place: str, **options: Any) -> Any:
    page = pages.open(f"#learn/{place}" if place else "#learn", **options)
    page.wait_for_selector("#learn-view h2")
    return page


def there_and_back(page: Any, selector: str) -> None:
    """Go to the list of lessons, and back to the page that contains `selector`."""
    page.get_by_role("link", name="All lessons").click()
    page.wait_for_selector(".lesson-row")
    page.go_back()
    page.wait_for_selector(selector)


def place_of(page: Any) -> str:
    return str(page.evaluate("location.hash"))


# --- the list and the URL --------------------------------------------------------------------------


def test_the_list_leads_to_lessons_and_exercises(pages: Pages, folder: Path) -> None:
    Progress(folder).note_passed("write_mul")
    page = pages()
    page.get_by_role("tab", name="Learn").click()
    page.wait_for_selector(".lesson-row")
    assert place_of(page) == "#learn"
    assert page.locator(".lesson-row").count() == len(lessons())
    assert "1 of 40 exercises passed" in page.inner_text(".how-far")
    assert page.get_by_role("img", name="passed", exact=True).count() == 1
    assert "lists further protections on your system." in page.inner_text("#learn-view")
    assert str(folder) in page.inner_text("#learn-view")
    page.get_by_role("link", name="Lesson 3: The backward pass").click()
    page.wait_for_selector(".lesson")
    assert place_of(page) == "#learn/3"
    assert page.title() == "3. The backward pass – chainrule studio"
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.get_by_role("link", name="A product swaps").click()
    page.wait_for_selector(".exercise")
    assert place_of(page) == "#learn/exercise/backward_mul"
    page.go_back()
    page.wait_for_selector(".lesson")
    page.go_back()
    page.wait_for_selector(".course")


def test_the_url_keeps_the_lesson_along_with_other_settings(pages: Pages) -> None:
    page = at(pages, "2")
    page.get_by_role("button", name="Dark theme").click()
    assert place_of(page) == "#learn/2&theme=dark"
    page.reload()
    page.wait_for_selector(".lesson")
    assert page.inner_text(".lesson h2") == "The graph"
    page.get_by_role("tab", name="Stepper").click()
    assert "learn" not in place_of(page)
    page.get_by_role("tab", name="Learn").click()
    assert place_of(page) == "#learn/2&theme=dark"


@pytest.mark.parametrize("place", ["99", "nothing", "exercise/nothing", "exercise/__proto__", "3/4"])
def test_nonexistent_places(pages: Pages, place: str) -> None:
    page = at(pages, place)
    if place != "3/4":
        assert "there is no " in page.inner_text("#learn-view")
        page.get_by_role("link", name="All lessons").click()
        page.wait_for_selector(".lesson-row")


# --- a lesson --------------------------------------------------------------------------------------


def test_reading_running_and_changing_code(pages: Pages) -> None:
    page = at(pages, "1")
    assert page.inner_text(".lesson h2") == lesson(1).title
    block = page.get_by_role("group", name="Code 7 of 11", exact=True)
    assert "It prints" in block.inner_text()
    first = page.get_by_role("group", name="Code 1 of 11", exact=True)
    first.get_by_role("button", name="Run").click()
    first.get_by_text("It printed").wait_for()
    assert first.locator("pre").last.inner_text().strip() == "-6.0"
    first.get_by_role("textbox").fill("a = 5.0\nprint(a * 2)\nprint(nothing)")
    first.get_by_role("textbox").press("Control+Enter")
    first.get_by_text("It raised an error").wait_for()
    text = first.inner_text()
    assert "10.0" in text
    assert "NameError: name 'nothing' is not defined, at line 3" in text
    third = page.get_by_role("group", name="Code 3 of 11", exact=True)
    third.get_by_role("button", name="Run").click()
    third.get_by_text("block 1 of this lesson raises NameError").wait_for()
    # A change survives a visit to another page, and can be undone.
    there_and_back(page, ".lesson")
    assert first.get_by_role("textbox").input_value().startswith("a = 5.0")
    first.get_by_role("button", name="Undo changes").click()
    assert first.get_by_role("textbox").input_value() == lesson(1).of("python")[0].text.rstrip()


def test_highlighting_does_not_change_the_code(pages: Pages) -> None:
    for number in (1, 9, 14):
        page = at(pages, str(number))
        pairs = page.locator(".editor").evaluate_all(
            """all => all.map((e) => ['textarea', 'pre'].map((name) => e.querySelector(name)))
               .map(([field, shown]) => [field.value, shown.textContent])"""
        )
        assert all(f"{text}\n" == shown for text, shown in pairs)
        assert page.locator(".py-keyword").count() > 5


def test_a_figure_shows_the_librarys_numbers(pages: Pages) -> None:
    page = at(pages, "3")
    figure = page.locator(".figure .chainrule-stepper").first
    slider = figure.locator("input[type=range]:not(.timeline)").first
    slider.focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    fields = {name: figure.get_by_label(f"Value of {name}", exact=True) for name in "abc"}
    numbers = {name: float(field.input_value()) for name, field in fields.items()}
    assert numbers != {"a": 2.0, "b": -3.0, "c": 10.0}
    leaves = {name: Value(x) for name, x in numbers.items()}
    result = leaves["a"] * leaves["b"] + leaves["c"]
    result.backward()
    shown = figure.inner_text()
    assert f"{result.data:.4f}" in shown.replace("−", "-")
    for leaf in leaves.values():
        assert f"{leaf.grad:.4f}" in shown.replace("−", "-")


def test_a_network_learns_in_a_figure(pages: Pages) -> None:
    page = at(pages, "8")
    figure = page.locator(".trainer-figure")
    epochs = "Number(document.querySelector('.trainer-figure dd').textContent.replace(',', ''))"
    figure.get_by_role("button", name="Start").click()
    page.wait_for_function(f"() => {epochs} > 60")
    figure.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(400)
    epoch, loss, accuracy = figure.locator("dd").all_inner_texts()
    page.wait_for_timeout(400)
    assert figure.locator("dd").all_inner_texts() == [epoch, loss, accuracy]
    assert (float(loss) < 0.7, accuracy) == (True, "100.0 %")
    assert figure.locator(".contour").get_attribute("d")
    figure.get_by_role("button", name="Reset").click()
    page.wait_for_function(f"() => {epochs} < 60")
    figure.get_by_role("link", name="Open in the Trainer").click()
    page.wait_for_selector("#trainer:not([hidden])")
    assert page.locator("#layers output").all_inner_texts() == ["4"]
    assert page.input_value("#rate") == "0.05"


def test_quizzes_right_and_wrong(pages: Pages, folder: Path) -> None:
    page = at(pages, "2")
    asked = [quiz.data for quiz in lesson(2).of("quiz")]
    number = page.locator(".quiz").nth(0)
    number.get_by_label("Your answer").fill("three")
    assert "Type a number" in checked(number)
    number.get_by_label("Your answer").fill("5")
    assert "Not quite" in checked(number)
    assert asked[0]["worked"] not in number.inner_text()
    number.get_by_label("Your answer").fill("3")
    assert "Right" in checked(number)
    assert asked[0]["worked"] in number.inner_text()
    page.locator(".quiz").nth(1).get_by_role("button", name="Show me").click()
    assert "The answer is 5." in page.locator(".quiz").nth(1).inner_text()
    choice = page.locator(".quiz").nth(3)
    for option in asked[3]["option"]:
        choice.get_by_label(option["text"]).check()
        assert option["feedback"] in checked(choice)
        assert ("Right" if option.get("right") else "Not quite") in choice.inner_text()
    first = bool(asked[3]["option"][0].get("right"))
    kept = {"2.1": False, "2.2": False, "2.4": first}
    becomes(page, lambda: Progress.read(folder).quizzes, kept)
    page.reload()
    page.wait_for_selector(".quiz")
    assert page.locator(".quiz").nth(0).get_by_text("answered before").is_visible()


def test_clicking_a_node(pages: Pages, folder: Path) -> None:
    page = at(pages, "2")
    quiz = page.locator(".quiz").nth(2)
    quiz.get_by_role("checkbox", name=re.compile("^a,")).click()
    assert "A chosen node is not part of the answer." in checked(quiz)
    assert "-36" not in quiz.inner_text()  # the result is not revealed
    quiz.get_by_role("checkbox", name=re.compile("^a,")).press("Space")
    quiz.get_by_role("checkbox", name=re.compile("^b,")).press("Space")
    assert lesson(2).of("quiz")[2].data["feedback"] in checked(quiz)
    assert "-36.0000" in quiz.inner_text()
    becomes(page, lambda: Progress.read(folder).quizzes, {"2.3": False})


def test_asking_for_more_questions(pages: Pages) -> None:
    page = at(pages, "6")
    page.get_by_role("button", name="Ask me a question").click()
    quiz = page.locator(".more-questions .quiz")
    quiz.wait_for()
    texts = set()
    for _ in range(3):
        texts.add(quiz.locator(".question-text").inner_text())
        quiz.get_by_role("button", name="Show me").click()
        assert "through" in quiz.inner_text()
        page.get_by_role("button", name="Ask another").click()
        becomes(page, lambda: "through" in quiz.inner_text(), False)
    assert len(texts) > 1
    assert at(pages, "1").get_by_role("button", name="Ask me a question").count() == 0


# --- an exercise -----------------------------------------------------------------------------------


def editor(page: Any) -> Any:
    return page.get_by_role("textbox", name="write_mul.py, Python")


def saved(page: Any) -> None:
    wait_for_text(page, ".save-state", "^saved$")


def test_a_wrong_then_a_right_solution_which_the_terminal_lists(pages: Pages, folder: Path) -> None:
    page = at(pages, "exercise/write_mul")
    assert editor(page).input_value() == MUL.starter
    editor(page).fill(WRONG)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("✗ Not yet.").wait_for()
    facts = page.locator(".facts > div").all_inner_texts()
    assert [" ".join(fact.split()) for fact in facts] == ["with x = 1, y = 1", "expected 1", "got 2"]
    assert "(Value(x) * Value(y)).data" in page.inner_text(".exercise .result")
    assert (folder / "write_mul.py").read_text() == WRONG
    editor(page).fill(MUL.solution)
    editor(page).press("Control+Enter")
    page.get_by_text("✓ Passed.").wait_for()
    assert page.inner_text(".passed-mark") == "✓ passed"
    assert (folder / "write_mul.py").read_text() == MUL.solution
    command = [sys.executable, "-m", "chainrule", "learn", "--folder", str(folder), "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "✓ write_mul" in listed
    page.get_by_role("link", name="Next: Remember the inputs").click()
    wait_for_text(page, ".exercise h2", "Remember the inputs")
    page.get_by_role("link", name="All lessons").click()
    page.wait_for_selector(".how-far")
    assert "1 of 40" in page.inner_text(".how-far")


def test_typed_text_is_saved(pages: Pages, folder: Path) -> None:
    page = at(pages, "exercise/write_mul")
    editor(page).fill("print('hello')\n")
    saved(page)
    assert (folder / "write_mul.py").read_text() == "print('hello')\n"
    page.get_by_role("button", name="Run").click()
    page.get_by_text("It printed").wait_for()
    assert "hello" in page.inner_text(".exercise .result")
    editor(page).fill("left in a hurry\n")
    there_and_back(page, ".exercise")
    assert editor(page).input_value() == "left in a hurry\n"
    becomes(page, (folder / "write_mul.py").read_text, "left in a hurry\n")
    editor(page).fill("closed in a hurry\n")
    page.goto("about:blank")
    becomes(page, (folder / "write_mul.py").read_text, "closed in a hurry\n")


def test_a_reopened_exercise_waits_for_its_last_save(pages: Pages, folder: Path) -> None:
    """Otherwise it would mistake its own last save for a change by another program."""
    page = at(pages, "exercise/write_mul")
    order: list[str] = []

    def slow(route: Any) -> None:
        order.append(route.request.method)
        answer = route.fetch()
        if route.request.method == "PUT" and order.count("PUT") == 1:
            page.wait_for_timeout(500)
        route.fulfill(response=answer)

    page.route("**/api/work/write_mul", slow)
    editor(page).fill("first\n")
    there_and_back(page, ".exercise")
    assert order == ["PUT", "GET"]
    assert editor(page).input_value() == "first\n"
    editor(page).fill("second\n")
    saved(page)
    assert (folder / "write_mul.py").read_text() == "second\n"


@pytest.mark.parametrize("arrives", [True, False])
def test_a_page_that_closes_while_saving_loses_nothing(
    pages: Pages, folder: Path, arrives: bool
) -> None:
    """The previous save has not been answered yet: it may have been written or lost."""
    page = at(pages, "exercise/write_mul")
    held: list[Any] = []

    def hold(route: Any) -> None:
        if route.request.method != "PUT" or held:
            route.fallback()
            return
        held.append(route.request.post_data_json["text"])
        if arrives:
            route.fetch()

    def written() -> list[str]:
        return [path.read_text() for path in folder.glob("*.py")]

    page.route("**/api/work/write_mul", hold)
    editor(page).fill("first\n")
    becomes(page, lambda: held, ["first\n"])
    if arrives:
        becomes(page, written, ["first\n"])
    editor(page).fill("last\n")
    page.goto("about:blank")
    becomes(page, written, ["last\n"])


@pytest.mark.parametrize(
    ("choice", "kept"), [("Keep this text", "mine\n"), ("Load the file", "theirs\n")]
)
def test_a_conflict_with_a_change_on_disk(pages: Pages, folder: Path, choice: str, kept: str) -> None:
    page = at(pages, "exercise/write_mul")
    editor(page).fill("first\n")
    saved(page)
    (folder / "write_mul.py").write_text("theirs\n")
    editor(page).fill("mine\n")
    banner = page.get_by_role("alert").filter(has_text="was changed by another program")
    banner.wait_for()
    page.get_by_role("button", name="Check").click()
    page.get_by_text("First choose which version of the file to keep.").wait_for()
    assert (folder / "write_mul.py").read_text() == "theirs\n"
    assert editor(page).input_value() == "mine\n"
    banner.get_by_text("The current content of the file").click()
    assert "theirs" in banner.inner_text()
    banner.get_by_role("button", name=choice).click()
    saved(page)
    assert not banner.is_visible()
    assert editor(page).input_value() == kept
    becomes(page, (folder / "write_mul.py").read_text, kept)
    if choice == "Load the file":  # undo brings back the discarded version
        editor(page).press("Control+z")
        assert editor(page).input_value() == "mine\n"


def test_a_change_on_disk_is_noticed_when_the_page_regains_focus(pages: Pages, folder: Path) -> None:
    page = at(pages, "exercise/write_mul")
    editor(page).fill("first\n")
    saved(page)
    (folder / "write_mul.py").write_text("theirs\n")
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.get_by_role("button", name="Load the file").click()
    assert editor(page).input_value() == "theirs\n"


def test_an_endless_loop_is_stopped(pages: Pages) -> None:
    page = at(pages, "exercise/write_mul")
    stop = page.get_by_role("button", name="Stop")
    assert stop.is_disabled()
    editor(page).fill("print('on')\nwhile True:\n    pass\n")
    page.get_by_role("button", name="Run").click()
    becomes(page, page.get_by_role("button", name="Run").is_disabled, True)
    page.wait_for_timeout(500)
    stop.click()
    page.get_by_text("It was stopped.").wait_for()
    assert stop.is_disabled()
    block = at(pages, "1").get_by_role("group", name="Code 1 of 11", exact=True)
    block.get_by_role("textbox").fill("while True:\n    pass")
    block.get_by_role("button", name="Run").click()
    block.get_by_role("button", name="Stop").click()
    block.get_by_text("It was stopped.").wait_for()


def test_hints_one_by_one_and_the_solution_on_the_second_click(pages: Pages, folder: Path) -> None:
    page = at(pages, "exercise/write_mul")
    for i in (1, 2, 3):
        page.get_by_role("button", name=f"Hint {i} of 3").click()
        page.wait_for_function(f"() => document.querySelectorAll('.hints > li').length === {i}")
    assert page.get_by_role("button", name="No more hints").is_disabled()
    page.get_by_role("button", name="Solution").click()
    page.get_by_text("You have not passed this exercise yet.").wait_for()
    assert page.locator(".solution").count() == 0
    page.get_by_role("button", name="Solution").click()
    page.wait_for_selector(".solution")
    assert page.locator(".solution").text_content() == MUL.solution
    progress = Progress.read(folder)
    assert (progress.hints, progress.solutions) == ({"write_mul": 3}, ["write_mul"])


def test_keyboard_editing(pages: Pages) -> None:
    page = at(pages, "exercise/write_mul")
    field = editor(page)
    field.fill("")
    field.press_sequentially("def f():")
    for key in ("Enter", "x", "Enter", "Tab", "y"):
        field.press(key)
    assert field.input_value() == "def f():\n    x\n        y"
    field.press("Control+a")
    field.press("Tab")
    assert field.input_value() == "    def f():\n        x\n            y"
    field.press("Shift+Tab")
    assert field.input_value() == "def f():\n    x\n        y"
    field.press("Escape")
    field.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    assert page.inner_text(".line-numbers").split() == ["1", "2", "3"]
    page.get_by_role("button", name="Start again").click()
    assert field.input_value() == MUL.starter
    assert "Esc, then Tab" in page.inner_text("#editor-keys")


def test_markup_is_shown_as_text(pages: Pages) -> None:
    page = at(pages, "exercise/write_mul")
    markup = "<img src=x onerror='window.pwned=1'><script>window.pwned=1</script>"
    editor(page).fill(f"print({markup!r})\nraise ValueError({markup!r})")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("It raised an error").wait_for()
    assert markup in page.inner_text(".exercise .result")
    assert page.evaluate("window.pwned") is None
    assert page.locator("img").count() == 0


# --- accessibility ---------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "2", "8", "exercise/write_mul"])
def test_axe_finds_nothing_serious(pages: Pages, place: str, theme: str) -> None:
    page = at(pages, f"{place}&theme={theme}") if place else pages.open(f"#learn&theme={theme}")
    page.wait_for_selector("#learn-view h2")
    if place == "2":
        page.get_by_role("button", name="Show me").first.click()
        page.locator(".code-block").first.get_by_role("button", name="Run").click()
        page.locator(".quiz .node").first.click()
    if place == "8":
        page.get_by_role("button", name="Start").click()
    if place == "exercise/write_mul":
        editor(page).fill(WRONG)
        page.get_by_role("button", name="Hint 1").click()
        page.get_by_role("button", name="Check").click()
        page.get_by_text("✗ Not yet.").wait_for()
    page.wait_for_timeout(600)
    assert serious(page) == []


@pytest.mark.parametrize("place", ["", *(str(each.number) for each in lessons()), "exercise/write_mul"])
def test_a_phone_does_not_scroll_sideways(pages: Pages, place: str) -> None:
    page = at(pages, place, width=360, height=740)
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_lines_have_a_comfortable_length(pages: Pages) -> None:
    page = at(pages, "3", width=1600)
    width = page.evaluate(
        """() => {
          const p = [...document.querySelectorAll('.prose p')].find((p) => p.textContent.length > 200);
          const lines = Math.round(p.clientHeight / parseFloat(getComputedStyle(p).lineHeight));
          return p.textContent.length / lines;
        }"""
    )
    assert 55 <= width <= 80
