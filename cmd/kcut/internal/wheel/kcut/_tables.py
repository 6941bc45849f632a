"""Tables of pandas, polars and pyarrow, by way of Arrow files.

Tables of polars are written and read by polars, all others by pyarrow.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast

from ._errors import InputError

if TYPE_CHECKING:
    import polars
    import pyarrow

    Source = Union[polars.DataFrame, pyarrow.Table]

T = TypeVar("T")


def kind(data: Any) -> str:
    """The library of a table. Raises TypeError for what is no table."""
    for library, name in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")):
        # Who has a table has imported its library.
        if sys.modules.get(library) and isinstance(data, getattr(sys.modules[library], name)):
            return library
    hint = "; kcut.anonymize_tables takes several" if isinstance(data, Mapping) else ""
    if isinstance(data, (str, PathLike)):
        hint = "; kcut.run takes files, by a job that kcut.init drafts"
    # Those of Spark, of data sets and readers of pyarrow, of lazy frames, and of single columns.
    for makes in ("toPandas", "to_table", "read_all", "collect", "to_frame"):
        if callable(getattr(data, makes, None)):
            hint = f"; its method {makes} makes one"
            break
    raise TypeError(f"a {type(data).__name__} is no table of pandas, polars or pyarrow{hint}")


def arrow(data: Any) -> Source:
    """The table that write takes: that of polars itself, else an Arrow table without an index."""
    of = kind(data)
    for name, times in Counter(map(str, names(data))).items():
        if times > 1:
            raise _twice(name)
    if of == "polars":
        for name, type_ in data.schema.items():
            if str(type_).startswith("Object"):
                raise _mixed(f": column {name}")
        return cast("polars.DataFrame", data)
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError("tables take pyarrow: pip install pyarrow") from None
    try:
        table = pa.Table.from_pandas(data, preserve_index=False) if of == "pandas" else data
        return table.unify_dictionaries()  # as a file has one dictionary of a column
    except TypeError as error:  # such as "Sparse pandas data (column x) not supported."
        raise _mixed(f": {error}") from None
    except pa.ArrowException as error:  # whose first words may have a value
        raise _mixed(f": {error.args[-1]}" if len(error.args) > 1 else "") from None


def _mixed(column: str) -> InputError:
    hint = "give each column values of one type, which Arrow has"
    return InputError(3, "input", f"make an Arrow table of the data{column}", hint)


def _twice(name: str) -> InputError:
    hint = "give each column a name of its own"
    return InputError(3, "input", f"find columns in the table: it has two columns {name}", hint)


def is_ordered(table: Source, name: str) -> bool:
    """Whether a column has numbers, dates or times, of which intervals can be made."""
    of: Any
    schema = cast(Any, table).schema
    if kind(table) == "polars":
        of = schema.get(name)
        return of is not None and (of.is_numeric() or of.is_temporal())
    from pyarrow import types

    at = schema.get_field_index(name)
    of = schema.field(at).type if at >= 0 else None
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_temporal)
    return of is not None and any(test(of) for test in tests)


def write(table: Source, path: Path) -> None:
    """Writes an Arrow file."""
    if kind(table) == "polars":
        with path.open("wb") as file:
            cast("polars.DataFrame", table).write_ipc(file)
        return
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read(path: Path, source: Source, kept: set[str], like: str, every: int = 1) -> Any:
    """Reads every nth row of a release as a table of a library; kept columns have their types."""
    if like == "polars":
        return _read_polars(path, source, kept, every)
    import pyarrow as pa
    from pyarrow import parquet

    was = cast(Any, source).schema
    table = parquet.read_table(path, memory_map=False)
    if every > 1:
        table = table.take(pa.array(range(0, len(table), every)))
    for at, field in enumerate(table.schema):
        if field.name in kept:
            column = _as(table.column(at), was.field(field.name).type)
            table = table.set_column(at, pa.field(field.name, column.type), column)
    if like == "pandas":
        about = json.loads((was.metadata or {}).get(b"pandas", b"{}"))
        same = {n for n in kept if n in table.column_names and _alike(table, source, n)}
        about["columns"] = [c for c in about.get("columns", ()) if c["name"] in same]
        return table.replace_schema_metadata({"pandas": json.dumps(about)}).to_pandas()
    return table


def _as(column: pyarrow.ChunkedArray, of: pyarrow.DataType) -> pyarrow.ChunkedArray:
    """A column with another type, or as near to it as Arrow can bring it."""
    import pyarrow as pa

    if not pa.types.is_dictionary(of):
        return column.cast(of)
    try:
        coded = column.cast(of.value_type).dictionary_encode()
    except pa.ArrowException:  # such as values that are intervals
        return column
    parts = [
        pa.DictionaryArray.from_arrays(part.indices, part.dictionary, ordered=of.ordered)
        for part in coded.chunks
    ]
    return pa.chunked_array(parts, parts[0].type if parts else of)


def _alike(a: pyarrow.Table, b: pyarrow.Table, name: str) -> bool:
    """Whether a column is of dictionaries in both tables or in none."""
    from pyarrow import types

    return bool(types.is_dictionary(a.field(name).type) == types.is_dictionary(b.field(name).type))


def _read_polars(path: Path, source: Any, kept: set[str], every: int) -> polars.DataFrame:
    import polars as pl

    with path.open("rb") as file:
        table = pl.read_parquet(file)
    types = {name: source.schema[name] for name in table.columns if name in kept}
    for name, of in types.items():
        if of == pl.Enum:  # whose type has words that are not released
            types[name] = pl.Categorical()
    return table.gather_every(every).cast(cast(Any, types))


def names(data: Any) -> list[Any]:
    """The names of all columns."""
    return list(data.columns if kind(data) != "pyarrow" else data.column_names)


def find(data: Any, wanted: Iterable[Any]) -> None:
    """Raises InputError if a table lacks a column, with a name that is like it, or has two."""
    has = [str(name) for name in names(data)]
    for name in map(str, wanted):
        if name in has:
            if has.count(name) > 1:
                raise _twice(name)
            continue
        hint = f"the table has {', '.join(has[:20]) or 'none'}{', ...' if len(has) > 20 else ''}"
        if kind(data) == "pandas" and name in data.index.names:
            hint = "it is of the index, which reset_index makes columns"
        elif close := difflib.get_close_matches(name, has, 1):
            hint = f"did you mean {close[0]}?"
        raise InputError(3, "input", f"find columns in the table: it lacks {name}", hint)


def select(data: Any, wanted: Iterable[str]) -> Any:
    """Some columns of a table, in a given order. A table of pandas may name them by numbers."""
    if kind(data) != "pandas":
        return data.select(list(wanted))
    has = [str(name) for name in names(data)]
    return data.iloc[:, [has.index(name) for name in wanted]]


def replace(data: T, others: Any, names: list[str]) -> T:
    """A table with columns of another one of the same kind and as many rows."""
    of, found = kind(data), cast(Any, data)
    if of == "pandas":
        found = found.copy(deep=False)
        has = [str(name) for name in found.columns]
        for name in names:
            found.isetitem(has.index(name), others[name].array)
    elif of == "polars":
        found = found.with_columns(others.select(names))
    else:
        for name in names:
            at = found.schema.get_field_index(name)
            found = found.set_column(at, name, others.column(name))
    return cast(T, found)


def converted(data: Any, library: str) -> Any:
    """A table as one of pandas or polars."""
    of = kind(data)
    if of == library:
        return data
    if library == "pandas":
        return data.to_pandas()
    import polars as pl

    return pl.from_pandas(data) if of == "pandas" else pl.from_arrow(data)


def blank(names: list[str], like: str) -> Any:
    """A table of a library without rows, with columns of texts."""
    if like == "polars":
        import polars as pl

        return pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    import pyarrow as pa

    table = pa.table({name: pa.array([], pa.string()) for name in names})
    return table.to_pandas() if like == "pandas" else table


def with_constant(table: Source, name: str, value: int) -> Source:
    """A table with one more column, in which all rows have a number."""
    found = cast(Any, table)
    if kind(table) == "polars":
        import polars as pl

        return cast("polars.DataFrame", found.with_columns(pl.lit(value, dtype=pl.Int64).alias(name)))
    import pyarrow as pa

    return found.append_column(name, pa.repeat(value, len(table)))
