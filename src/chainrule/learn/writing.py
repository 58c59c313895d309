"""What a terminal can show: colours, where somebody looks at them."""

from __future__ import annotations

import os
from typing import TextIO


class Style:
    """Colours where somebody looks at them."""

    def __init__(self, stream: TextIO) -> None:
        self.on = stream.isatty() and "NO_COLOR" not in os.environ

    def __call__(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def good(self, text: str) -> str:
        return self(32, text)

    def bad(self, text: str) -> str:
        return self(31, text)

    def quiet(self, text: str) -> str:
        return self(2, text)

    def strong(self, text: str) -> str:
        return self(1, text)
