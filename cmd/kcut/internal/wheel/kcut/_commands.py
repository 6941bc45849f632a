"""The commands of kcut as functions.

Keywords are the flags of a command, with _ for -: ``run("people.yaml", k=50, overwrite=True)``. A
flag that may be given several times takes a list. All functions raise Error.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union, cast

from . import _tables
from ._program import answer, flags, path, words

if TYPE_CHECKING:
    from . import _answers as answers

Path = Union[str, "os.PathLike[str]"]


def run(job: Path, **options: Any) -> answers.Report:
    """Runs a job file and returns the report."""
    return cast("answers.Report", _answer("run", [job], options))


def apply(job: Path, cut: Path, **options: Any) -> answers.Report:
    """Masks a job's input with the cut of an earlier release and returns the report."""
    return cast("answers.Report", _answer("apply", [job], {"cut": path(cut), **options}))


def plan(job: Path, **options: Any) -> answers.Forecast:
    """Returns what a run would do and take, from schemas and statistics."""
    return cast("answers.Forecast", _answer("plan", [job], options))


def init(*inputs: Any, **options: Any) -> str:
    """Drafts a job for an input and returns its text, which is empty where output names a file.

    A table of pandas, polars or pyarrow will do, too: anonymize_by takes the table and the job.
    """
    if "output" in options and not all(map(_is_path, inputs)):
        raise TypeError("output is for files; write the text of a table's draft to one")
    with tempfile.TemporaryDirectory(prefix="kcut-") as folder:
        text = words("init", *flags(options), "--", *map(path, _files(inputs, folder)))
        return text.replace(folder + os.sep, "")


def check(*tables: Any, columns: Sequence[str], **options: Any) -> answers.Checked:
    """Returns how anonymous files, which are one table, are on columns that somebody may know.

    A table of pandas, polars or pyarrow will do, too, and several of equal columns.
    """
    quoted = ['"' + name.replace('"', '""') + '"' for name in map(str, columns)]
    with tempfile.TemporaryDirectory(prefix="kcut-") as folder:
        files = _files(tables, folder)
        return cast("answers.Checked", _answer("check", files, {"columns": quoted, **options}))


def _files(tables: Sequence[Any], folder: str) -> list[Path]:
    """The paths of files, and of files that it writes to a folder for tables."""
    files: list[Path] = []
    for table in tables:
        if not _is_path(table):
            file = pathlib.Path(folder, f"table{len(files) or ''}.arrow")
            _tables.write(_tables.arrow(table), file)
            table = file
        files.append(table)
    return files


def _is_path(of: Any) -> bool:
    return isinstance(of, (str, os.PathLike))


def verify(*releases: Path, **options: Any) -> answers.Verified:
    """Recounts releases and looks for leaks. Findings are in the answer of the PrivacyError."""
    return cast("answers.Verified", _answer("verify", releases, options))


def evaluate(job: Path, **options: Any) -> answers.Evaluation:
    """Returns how useful releases of a job would be, for classifiers and for counting."""
    return cast("answers.Evaluation", _answer("evaluate", [job], options))


def report(release: Path, page: Path, **options: Any) -> answers.Page:
    """Writes the HTML page of a release for reviewers."""
    return cast("answers.Page", _answer("report", [release, page], options))


def show(release: Path) -> answers.Cut:
    """Returns the cut of a release, as docs/metadata.md describes it."""
    return cast("answers.Cut", _answer("show", [release], {}))


read_cut = show  # its name before there were the other commands


def diff(a: Path, b: Path, **options: Any) -> answers.Difference:
    """Returns what changed between the cuts of two releases."""
    return cast("answers.Difference", _answer("diff", [a, b], options))


def _answer(command: str, files: Sequence[Path], options: dict[str, Any]) -> dict[str, Any]:
    return answer(command, "--json", *flags(options), "--", *map(path, files))
