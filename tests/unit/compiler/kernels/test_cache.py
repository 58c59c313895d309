"""The folder of compiled kernels: damaged entries, its size, and who may write to it."""

import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chainrule.compiler.backends.kernels import building, cache
from chainrule.compiler.backends.kernels.building import Builder, build

from .test_building import SOURCE, finished, in_new_process, works

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="gives files to another user")
OTHER_USER = 12345


def build_anew(monkeypatch: pytest.MonkeyPatch) -> building.Build:
    """Build the kernel as a new process would."""
    building._open.cache_clear()
    monkeypatch.setattr(building, "_builder", Builder())
    made = build(SOURCE)
    assert made.wait()
    assert works(made)
    return made


def refused(place: Path) -> str:
    """Why a folder is refused; a temporary one is used instead."""
    found = cache.open_folder()
    assert isinstance(found, cache.Folder)
    assert found.path != place
    assert stat.S_IMODE(found.path.stat().st_mode) == 0o700
    assert cache.fault(found.path) == ""
    return found.reason


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHAINRULE_CACHE", str(tmp_path / "home" / "mine"))
    place = tmp_path / "home" / "mine" / "kernels"
    place.mkdir(parents=True, mode=0o700)
    assert cache.fault(place) == ""
    return place


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        if any(not path.stat().st_mode & 0o001 for path in Path(name).parents):
            pytest.skip("other users cannot enter the folder for temporary files")
        yield Path(name)


@pytest.mark.parametrize("damage", ["truncated", "changed", "empty"])
def test_a_damaged_entry_is_built_again(
    damage: str, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_anew(monkeypatch)
    (entry,) = kept.iterdir()
    content = entry.read_bytes()
    middle = len(content) // 2
    changed = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    entry.unlink()  # this process has the file mapped
    entry.write_bytes({"truncated": content[:middle], "changed": changed, "empty": b""}[damage])
    assert not build_anew(monkeypatch).cached
    (entry,) = kept.iterdir()
    assert entry.read_bytes() == content
    assert build_anew(monkeypatch).cached


def test_an_entry_that_cannot_be_loaded_is_built_again(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_anew(monkeypatch)
    (entry,) = kept.iterdir()
    entry.unlink()
    (kept.parent / "other").write_bytes(b"a library for another machine")
    found = building.Folder(kept).store(entry.name.partition("-")[0], kept.parent / "other")
    assert building.Folder(kept).find(entry.name.partition("-")[0]) == found
    assert not build_anew(monkeypatch).cached
    assert [path.name for path in kept.iterdir()] == [entry.name]


def test_a_link_in_place_of_an_entry_is_not_followed(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_anew(monkeypatch)
    (entry,) = kept.iterdir()
    entry.rename(kept.parent / "elsewhere.so")
    entry.symlink_to(kept.parent / "elsewhere.so")
    assert not build_anew(monkeypatch).cached
    assert not entry.is_symlink()


def entries(folder: cache.Folder, count: int, size: int = 1000) -> list[Path]:
    """Store libraries, each used a minute after the one before."""
    made = []
    for i in range(count):
        source = folder.path / "source"
        source.write_bytes(bytes([i]) * size)
        made.append(folder.store(f"{i:064x}", source))
        os.utime(made[-1], (0, time.time() - 60.0 * (count - i)))
    return made


def test_the_least_recently_used_go_first(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LIMIT", 5500)
    folder = cache.Folder(place)
    made = entries(folder, 5)
    os.utime(made[0])
    source = place / "source"
    source.write_bytes(b"x" * 2000)
    newest = folder.store("f" * 64, source)
    kept = {path for _, _, path in folder.libraries()}
    assert kept == {made[0], made[3], made[4], newest}
    assert sum(size for _, size, _ in folder.libraries()) <= 5500


def test_the_number_of_entries_is_bounded(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_ENTRIES", 3)
    folder = cache.Folder(place)
    made = entries(folder, 6)
    assert [path for _, _, path in folder.libraries()] == made[-3:]


def test_using_an_entry_renews_it(place: Path) -> None:
    folder = cache.Folder(place)
    (made,) = entries(folder, 1)
    os.utime(made, (0, time.time() - 2 * cache.TOUCHED_AFTER))
    assert folder.find("0" * 64) == made
    assert abs(made.stat().st_mtime - time.time()) < 60.0


def test_what_killed_processes_left_is_removed(place: Path) -> None:
    folder = cache.Folder(place)
    recent, old = folder.working_folder(), folder.working_folder()
    (old / "kernel.c").write_text("")
    os.utime(old, (0, time.time() - 2 * cache.ABANDONED_AFTER))
    entries(folder, 1)
    assert recent.exists()
    assert not old.exists()


def test_clearing_removes_only_what_is_ours(place: Path) -> None:
    folder = cache.Folder(place)
    entries(folder, 3)
    folder.working_folder()
    (place / cache.ZIG).mkdir()
    (place / "letter.txt").write_text("mine")
    assert folder.clear() == 3
    assert [path.name for path in place.iterdir()] == ["letter.txt"]


def test_a_new_folder_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_CACHE", str(tmp_path / "home" / "a" / "b"))
    old = os.umask(0)
    try:
        found = cache.open_folder()
    finally:
        os.umask(old)
    assert isinstance(found, cache.Folder)
    assert (found.path, found.reason) == (tmp_path / "home" / "a" / "b" / "kernels", "")
    for folder in (found.path, *found.path.parents[:2]):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_to(mode: int, place: Path) -> None:
    place.chmod(mode)
    assert refused(place) == f"other users can write to {place}: chmod go-w it"


def test_a_parent_that_others_can_write_to(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = open_folder / "home"
    monkeypatch.setenv("CHAINRULE_CACHE", str(home / "mine"))
    place = home / "mine" / "kernels"
    place.mkdir(mode=0o700, parents=True)
    place.parent.chmod(0o777)
    assert refused(place) == (
        f"other users can write to {place.parent}, which contains {place}: chmod go-w it"
    )
    place.parent.chmod(0o1777)  # in a folder such as /tmp, others cannot rename what is ours
    assert cache.fault(place) == ""
    place.parent.chmod(0o777)
    home.chmod(0o700)  # others cannot reach it
    assert cache.fault(place) == ""


@as_root
def test_a_folder_of_another_user(place: Path) -> None:
    os.chown(place, OTHER_USER, -1)
    assert refused(place) == f"{place} belongs to another user"


@as_root
def test_a_parent_of_another_user(place: Path) -> None:
    os.chown(place.parent, OTHER_USER, -1)
    assert refused(place) == f"{place.parent}, which contains {place}, belongs to another user"


@as_root
def test_a_link_of_another_user(place: Path) -> None:
    place.rename(place.with_name("elsewhere"))
    place.symlink_to(place.with_name("elsewhere"))
    assert cache.fault(place) == ""
    os.lchown(place, OTHER_USER, -1)
    assert refused(place) == f"{place} is a symbolic link of another user"


def test_a_file_in_place_of_the_folder(place: Path) -> None:
    place.rmdir()
    place.write_text("")
    assert refused(place) == f"{place} is not a folder"


def test_a_folder_that_cannot_be_created(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAINRULE_CACHE", "/proc/nothing")
    reason = refused(Path("/proc/nothing/kernels"))
    assert reason == "cannot create /proc/nothing/kernels: No such file or directory"


@as_root
def test_a_home_that_is_read_only(open_folder: Path) -> None:
    """Another user cannot write to this home, gets a temporary folder, and leaves nothing behind."""
    home, temporary = open_folder / "home", open_folder / "tmp"
    home.mkdir(mode=0o755)
    temporary.mkdir()
    temporary.chmod(0o1777)
    sources = building.headers.include_dirs()[0]
    if any(not path.stat().st_mode & 0o001 for path in (sources, *sources.parents)):
        pytest.skip("other users cannot read the headers")
    code = f"""
        os.setgid({OTHER_USER}); os.setuid({OTHER_USER})
        made = build(SOURCE)
        print(made.wait(60.0) and works(made), building.folder().reason)
    """
    found = finished(
        in_new_process(
            code, CHAINRULE_CACHE="", XDG_CACHE_HOME="", HOME=str(home), TMPDIR=str(temporary)
        )
    )
    place = home / ".cache" / "chainrule" / "kernels"
    assert found == f"True cannot create {place}: Permission denied\n"
    assert list(temporary.iterdir()) == []


def test_no_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("CHAINRULE_CACHE", "/proc/nothing")
    monkeypatch.setattr(cache.tempfile, "mkdtemp", refuse)
    assert build(SOURCE).error == (
        "no folder for kernels: cannot create /proc/nothing/kernels: No such file or directory; "
        "[Errno 28] No space left on device"
    )


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"HOME": "/h"}, "/h/.cache/chainrule/kernels"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/chainrule/kernels"),
        ("linux", {"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "/h/.cache/chainrule/kernels"),
        ("linux", {"HOME": "/h", "CHAINRULE_CACHE": "/c"}, "/c/kernels"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Caches/chainrule/kernels"),
        ("win32", {"HOME": "/h", "LOCALAPPDATA": "/l"}, "/l/chainrule/kernels"),
        ("win32", {"HOME": "/h"}, "/h/AppData/Local/chainrule/kernels"),
    ],
)
def test_the_usual_place(
    platform: str, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CHAINRULE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache.usual_place() == Path(expected)
