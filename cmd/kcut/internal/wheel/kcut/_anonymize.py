"""Tables in, releases out."""

from __future__ import annotations

import itertools
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from . import _commands, _program, _tables
from ._errors import Error
from ._intervals import intervals as intervals_of

if TYPE_CHECKING:
    from ._answers import Cut, Joined, Report, Tables

T = TypeVar("T")


@dataclass(frozen=True)
class Release(Generic[T]):
    """What anonymize returns.

    data is the table that may go out. report, as ``kcut run --json`` prints it, and job, that which
    was run, or the path of its file, may tell more. cut is what docs/metadata.md describes.
    """

    data: T
    report: Report = field(repr=False)
    cut: Cut = field(repr=False)
    job: dict[str, Any] | str = field(repr=False)


def anonymize(
    data: T,
    quasi_identifiers: Sequence[Any],
    k: int = 10,
    *,
    columns: Mapping[str, Any] | None = None,
    class_: str | None = None,
    intervals: bool = False,
    quiet: bool = False,
    **job: Any,
) -> Release[T]:
    """Anonymizes a table of pandas, polars or pyarrow, and returns one of the same kind.

    quasi_identifiers are the names of the columns of one set, or several sets: lists of names, or
    ``{"columns": [...], "k": 50}``. k is that of every set that says none. Columns of a set that
    columns does not name are generalized where taxonomies has a tree of their name; else numbers,
    dates and times are discretized, and others suppressed. columns says what happens to all others,
    as in a job file; class_ and sensitive columns are kept, an entity is dropped. intervals makes
    intervals of discretized columns: a pandas.arrays.IntervalArray, or structs. quiet shows no
    progress. job has other keys of a job file, whose paths start from the current folder here.

    Rows come in the order of the released values, without an index. Notes of the run are in its
    report, and go to the logger kcut. Raises Error: InputError for columns that nothing names,
    PrivacyError if a k cannot be met.
    """
    source, job = _prepared(data, quasi_identifiers, k, columns, class_, intervals, job)
    with tempfile.TemporaryDirectory(prefix="kcut-") as name:
        folder = Path(name)
        report = execute(folder, source, job, "run", quiet=quiet)
        return _released(folder / "release.parquet", data, source, job, report, intervals)


def anonymize_by(data: T, job: str | os.PathLike[str], **options: Any) -> Release[T]:
    """Anonymizes a table of pandas, polars or pyarrow by a job file, as init drafts one for it.

    The table stands for the job's input, and the release that is returned for its output. options
    are flags of ``kcut run``, as those of run. Raises what anonymize raises.
    """
    file, source = os.fspath(job), _tables.arrow(data)
    with tempfile.TemporaryDirectory(prefix="kcut-") as name:
        table, path = Path(name, "table.arrow"), Path(name, "release.parquet")
        _tables.write(source, table)
        report = cast("Report", _ran(name, "run", file, **options, input=table, output=path))
        return _released(path, data, source, file, report, False)


@dataclass(frozen=True)
class Releases(Generic[T]):
    """What anonymize_tables returns.

    tables has the release of each table. joined has the people of tables with the same pseudonyms,
    for each key that makes these: how many are alone for somebody who joins the tables.
    """

    tables: dict[str, Release[T]]
    joined: list[Joined] = field(repr=False)


def anonymize_tables(
    data: Mapping[str, T],
    quasi_identifiers: Mapping[str, Sequence[Any]],
    k: int = 10,
    *,
    columns: Mapping[str, Any] | None = None,
    intervals: bool = False,
    quiet: bool = False,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    **job: Any,
) -> Releases[T]:
    """Anonymizes several tables of the same people together: all of them, or none.

    data and quasi_identifiers have the tables and their sets by name. k, columns and job are for
    every table, as in anonymize; columns may name columns that only some tables have. tables has
    what is for one table alone: ``{"stays": {"class_": "died", "columns": {"ward": "keep"}}}``.
    max_unique of job is also the largest share of people of joined tables who are alone.
    """
    own = {name: dict((tables or {}).get(name, {})) for name in data}
    if unknown := {*quasi_identifiers, *(tables or {})}.symmetric_difference(data):
        names = ", ".join(sorted(map(str, unknown)))
        raise TypeError(f"data and quasi_identifiers have not the same tables: {names}")
    prepared = {}
    for name, table in data.items():
        has = set(map(str, _tables.names(table)))
        masks = {column: mask for column, mask in (columns or {}).items() if str(column) in has}
        given = {**job, **own[name]}
        masks.update(given.pop("columns", {}))
        of_class = given.pop("class_", None)
        least = given.pop("k", k)
        sets = quasi_identifiers[name]
        prepared[name] = _prepared(table, sets, least, masks, of_class, intervals, given)
    with tempfile.TemporaryDirectory(prefix="kcut-") as name:
        folder = Path(name)
        whole: dict[str, Any] = {"tables": {}}
        if "max_unique" in job:
            whole["max_unique"] = job["max_unique"]
        for at, (name, (source, one)) in enumerate(prepared.items()):
            whole["tables"][name] = _placed(folder, source, one, str(at))
        answer = cast("Tables", _executed(folder, whole, "run", quiet=quiet))
        releases = {}
        for at, (report, (name, (source, one))) in enumerate(
            zip(answer["tables"], prepared.items())
        ):
            path = folder / f"release{at}.parquet"
            releases[name] = _released(path, data[name], source, one, report, intervals)
    return Releases(releases, answer.get("joined", []))


def _prepared(
    data: Any,
    quasi_identifiers: Sequence[Any],
    k: int,
    columns: Mapping[str, Any] | None,
    class_: str | None,
    intervals: bool,
    job: Mapping[str, Any],
) -> tuple[_tables.Source, dict[str, Any]]:
    """The Arrow table and the job of a table."""
    library = _tables.kind(data)
    job = {**job, "columns": dict(columns or {})}
    if class_ is not None:
        job["class"] = class_
    job["quasi_identifiers"] = _sets(quasi_identifiers, k)
    kept = [job.get("class"), *(s.get("column") for s in job.get("sensitive", ()))]
    masks = {**dict.fromkeys(kept, "keep"), job.get("entity"): "drop", **job["columns"]}
    job["columns"] = {str(name): mask for name, mask in masks.items() if name is not None}
    _find(job, data)
    source = _tables.arrow(_used(data, job))
    if intervals:  # of labels that say their type
        job.pop("labels", None)
    _mask(job, source, render=intervals and library != "pandas")
    return source, job


def _released(
    path: Path,
    data: T,
    source: _tables.Source,
    job: dict[str, Any] | str,
    report: Report,
    intervals: bool,
) -> Release[T]:
    """The release in a file, as a table of the kind of data."""
    library = _tables.kind(data)
    same = {c["name"] for c in report["columns"] if c["mask"] == "keep"}
    released = _tables.read(path, source, same, library)
    cut = _commands.show(path)
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
    return cast("Report", _executed(folder, _placed(folder, source, job), command, **flags))


def _placed(
    folder: Path, source: _tables.Source, job: dict[str, Any], number: str = ""
) -> dict[str, Any]:
    """Writes a table into a folder, and returns the job that reads it and writes a release."""
    for key in ("input", "input_counts", "output"):
        if key in job:
            raise TypeError(f"a table has no {key}; kcut.run takes a job file that has one")
    table, release = folder / f"table{number}.arrow", folder / f"release{number}.parquet"
    _tables.write(source, table)
    return {**_rooted(job), "input": str(table), "output": str(release)}


def _executed(folder: Path, job: dict[str, Any], command: str, **flags: Any) -> dict[str, Any]:
    """Runs a job whose files are in a private folder."""
    text = json.dumps(job, default=_plain, ensure_ascii=False, indent=1)
    file = folder / "job.yaml"
    file.write_text(text, encoding="utf-8")
    # Arguments are nearer than the environment, which is nearer than a job file.
    keys = {*job, *(key for table in job.get("tables", {}).values() for key in table)}
    unset = {f"KCUT_{key.upper()}" for key in (*keys, "input", "input_counts", "output", "k")}
    try:
        return _ran(str(folder), command, str(file), unset, **flags)
    except Error as error:  # without places in a file that the caller has not written
        said = re.sub(r"job\.yaml:\d+:\d+: |\n +(?! |hint: ).*", "", error.message)
        raise type(error)(error.exit, error.class_, said, error.hint, error.answer) from None


def _ran(
    folder: str, command: str, file: str, unset: Iterable[str] = (), **flags: Any
) -> dict[str, Any]:
    """Runs a job file whose input or output is in a private folder."""
    words = _program.flags({**flags, "checkpoint": "0s"})
    # A terminal or notebook shows how far the program is. Elsewhere the report has its notes.
    stderr = None if sys.stderr is not None and sys.stderr.isatty() else subprocess.DEVNULL
    arguments = [command, "--json", *words, "--", file]
    return _program.answer(*arguments, folder=folder, stderr=stderr, unset=unset)


def _sets(given: Sequence[Any], k: int) -> list[dict[str, Any]]:
    sets = [] if isinstance(given, str) else list(given)
    if sets and not any(map(_is_list, sets)):
        sets = [sets]
    if not sets or not all(map(_is_list, sets)):
        raise TypeError("quasi_identifiers is a list of names of columns, or of sets")
    found = []
    for s in sets:
        one = {"k": k, **(s if isinstance(s, Mapping) else {"columns": s})}
        for key in ("columns", "of"):
            named = one.get(key, "all")
            if isinstance(named, str) and named != "all":
                raise TypeError(f"{key} of a set is a list of names, or all, not a text")
            if not isinstance(named, str):
                one[key] = [str(name) for name in named]
        found.append(one)
    return found


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _in_sets(job: Mapping[str, Any]) -> list[str]:
    """The columns that sets name."""
    named = [s[key] for s in job["quasi_identifiers"] for key in ("columns", "of") if key in s]
    return [*itertools.chain(*(names for names in named if names != "all"))]


def _find(job: Mapping[str, Any], data: Any) -> None:
    """Raises InputError if the table lacks a column of the job."""
    count = [job["count"]] if "count" in job else []
    _tables.find(data, [*_in_sets(job), *job["columns"], *count])


def _used(data: Any, job: dict[str, Any]) -> Any:
    """The table without columns that nothing names, if these are dropped."""
    if job.get("unlisted") != "drop":
        return data
    used = {*_in_sets(job), *job["columns"], job.get("count")}
    return _tables.select(data, [n for n in map(str, _tables.names(data)) if n in used])


def _mask(job: dict[str, Any], source: _tables.Source, render: bool) -> None:
    """Gives columns of sets that have no mask one, and discretized columns a form."""
    columns, trees = job["columns"], job.get("taxonomies")
    for name in _in_sets(job):
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
