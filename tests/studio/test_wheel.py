"""The wheel, installed into a clean environment without Node, serves the studio and the course."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from .client import secrets_in

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not os.environ.get("CI"), reason="installs packages: done in CI, or with CI=true")
def test_the_wheel_serves_the_studio(tmp_path: Path) -> None:
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(source)], check=True)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(source)]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("chainrule-*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    files = {path.relative_to(source / "src").as_posix() for path in (source / "src").rglob("*.*")}
    served = {name for name in files if name.endswith((".py", ".pyi", ".js", ".css", ".html"))}
    assert served <= packed
    assert {name for name in packed if "wrong.toml" in name or "/wrong/" in name} == set()
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", f"{wheel}[studio]"], check=True)
    environment = {"PATH": str(python.parent), "HOME": str(tmp_path)}  # no Node, no other packages
    options: Any = {"text": True, "env": environment, "cwd": tmp_path}
    command = [python, "-u", "-m", "chainrule", "studio", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, **options)
    try:
        said = server.stdout.readline() + server.stdout.readline()
        found = re.search(r"(http://\S+)\n.*file://(\S+)", said)
        address = found[1]
        code = re.search(r'name="token" value="([^"]+)"', Path(found[2]).read_text())
        with httpx.Client() as client:
            cookie, key = secrets_in(client.post(f"{address}/enter", data={"token": code[1]}))
            page = client.get(address)
            assert page.status_code == 200
            assert "chainrule" in page.text
            for name in served:
                if "/static/" in name:
                    path = name.removeprefix("chainrule/")
                    assert client.get(f"{address}/static/{path}").status_code == 200
            request = {"expression": "tanh(a*b)", "values": {"a": 2.0, "b": -3.0}}
            headers = {"Origin": address, "Cookie": cookie, "X-Chainrule-Key": key}
            answer = client.post(f"{address}/api/picture", json=request, headers=headers)
            assert answer.json()["picture"]["nodes"]
    finally:
        server.terminate()
        server.communicate(timeout=20)
    learn, options = [python, "-m", "chainrule", "learn"], {**options, "capture_output": True}
    run = subprocess.run([*learn, "list"], check=True, **options)
    assert "exercises passed" in run.stdout
    first = subprocess.run([*learn, "check", "write_mul"], **options)
    assert "✗" in first.stdout
