"""The program kcut, and how it is run."""

from __future__ import annotations

import codecs
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from ._errors import ended


def answer(
    *arguments: str, folder: str = "", stderr: int | None = None, unset: Iterable[str] = ()
) -> dict[str, Any]:
    """Runs kcut and returns the object that it prints last, without the name of a private folder.

    Words and logs go to standard error, or where stderr says; a notebook shows them as a terminal
    does. The program does not see the environment variables of unset. Raises Error.
    """
    exit, printed, _ = _run(arguments, stderr, unset)
    lines = printed.replace(json.dumps(folder + os.sep)[1:-1], "") if folder else printed
    try:
        found = json.loads(lines.splitlines()[-1])
    except (IndexError, ValueError):
        found = {}
    if exit != 0:
        raise ended(exit, found)
    return dict(found)


def words(*arguments: str) -> str:
    """Runs kcut and returns the text that it prints. Raises Error."""
    exit, printed, log = _run(arguments, subprocess.PIPE, ())
    sys.stderr.write(log)
    if exit != 0:
        message, _, hint = log.partition("kcut: error: ")[2].rstrip().partition("\nkcut: hint: ")
        raise ended(exit, {"error": {"message": message, "hint": hint}} if message else {})
    return printed


def flags(named: dict[str, Any]) -> list[str]:
    """The flags that keywords stand for: True and False are words, a list is one flag for each."""
    found = []
    for name, value in named.items():
        for part in value if isinstance(value, (list, tuple)) else [value]:
            if part is not None:
                word = str(part).lower() if isinstance(part, bool) else str(part)
                found.append(f"--{name.replace('_', '-')}={word}")
    return found


def path(of: str | os.PathLike[str]) -> str:
    """The path of a file. Raises TypeError where a table is given instead."""
    if isinstance(of, (str, os.PathLike)):
        return os.fspath(of)
    hint = "kcut.anonymize, anonymize_by, check and init take tables"
    raise TypeError(f"a {type(of).__name__} is no path of a file; {hint}")


def _run(
    arguments: Iterable[str], stderr: int | None, unset: Iterable[str]
) -> tuple[int, str, str]:
    """Runs kcut and returns its exit code, and what it printed to standard output and to a pipe."""
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    shown = stderr != subprocess.PIPE and _in_notebook()
    if shown:
        stderr = subprocess.PIPE
        environment = {"KCUT_LOG": "words", **environment, "NO_COLOR": "1"}
    with subprocess.Popen(
        [_program(), *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        encoding="utf-8",
        env=environment,
    ) as process:
        try:
            printed, log = _shown(process) if shown else process.communicate()
        except BaseException as reason:
            if not isinstance(reason, KeyboardInterrupt):  # that has reached the program, too
                process.terminate()
            process.wait()
            raise
    return process.returncode, printed, log or ""


def _in_notebook() -> bool:
    """Whether a kernel runs this, whose standard error is a part of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def _shown(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Returns what a program prints, and writes its messages while it runs."""
    out, err = cast(Any, process.stdout), cast(Any, process.stderr)
    printed: list[str] = []
    reader = threading.Thread(target=lambda: printed.append(out.read()))
    reader.start()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    # Bytes, as text would have ends of lines for the returns that begin the live line anew.
    for part in iter(lambda: err.buffer.read1(1 << 16), b""):
        # Notebooks know how to return to the start of a line, but not how to erase it.
        sys.stderr.write(decoder.decode(part).replace("\r\x1b[K", "\r" + " " * 79 + "\r"))
        sys.stderr.flush()
    reader.join()
    return printed[0], ""


def _program() -> str:
    """Returns the path of the program: where this package has it, or on the PATH."""
    name = "kcut.exe" if sys.platform == "win32" else "kcut"
    try:
        files = importlib.metadata.files("kcut") or []
    except importlib.metadata.PackageNotFoundError:  # the module is on a path, not installed
        files = []
    installed = [Path(str(file.locate())) for file in files if file.name == name]
    # The latter is that of pip install --target.
    for place in [*installed, Path(__file__).parent.parent / "bin" / name]:
        if place.is_file():
            return str(place)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is neither where it was installed nor on the PATH")
    return found
