"""Tables of pandas, polars and pyarrow, by way of Arrow."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._errors import InputError

if TYPE_CHECKING:
    import pyarrow

T = TypeVar("T")


def kind(data: Any) -> str:
    """The library of a table. Raises TypeError for what is no table."""
    for library, name in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")):
        # Who has a table has imported its library.
        if library in sys.modules and isinstance(data, getattr(sys.modules[library], name)):
            return library
    raise TypeError(f"a {type(data).__name__} is no table of pandas, polars or pyarrow")


def arrow(data: Any) -> pyarrow.Table:
    """The Arrow table of a table, without the index of pandas."""
    of = kind(data)
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(f"tables take pyarrow: pip install kcut[{of}]") from None
    try:
        if of == "pandas":
            return pa.Table.from_pandas(data, preserve_index=False)
        return data.to_arrow() if of == "polars" else data
    except pa.ArrowException as error:  # whose first words may have a value
        column = f": {error.args[-1]}" if len(error.args) > 1 else ""
        hint = "give each column values of one type, which Arrow has"
        raise InputError(3, "input", f"make an Arrow table of the data{column}", hint) from None


def is_ordered(table: pyarrow.Table, name: str) -> bool:
    """Whether a column has numbers, dates or times, of which intervals can be made."""
    from pyarrow import types

    at = table.schema.get_field_index(name)
    of = table.schema.field(at).type if at >= 0 else None
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_temporal)
    return of is not None and any(test(of) for test in tests)


def write(table: pyarrow.Table, path: Path) -> None:
    """Writes an Arrow file."""
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read(path: Path, source: pyarrow.Table, kept: set[str], like: str, every: int = 1) -> Any:
    """Reads every nth row of a release as a table of a library; kept columns have their types."""
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(path, memory_map=False)
    if every > 1:
        table = table.take(pa.array(range(0, len(table), every)))
    for at, field in enumerate(table.schema):
        if field.name in kept:
            of = source.field(field.name).type
            table = table.set_column(at, pa.field(field.name, of), table.column(at).cast(of))
    if like == "polars":
        import polars

        return polars.from_arrow(table)
    if like == "pandas":
        about = json.loads((source.schema.metadata or {}).get(b"pandas", b"{}"))
        about["columns"] = [c for c in about.get("columns", ()) if c["name"] in kept]
        return table.replace_schema_metadata({"pandas": json.dumps(about)}).to_pandas()
    return table


def names(data: Any) -> list[Any]:
    """The names of all columns."""
    return list(data.columns if kind(data) != "pyarrow" else data.column_names)


def select(data: Any, names: list[str]) -> Any:
    """Some columns of a table."""
    return data[names] if kind(data) == "pandas" else data.select(names)


def replace(data: T, others: Any, names: list[str]) -> T:
    """A table with columns of another one of the same kind and as many rows."""
    of, found = kind(data), cast(Any, data)
    if of == "pandas":
        found = found.assign(**{name: others[name].array for name in names})
    elif of == "polars":
        found = found.with_columns(others.select(names))
    else:
        for name in names:
            at = found.schema.get_field_index(name)
            found = found.set_column(at, name, others.column(name))
    return cast(T, found)


def with_constant(table: pyarrow.Table, name: str, value: int) -> pyarrow.Table:
    """A table with one more column, in which all rows have a number."""
    import pyarrow as pa

    return table.append_column(name, pa.repeat(value, len(table)))
