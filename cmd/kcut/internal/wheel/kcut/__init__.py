"""Runs kcut, which anonymizes big tables, and reads what it has released.

The program itself comes with this package, as the command ``kcut``.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ._intervals import intervals

__all__ = ["Error", "intervals", "read_cut", "run"]


class Error(Exception):
    """What ended kcut.

    exit is its exit code (docs/operations.md has them), class_ the kind of failure, such as
    "privacy", message what failed, and hint what to do next.
    """

    def __init__(self, exit: int, class_: str, message: str, hint: str) -> None:
        super().__init__(exit, class_, message, hint)
        self.exit, self.class_, self.message, self.hint = exit, class_, message, hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def run(job: str | os.PathLike[str], **flags: Any) -> dict[str, Any]:
    """Runs a job file and returns the report, as ``kcut run JOB --json`` prints it.

    flags are those of the command, with _ for -: ``run("people.yaml", k=50, overwrite=True)``.
    Raises Error.
    """
    words = [f"--{name.replace('_', '-')}={_word(value)}" for name, value in flags.items()]
    return _answer("run", "--json", *words, "--", os.fspath(job))


def read_cut(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the cut of a release, as docs/metadata.md describes it. Raises Error."""
    return _answer("show", "--json", "--", os.fspath(path))


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _answer(*arguments: str) -> dict[str, Any]:
    """Runs kcut and returns the object that it prints last. Words and logs go to standard error."""
    with subprocess.Popen([_program(), *arguments], stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            lines = process.communicate()[0].splitlines()
        except BaseException as reason:
            if not isinstance(reason, KeyboardInterrupt):  # that has reached the program, too
                process.terminate()
            process.wait()
            raise
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError):
        answer = {}
    if process.returncode == 0:
        return answer
    error = answer.get("error", {"class": "internal", "message": f"kcut ended with {process.returncode}", "hint": ""})
    raise Error(process.returncode, error["class"], error["message"], error["hint"])


def _program() -> str:
    """Returns the path of the program: where it was installed with this package, or on the PATH."""
    name = "kcut.exe" if sys.platform == "win32" else "kcut"
    installed = [Path(file.locate()) for file in importlib.metadata.files("kcut") or () if file.name == name]
    for place in [*installed, Path(__file__).parent.parent / "bin" / name]:  # the latter of pip install --target
        if place.is_file():
            return str(place)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"the program {name} is not where it was installed, and not on the PATH")
    return found
