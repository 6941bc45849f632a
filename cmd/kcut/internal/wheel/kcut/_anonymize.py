"""Tables in, releases out."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from . import _commands, _program, _tables
from ._intervals import intervals as intervals_of

if TYPE_CHECKING:
    from ._answers import Cut, Report

T = TypeVar("T")


@dataclass(frozen=True)
class Release(Generic[T]):
    """What anonymize returns.

    data is the table that may go out. report, as ``kcut run --json`` prints it, and job, that which
    was run, may tell more. cut is what docs/metadata.md describes.
    """

    data: T
    report: Report = field(repr=False)
    cut: Cut = field(repr=False)
    job: dict[str, Any] = field(repr=False)


def anonymize(
    data: T,
    quasi_identifiers: Sequence[Any],
    k: int = 10,
    *,
    columns: Mapping[str, Any] | None = None,
    class_: str | None = None,
    intervals: bool = False,
    **job: Any,
) -> Release[T]:
    """Anonymizes a table of pandas, polars or pyarrow, and returns one of the same kind.

    quasi_identifiers are the names of the columns of one set, or several sets: lists of names, or
    ``{"columns": [...], "k": 50}``. k is that of every set that says none. Columns of a set that
    columns does not name are generalized where taxonomies has a tree of their name; else numbers,
    dates and times are discretized, and others suppressed. columns says what happens to all others,
    as in a job file; class_ and sensitive columns are kept, an entity is dropped. intervals makes
    intervals of discretized columns: a pandas.arrays.IntervalArray, or structs. job has other keys
    of a job file, whose paths start from the current folder here.

    Rows come in the order of the released values, without an index. Notes of the run are in its
    report, and go to the logger kcut. Raises Error: InputError for columns that nothing names,
    PrivacyError if a k cannot be met.
    """
    library = _tables.kind(data)
    job = {**job, "columns": dict(columns or {})}
    if class_ is not None:
        job["class"] = class_
    job["quasi_identifiers"] = _sets(quasi_identifiers, k)
    kept = [job.get("class"), *(s["column"] for s in job.get("sensitive", ()))]
    job["columns"] = {**dict.fromkeys(kept, "keep"), job.get("entity"): "drop", **job["columns"]}
    job["columns"].pop(None)
    source = _tables.arrow(_used(data, job))
    if intervals:  # of labels that say their type
        job.pop("labels", None)
    _mask(job, source, render=intervals and library != "pandas")
    with tempfile.TemporaryDirectory(prefix="kcut-") as name:
        folder = Path(name)
        report = execute(folder, source, job, "run")
        same = {c["name"] for c in report["columns"] if c["mask"] == "keep"}
        released = _tables.read(folder / "release.parquet", source, same, library)
        cut = _commands.show(folder / "release.parquet")
    if intervals and library == "pandas":
        for column in report["columns"]:
            if column["mask"] == "discretize" and column["name"] in released:
                released[column["name"]] = intervals_of(released[column["name"]])
    for notice in report.get("notices", ()):
        logging.getLogger("kcut").info(notice)
    return Release(released, report, cut, job)


def execute(
    folder: Path, source: _tables.Source, job: dict[str, Any], command: str, **flags: Any
) -> Report:
    """Runs a job on a table in a private folder, which has release.parquet then."""
    for key in ("input", "input_counts", "output"):
        if key in job:
            raise TypeError(f"a table has no {key}; kcut.run takes a job file that has one")
    _tables.write(source, folder / "table.arrow")
    places = {"input": str(folder / "table.arrow"), "output": str(folder / "release.parquet")}
    text = json.dumps({**_rooted(job), **places}, default=_plain, ensure_ascii=False, indent=1)
    (folder / "job.yaml").write_text(text, encoding="utf-8")
    # Arguments are nearer than the environment, which is nearer than a job file.
    unset = {f"KCUT_{key.upper()}" for key in (*job, *places, "input_counts", "k")}
    words = _program.flags({**flags, "checkpoint": "0s"})
    # In a terminal the program shows how far it is. Elsewhere the report has its notes.
    stderr = None if sys.stderr is not None and sys.stderr.isatty() else subprocess.DEVNULL
    arguments = [command, "--json", *words, "--", str(folder / "job.yaml")]
    answer = _program.answer(*arguments, folder=str(folder), stderr=stderr, unset=unset)
    return cast("Report", answer)


def _sets(given: Sequence[Any], k: int) -> list[dict[str, Any]]:
    if isinstance(given, str):
        raise TypeError("quasi_identifiers is a list of names of columns, or of sets")
    if all(isinstance(column, str) for column in given):
        given = [given]
    if not all(isinstance(s, (Mapping, list, tuple)) for s in given):
        raise TypeError("quasi_identifiers is a list of names of columns, or of sets")
    return [
        {"k": k, **s} if isinstance(s, Mapping) else {"columns": list(s), "k": k} for s in given
    ]


def _used(data: Any, job: dict[str, Any]) -> Any:
    """The table without columns that nothing names, if these are dropped."""
    if job.get("unlisted") != "drop":
        return data
    sets = [s["columns"] for s in job["quasi_identifiers"] if s["columns"] != "all"]
    used = {*job["columns"], job.get("count")}.union(*sets)
    return _tables.select(data, [name for name in _tables.names(data) if str(name) in used])


def _mask(job: dict[str, Any], source: _tables.Source, render: bool) -> None:
    """Gives columns of sets that have no mask one, and discretized columns a form."""
    columns, trees = job["columns"], job.get("taxonomies")
    for s in job["quasi_identifiers"]:
        for name in s["columns"] if s["columns"] != "all" else ():
            if name not in columns:
                ordered = _tables.is_ordered(source, name)
                columns[name] = "discretize" if ordered else "suppress"
                if isinstance(trees, Mapping) and name in trees:
                    columns[name] = "generalize"
    for name, entry in columns.items():
        columns[name] = entry = dict(entry) if isinstance(entry, Mapping) else {"mask": entry}
        if render and entry.get("mask") == "discretize":
            entry.setdefault("render", "interval")


def _rooted(value: Any, key: str = "") -> Any:
    """The value of a key of a job, with paths that do not depend on where the job lies."""
    if isinstance(value, Mapping):
        return {n: _rooted(v, key if key == "taxonomies" else n) for n, v in value.items()}
    is_path = key in ("key_file", "previous", "spill_dir", "taxonomies")
    if not is_path or not isinstance(value, (str, os.PathLike)) or "://" in str(value):
        return value
    return os.path.abspath(value)


def _plain(value: Any) -> Any:
    """What JSON lacks: numbers of numpy, and dates."""
    return value.item() if hasattr(value, "item") else str(value)
