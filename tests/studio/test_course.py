"""The course over HTTP: lessons, learners' files, programs and their limits, and hostile requests."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from chainrule.learn.course import lessons
from chainrule.learn.exercise import course_exercises, exercise, exercises
from chainrule.learn.progress import Progress
from chainrule.learn.teacher.skeleton import new

from ..browser.studio import Server
from ..conftest import require

require("httpx")
require("starlette")
require("markdown_it")

from chainrule.studio import limits
from chainrule.studio.jobs import Jobs

from .client import Studio, entered, secrets_in, until
from .test_requests import INJECTIONS

MUL = exercise("write_mul")
ENDLESS = "while True:\n    pass\n"
# None of these may give access to an exercise, or to a file of the package or the machine.
NAMES = [
    *("..", ".", "nothing", "progress", "write_mul.py", "WRITE_MUL", "write_mul%00", "%2e%2e"),
    *("..%2fprogress", "%2fetc%2fpasswd", "..%5cprogress", "write_mul%2f..%2fwrite_mul", "a" * 5000),
    *("write_mul/", "write_mul/starter.py", "%F0%9F%90%8D", "__init__", "*", "write_mul%20"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("learner") / "course"


@pytest.fixture(scope="module")
def course(folder: Path) -> Iterator[Studio]:
    with entered(folder) as running:
        yield running


@pytest.fixture(autouse=True)
def clean(folder: Path) -> None:
    """Every test starts with an empty folder."""
    for path in folder.glob("*"):
        path.unlink()


def get(course: Studio, path: str) -> Any:
    answer = course.request("GET", path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def put(course: Studio, text: Any, version: Any = "", name: str = "write_mul") -> httpx.Response:
    return course.request("PUT", f"/api/work/{name}", json={"text": text, "version": version})


def run(course: Studio, program: str = "p", **body: Any) -> httpx.Response:
    path = "/api/run-exercise" if "exercise" in body else "/api/run-blocks"
    return course.post(path, {"program": program, **body})


def check(course: Studio, text: str, version: str = "", **body: Any) -> Any:
    asked = {"program": "p", "exercise": "write_mul", "text": text, "version": version, **body}
    return course.post("/api/check-exercise", asked).json()


# --- reading ---------------------------------------------------------------------------------------


def test_the_list_shows_the_learners_progress(course: Studio, folder: Path) -> None:
    found = get(course, "/api/course")
    assert (found["folder"], found["passed"], found["count"]) == (str(folder), 0, len(exercises()))
    assert [each["number"] for each in found["lessons"]] == list(range(1, len(lessons()) + 1))
    assert found["next"]["name"] == exercises()[0].name
    Progress(folder).note_passed("write_mul")
    Progress(folder).note_quiz("1.2", True)
    found = get(course, "/api/course")
    assert found["passed"] == 1
    first = found["lessons"][0]
    assert {e["name"]: e["passed"] for e in first["exercises"]}["write_mul"] is True
    assert first["quizzes"] == {"count": 2, "answered": 1, "right": 1}


@pytest.mark.parametrize("number", [lesson.number for lesson in lessons()])
def test_reading_a_lesson(course: Studio, number: int) -> None:
    found = get(course, f"/api/lesson/{number}")
    lesson = lessons()[number - 1]
    kinds = [block["kind"] for block in found["blocks"]]
    assert found["title"] == lesson.title
    assert kinds.count("code") == len(lesson.of("python"))
    assert kinds.count("quiz") == len(lesson.of("quiz"))
    assert all(block["answered"] is None for block in found["blocks"] if block["kind"] == "quiz")
    names = [e["name"] for b in found["blocks"] if b["kind"] == "exercises" for e in b["exercises"]]
    assert names == lesson.exercises


@pytest.mark.parametrize("number", ["0", "99", "-1", "1.5", "one", "%2e%2e", "²", "1%00", "9" * 5000])
def test_nonexistent_lessons(course: Studio, number: str) -> None:
    answer = course.request("GET", f"/api/lesson/{number}")
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_are_not_exercises(course: Studio, folder: Path, name: str) -> None:
    for method in ("GET", "PUT"):
        head = course.head(f"{method} /api/work/{name}", Content_Length=28)
        status, answer = course.raw(head, b'{"text": "a", "version": ""}')
        assert status in (404, 405), answer
        assert b"root:" not in answer
    assert not folder.exists() or list(folder.iterdir()) == []


# --- the learner's file ----------------------------------------------------------------------------


def test_an_exercise_starts_with_the_starter_file(course: Studio, folder: Path) -> None:
    found = get(course, "/api/work/write_mul")
    assert (found["text"], found["version"]) == (MUL.starter, "")
    assert found["path"] == str(folder / "write_mul.py")
    assert "<code>__mul__</code>" in found["task"]
    assert not (folder / "write_mul.py").exists()
    version = put(course, "a = 'ä'\n").json()["version"]
    assert (folder / "write_mul.py").read_text(encoding="utf-8") == "a = 'ä'\n"
    assert get(course, "/api/work/write_mul")["version"] == version
    assert put(course, "b\n", version).status_code == 200
    assert (folder / "write_mul.py").read_text() == "b\n"
    assert [path.name for path in folder.iterdir()] == ["write_mul.py"]


def test_unseen_changes_are_not_overwritten(course: Studio, folder: Path) -> None:
    version = put(course, "mine\n").json()["version"]
    (folder / "write_mul.py").write_text("theirs\n")
    answer = put(course, "mine again\n", version)
    message = "write_mul.py was changed by another program since it was loaded here"
    assert (answer.status_code, answer.json()) == (409, {"error": message})
    asked = {"program": "p", "exercise": "write_mul", "text": "mine\n", "version": version}
    for path in ("/api/run-exercise", "/api/check-exercise"):
        assert course.post(path, asked).status_code == 409
    assert (folder / "write_mul.py").read_text() == "theirs\n"
    assert put(course, "theirs\n", version).status_code == 200  # the same text is not a conflict
    seen = get(course, "/api/work/write_mul")
    assert put(course, "mine again\n", seen["version"]).status_code == 200
    (folder / "write_mul.py").unlink()
    assert put(course, "mine\n", seen["version"]).status_code == 409


def test_a_save_may_follow_an_unanswered_save(course: Studio, folder: Path) -> None:
    """The page's own last save is not a conflict, even though the page never received its version."""
    version = put(course, "first\n").json()["version"]
    put(course, "second\n", version)

    def after(text: str, sent: Any) -> int:
        body = {"text": text, "version": version, "after": sent}
        return course.request("PUT", "/api/work/write_mul", json=body).status_code

    for sent in ("first\n", "", None):
        assert after("third\n", sent) == 409
    for sent in (2, ["second\n"]):
        assert after("third\n", sent) == 400
    assert after("third\n", "second\n") == 200
    assert (folder / "write_mul.py").read_text() == "third\n"
    (folder / "write_mul.py").unlink()
    assert after("fourth\n", MUL.starter) == 409  # the file is gone, so it does not hold the last save


def test_unreadable_files(course: Studio, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "write_mul.py").write_bytes(b"\xff\xfe")
    answer = course.request("GET", "/api/work/write_mul")
    assert (answer.status_code, answer.json()["error"][-17:]) == (422, "is not UTF-8 text")
    assert put(course, "a").status_code == 422
    (folder / "write_mul.py").write_bytes(b"#" * (limits.CODE + 1))
    assert "larger than 200,000 bytes" in course.request("GET", "/api/work/write_mul").json()["error"]
    (folder / "write_mul.py").write_bytes(b"a\r\nb\r\n")
    assert get(course, "/api/work/write_mul")["text"] == "a\nb\n"


def test_rejected_texts(course: Studio, folder: Path) -> None:
    for text in (None, 1, ["a"], {"a": 1}, True):
        assert put(course, text).json()["error"].startswith("text: expected `str`, got ")
    for version in (None, 1, []):
        assert put(course, "a", version).json()["error"].startswith("version: expected `str`, got ")
    assert put(course, "#" * (limits.CODE + 1)).status_code == 413
    body = b'{"text": "\\ud800", "version": ""}'
    answer = course.request("PUT", "/api/work/write_mul", content=body)
    assert answer.status_code == 400  # a lone surrogate, which no file can hold
    assert not (folder / "write_mul.py").exists()


@pytest.fixture
def permissive_umask() -> Iterator[None]:
    """A user whose new files are readable and writable by everyone."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("permissive_umask")
def test_files_are_private_to_their_owner(tmp_path: Path) -> None:
    """The learner's files, new or replaced, and the progress have mode 0600, in a folder with 0700."""
    folder = tmp_path / "course"
    with entered(folder) as running:
        version = put(running, "a\n").json()["version"]
        put(running, "b\n", version)
        put(running, "c\n", name="first_value")
        (folder / "first_value.py").chmod(0o644)  # as older versions of the studio left it
        seen = get(running, "/api/work/first_value")["version"]
        put(running, "d\n", seen, name="first_value")
        check(running, MUL.solution, get(running, "/api/work/write_mul")["version"])
        running.post("/api/quiz", {"key": "1.1", "right": True})
        running.post("/api/hint", {"exercise": "write_mul"})
    assert folder.stat().st_mode & 0o777 == 0o700
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir()}
    assert modes == dict.fromkeys(("write_mul.py", "first_value.py", "progress.json"), "0o600")


def test_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with entered(tmp_path / "file" / "course") as running:
        for answer in (put(running, "a"), running.post("/api/quiz", {"key": "1.1", "right": True})):
            assert answer.status_code == 400
            assert answer.json()["error"].startswith("the operating system reported: ")


# --- programs --------------------------------------------------------------------------------------


def test_running_the_blocks_of_a_lesson(course: Studio) -> None:
    blocks = [b for b in get(course, "/api/lesson/1")["blocks"] if b["kind"] == "code"]
    texts = [block["text"] for block in blocks]
    for i, block in enumerate(blocks):
        outcome = run(course, lesson=1, blocks=texts[: i + 1]).json()["outcome"]
        if block["raises"]:
            assert outcome["kind"] == "error"
            assert outcome["message"].startswith(block["printed"].strip())
        else:
            assert (outcome["kind"], outcome["printed"]) == ("passed", block["printed"])


@pytest.mark.parametrize(
    ("blocks", "kind", "message"),
    [
        (["x = 1", "print(x)\ny"], "error", "NameError: name 'y' is not defined, at line 2"),
        (["def f():\n    1 / 0", "\n\nf()"], "error", "ZeroDivisionError: division by zero, at line 3"),
        (["1 / 0", "print(2)"], "error", "block 1 of this lesson raises ZeroDivisionError: division"),
        (["print((1"], "error", 'File "block.py", line 1'),
        (["exit()"], "exit", "it called exit() before the program was finished"),
        (["import os; os.system('true')"], "error", "RefusedError: code in an exercise may not start a"),
        (
            ["open('/tmp/chainrule-must-not', 'w')"],
            "error",
            "RefusedError: code in an exercise may write",
        ),
    ],
)
def test_outcomes_of_programs(course: Studio, blocks: list[str], kind: str, message: str) -> None:
    outcome = run(course, lesson=1, blocks=blocks).json()["outcome"]
    assert outcome["kind"] == kind
    assert outcome["message"].startswith(message)
    assert "/tmp/chainrule-" not in outcome["message"].replace("chainrule-must-not", "")


def test_rejected_programs(course: Studio) -> None:
    count = len(lessons()[0].of("python"))
    many = f"the lesson has {count} code blocks, got {count + 1}"
    for body, message in (
        ({"lesson": 1}, "the request: object missing required field `blocks`"),
        ({"lesson": 1, "blocks": []}, "blocks: expected `array` of length >= 1, got 0 entries"),
        ({"lesson": 1, "blocks": [1]}, "blocks[0]: expected `str`, got `int`"),
        ({"lesson": 1, "blocks": ["a"] * (count + 1)}, many),
        ({"lesson": 1, "blocks": ["#" * 150_000] * 2}, "the text is larger than 200,000 bytes"),
        ({"lesson": 99, "blocks": ["a"]}, "there is no lesson 99; the lessons are 1 to 15"),
        ({"lesson": [1], "blocks": ["a"]}, "lesson: expected `int`, got `array`"),
        ({"lesson": 10**99, "blocks": ["a"]}, f"lesson: expected `int` <= 1000, got 1{'0' * 39}..."),
        ({"exercise": "nothing", "text": "", "version": ""}, "there is no exercise 'nothing'"),
        ({"exercise": 3}, "exercise: expected `str`, got `int`"),
    ):
        assert run(course, **body).json() == {"error": message}
    for name in (None, "", "a" * 65, 1):
        answer = course.post("/api/run-blocks", {"program": name, "lesson": 1, "blocks": ["a"]})
        assert answer.status_code == 400
        assert answer.json()["error"].startswith("program: expected `str`")


def test_checking_a_wrong_then_a_right_solution(course: Studio, folder: Path) -> None:
    wrong = MUL.solution.replace("self.data * other.data", "self.data + other.data")
    found = check(course, wrong)
    assert found["outcome"]["kind"] == "failed"
    parts = {"what": "(Value(x) * Value(y)).data", "inputs": "x = 1, y = 1", "expected": "1", "got": "2"}
    assert found["outcome"]["parts"] == parts
    assert (folder / "write_mul.py").read_text() == wrong
    found = check(course, MUL.solution, found["version"])
    assert (found["outcome"]["kind"], found["next"]["name"]) == ("passed", "track_inputs")
    assert list(Progress.read(folder).passed) == ["write_mul"]
    command = [sys.executable, "-m", "chainrule", "learn", "--folder", str(folder), "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "1 of 40 exercises passed" in listed
    assert "✓ write_mul" in listed


def test_a_teachers_own_exercises(
    course: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = new("twice", tmp_path)
    assert course.request("GET", "/api/work/twice").status_code == 404
    monkeypatch.setenv("CHAINRULE_EXERCISES", str(tmp_path))
    overview = get(course, "/api/course")
    assert overview["count"] == len(course_exercises()) + 1
    assert overview["lessons"][0]["exercises"][-1]["title"] == "Twice"
    found = check(course, (place / "solution.py").read_text(), exercise="twice")
    assert found["outcome"]["kind"] == "passed"
    (place / "exercise.toml").write_text("title")
    answer = course.request("GET", "/api/course")
    assert answer.status_code == 422
    assert "exercise.toml is not TOML" in answer.json()["error"]


def waiting(course: Studio, results: list[Any], program: str) -> threading.Thread:
    """Run an endless program from a thread, with its own client: a client is not thread-safe."""

    def ask() -> None:
        body = {"program": program, "lesson": 1, "blocks": [f"print('on')\n{ENDLESS}"]}
        with httpx.Client(timeout=60) as client:
            url = f"{course.origin}/api/run-blocks"
            results.append(client.post(url, headers=course.headers(), json=body).json())

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def stop(course: Studio, program: str) -> bool:
    return bool(course.post("/api/stop", {"program": program}).json()["stopped"])


def test_an_endless_loop_is_stopped(course: Studio) -> None:
    results: list[Any] = []
    thread = waiting(course, results, "loop")
    time.sleep(1.0)
    start = time.monotonic()
    assert until(lambda: stop(course, "loop"))
    thread.join(10)
    assert time.monotonic() - start < 5
    assert results[0]["outcome"]["kind"] == "stopped"
    assert stop(course, "loop") is False


def test_the_number_of_running_programs_is_limited(
    course: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[Any] = []
    begun: list[str] = []
    begin = Jobs.begin

    def noting(jobs: Jobs, name: str) -> threading.Event:
        event = begin(jobs, name)
        begun.append(name)
        return event

    monkeypatch.setattr(Jobs, "begin", noting)
    threads = [waiting(course, results, f"loop {i}") for i in range(limits.PROGRAMS)]
    body = {"lesson": 1, "blocks": ["1"]}
    assert until(lambda: len(begun) == limits.PROGRAMS)
    assert run(course, **body).status_code == 429
    assert run(course, **body).json()["error"].startswith("2 programs are running, which is the maximum")
    message = "this program is already running: stop it first"
    assert run(course, "loop 0", **body).json() == {"error": message}
    assert get(course, "/api/course")["count"] == 40  # everything else keeps working
    for i in range(limits.PROGRAMS):
        assert stop(course, f"loop {i}")
    for thread in threads:
        thread.join(10)
    assert until(lambda: run(course, **body).status_code == 200)


def test_the_time_of_a_program_is_limited(course: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PROGRAM_SECONDS", 3.0)
    outcome = run(course, lesson=1, blocks=[f"\n{ENDLESS}"]).json()["outcome"]
    assert outcome["kind"] == "time"
    assert outcome["message"].startswith("it did not end within 3 s, at line ")


def test_a_program_ends_when_its_page_is_closed(course: Studio) -> None:
    headers = course.headers()
    body = {"program": "gone", "lesson": 1, "blocks": [ENDLESS]}
    with pytest.raises(httpx.ReadTimeout), httpx.Client(timeout=1.0) as client:
        client.post(f"{course.origin}/api/run-blocks", headers=headers, json=body)
    assert until(lambda: not stop(course, "gone"))


# --- hints, solutions and quizzes ------------------------------------------------------------------


def test_hints_are_given_one_by_one(course: Studio, folder: Path) -> None:
    for count in (1, 2, 3, 3):
        found = course.post("/api/hint", {"exercise": "write_mul"}).json()
        assert len(found["hints"]) == count
    assert "<code>a.__mul__(b)</code>" in found["hints"][0]
    assert Progress.read(folder).hints == {"write_mul": 3}
    assert len(get(course, "/api/work/write_mul")["hints"]) == 3


def test_a_solution_needs_a_confirmation_unless_passed(course: Studio, folder: Path) -> None:
    for sure in (None, "yes", 1):
        answer = course.post("/api/solution", {"exercise": "write_mul", "sure": sure})
        assert answer.json()["error"].startswith("sure: expected `bool`, got ")
    for body in ({}, {"sure": False}):
        found = course.post("/api/solution", {"exercise": "write_mul", **body}).json()
        assert found == {"solution": None}
    assert Progress.read(folder).solutions == []
    found = course.post("/api/solution", {"exercise": "write_mul", "sure": True}).json()
    assert found == {"solution": MUL.solution}
    assert Progress.read(folder).solutions == ["write_mul"]
    Progress(folder).note_passed("first_value")
    found = course.post("/api/solution", {"exercise": "first_value"}).json()
    assert found == {"solution": exercise("first_value").solution}


def test_only_the_first_answer_to_a_quiz_counts(course: Studio, folder: Path) -> None:
    assert course.post("/api/quiz", {"key": "1.2", "right": False}).json() == {"first": False}
    assert course.post("/api/quiz", {"key": "1.2", "right": True}).json() == {"first": False}
    assert course.post("/api/quiz", {"key": "1.1", "right": True}).json() == {"first": True}
    assert Progress.read(folder).quizzes == {"1.2": False, "1.1": True}
    for key in ("1.0", "1.3", "1", "01.1", "1.01", "1.1.1", "x.1", "1.x", "99.1", "1.²", "1.1\n"):
        answer = course.post("/api/quiz", {"key": key, "right": True})
        assert (answer.status_code, answer.json()) == (404, {"error": f"there is no quiz {key!r}"})
    for key in ("", "1." + "1" * 5000, "1" * 5000 + ".1"):
        answer = course.post("/api/quiz", {"key": key, "right": True})
        assert answer.status_code == 400
        assert answer.json()["error"].startswith("key: expected `str` of length ")
    for right in (None, 1, "true"):
        assert course.post("/api/quiz", {"key": "1.1", "right": right}).status_code == 400
    assert len(Progress.read(folder).quizzes) == 2


def test_a_generated_question(course: Studio) -> None:
    found = course.post("/api/question", {"lesson": 5}).json()["quiz"]
    assert set(found) == {"kind", "question", "answer", "tolerance", "worked"}
    assert found["kind"] == "number"
    assert course.post("/api/question", {"lesson": 99}).status_code == 404


def test_two_programs_share_the_progress_file(folder: Path) -> None:
    """Neither the terminal nor the page overwrites what the other has saved since it read the file."""
    terminal, page = Progress.read(folder), Progress.read(folder)
    page.note_passed("first_value")
    terminal.note_passed("write_mul")
    page.note_quiz("1.1", True)
    found = Progress.read(folder)
    assert (set(found.passed), found.quizzes) == ({"first_value", "write_mul"}, {"1.1": True})


# --- hostile requests ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", INJECTIONS)
def test_injections_are_rejected(course: Studio, folder: Path, text: str) -> None:
    """The response contains nothing that a browser could take for markup."""
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("/api/run-blocks", {"program": text, "lesson": text, "blocks": [text]}),
        ("/api/run-exercise", {"program": "p", "exercise": text, "text": text, "version": ""}),
        ("/api/check-exercise", {"program": "p", "exercise": text, "text": text, "version": ""}),
        ("/api/check-exercise", {"program": "p", "exercise": "write_mul", "text": 1, "version": text}),
        ("/api/hint", {"exercise": text}),
        ("/api/solution", {"exercise": text, "sure": True}),
        ("/api/quiz", {"key": text, "right": True}),
        ("/api/quiz", {"key": "1.1", "right": text}),
        ("/api/question", {"lesson": text}),
    ]
    for path, body in bodies:
        answer = course.request("POST", path, content=json.dumps(body))
        assert answer.status_code in (400, 404), (path, answer.text)
        assert not set(answer.text) & set("<>&")
        assert set(answer.json()) == {"error"}
    assert not folder.exists() or list(folder.iterdir()) == []


def test_printed_output_is_returned_as_text(course: Studio) -> None:
    outcome = run(course, lesson=1, blocks=["print('<script>alert(1)</script>\\x00\\x1b[31m')"])
    assert not set(outcome.text) & set("<>&")
    assert outcome.json()["outcome"]["printed"] == "<script>alert(1)</script>\x00\x1b[31m\n"


def test_long_output_is_truncated(course: Studio) -> None:
    outcome = run(course, lesson=1, blocks=["print('x' * 1_000_000)"]).json()["outcome"]
    assert len(outcome["printed"]) < 25_000
    assert outcome["printed"].endswith("more bytes")


def test_the_course_option_sets_the_folder(tmp_path: Path) -> None:
    with contextlib.closing(Server("--course", str(tmp_path / "mine"))) as server:
        cookie, key = secrets_in(httpx.post(f"{server.root}/enter", data={"token": server.code()}))
        headers = {"Cookie": cookie, "X-Chainrule-Key": key}
        found = httpx.get(f"{server.root}/api/course", headers=headers).json()
    assert found["folder"] == str(tmp_path / "mine")
    assert not os.path.exists(tmp_path / "mine")
