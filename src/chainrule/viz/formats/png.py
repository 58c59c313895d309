"""Converts SVG to PNG with whichever renderer is installed."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import svg

LARGEST = 12_000  # pixels on a side
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING = "a PNG file needs an SVG renderer: pip install cairosvg, or save a .svg file"


def png(text: str, width: float, height: float) -> bytes:
    """The picture at twice its size, but at most LARGEST pixels on a side."""
    scale = min(2.0, LARGEST / max(width, height))
    try:
        cairosvg = importlib.import_module("cairosvg")
    except (ImportError, OSError):  # OSError: its C library is missing
        return _by_program(text, round(width * scale), round(height * scale), scale)
    # cairosvg uses only the first font.
    content = cairosvg.svg2png(text.replace(svg.MONO, "monospace").encode(), scale=scale)
    assert isinstance(content, bytes)
    return content


def _by_program(text: str, width: int, height: int, scale: float) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "graph.svg"), Path(folder, "graph.png")
        source.write_text(text, encoding="utf-8")
        if shutil.which("rsvg-convert"):
            command = ["rsvg-convert", "-z", f"{scale:g}", "-o", str(result), str(source)]
        elif shutil.which("inkscape"):
            command = ["inkscape", f"--export-filename={result}", f"--export-width={width}", str(source)]
        elif any(map(shutil.which, BROWSERS)):
            browser = next(name for name in BROWSERS if shutil.which(name))
            command = [browser, *_headless(width, height, scale), f"--screenshot={result}"]
            command.append(source.as_uri())
        else:
            raise RuntimeError(MISSING)
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if run.returncode or not result.exists():
            reason = (run.stderr.strip().splitlines() or ["it wrote nothing"])[-1]
            raise RuntimeError(f"{command[0]} could not draw the picture: {reason}")
        return result.read_bytes()


def _headless(width: int, height: int, scale: float) -> list[str]:
    size = f"--window-size={round(width / scale)},{round(height / scale)}"
    options = ["--headless", "--disable-gpu", "--hide-scrollbars", size]
    options.append(f"--force-device-scale-factor={scale:g}")
    return [*options, "--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else options
