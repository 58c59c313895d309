"""Sign-in: a one-time code, in a file that only this user can read.

The arguments of a program are visible to every user of the machine, so the browser is given the
name of a file instead of an address with the code. The file holds a form that posts the code to the
studio, so the code is in no address and no history either.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

NAME = "studio.html"
# The script submits the form at once; the button is for browsers without scripts. Browsers save the
# forms of a session for the next start, except those with a password, so the code has this type.
FILE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>chainrule studio</title>
<meta name="referrer" content="no-referrer"></head>
<body>
<form method="post" action="{origin}/enter">
<input type="password" name="token" value="{token}" autocomplete="one-time-code" hidden>
<button>Open the studio</button>
</form>
<script>document.forms[0].submit();</script>
</body>
</html>
"""


class Entrance:
    """A one-time code. Until it is used, opening `file` in a browser opens the studio."""

    def __init__(self) -> None:
        self.token: str = secrets.token_urlsafe(32)
        self.used: bool = False
        self.file: Path | None = None

    def write(self, origin: str) -> Path:
        """Write the file with mode 0600, in a folder with mode 0700."""
        folder = Path(tempfile.mkdtemp(prefix="chainrule-studio-"))
        self.file = folder / NAME
        descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(FILE.format(origin=origin, token=self.token))
        return self.file

    def admits(self, token: str) -> bool:
        """Whether this is the right code, whether or not it was used before."""
        return secrets.compare_digest(token.encode(), self.token.encode())

    def use(self) -> None:
        self.used = True
        self.close()

    def close(self) -> None:
        """Remove the file, if it still exists."""
        if self.file is not None:
            self.file.unlink(missing_ok=True)
            if self.file.parent.is_dir():
                self.file.parent.rmdir()
            self.file = None
