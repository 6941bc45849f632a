"""Prints the sizes of all groups of a release, by reader and set of columns, as JSON: null where a reader cannot read one of these. Of columns
that are hive partitions it prints all values, "" for a null, too.

usage: sizes.py SETS PARTITIONS RELEASE, with the sets as a JSON list of lists of column names, and of the names of partitions.
"""

import json
import os
import shutil
import sys
import urllib.parse
import warnings

import duckdb
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet

warnings.simplefilter("ignore")
sets, partitions, release = json.loads(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
glob = os.path.join(release, *["*"] * len(partitions), "*.parquet") if os.path.isdir(release) else release

# Without it pyarrow makes dictionaries of partitions, which neither it nor pandas puts together where one is null.
hive = pyarrow.dataset.partitioning(pyarrow.schema([(name, pyarrow.string()) for name in partitions]), flavor="hive")


def of_pandas(table):
    for name in table.columns:  # pandas has structs as dicts, which it does not group by
        if isinstance(next((v for v in table[name] if v is not None), None), dict):
            table[name] = table[name].map(lambda v: v if v is None else tuple(v.values()))
    return lambda names: table.groupby(names, dropna=False, observed=True).size().tolist(), lambda name: table[name].unique().tolist()


def of_polars(table):
    return lambda names: table.group_by(names).len()["len"].to_list(), lambda name: table[name].unique().to_list()


def of_sql(rows):
    def sizes(names):
        columns = ", ".join(f'"{name}"' for name in names)
        return [row[0] for row in rows(f"SELECT count(*) FROM {{}} GROUP BY {columns}")]
    return sizes, lambda name: [row[0] for row in rows(f'SELECT DISTINCT "{name}" FROM {{}}')]


def with_duckdb(path):
    return of_sql(lambda query: duckdb.sql(query.format(f"read_parquet('{path}', hive_partitioning = {bool(partitions)})")).fetchall())


def structs():
    schema = pyarrow.parquet.read_table(release).schema
    return [field for field in schema if pyarrow.types.is_struct(field.type)]


def with_pyarrow():
    table = pyarrow.parquet.read_table(release, partitioning=hive)
    parts = {field.name: [f"{field.name}.{part.name}" for part in field.type] for field in structs()}
    table = table.flatten()  # it does not group by structs
    return lambda names: group(table, [part for name in names for part in parts.get(name, [name])]), lambda name: table[name].unique().to_pylist()


def group(table, names):
    return table.group_by(names).aggregate([([], "count_all")])["count_all"].to_pylist()


def with_fastparquet():
    import fastparquet
    beyond = {field.name for field in structs()}  # whole numbers in structs, with nulls
    file = fastparquet.ParquetFile(release)
    # It leaves names of folders encoded, so that values are decoded here. Groups are the same.
    columns = [name for name in file.columns if name.split(".")[0] not in beyond]
    sizes, values = of_pandas(file.to_pandas(columns=columns + partitions))
    return lambda names: None if beyond & set(names) else sizes(names), lambda name: [urllib.parse.unquote(v) for v in values(name)]


def with_datafusion():
    import datafusion
    context = datafusion.SessionContext()
    context.register_parquet("release", release, table_partition_cols=[(name, pyarrow.string()) for name in partitions])
    return of_sql(lambda query: zip(*context.sql(query.format("release")).to_pydict().values()))


def with_spark():
    from pyspark.sql import SparkSession
    if not shutil.which("java"):
        raise ImportError("no Java")
    options = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.ansi.doubleQuotedIdentifiers": "true", "spark.sql.shuffle.partitions": "2"}
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.read.parquet(os.path.abspath(release)).createOrReplaceTempView("release")
    return of_sql(lambda query: spark.sql(query.format("release")).collect())


readers = {
    "pyarrow": with_pyarrow,
    "pandas": lambda: of_pandas(pandas.read_parquet(release, partitioning=hive)),
    "polars": lambda: of_polars(polars.read_parquet(release)),
    "polars, lazy": lambda: of_polars(polars.scan_parquet(release).collect()),
    "duckdb": lambda: with_duckdb(release),
    "duckdb, glob": lambda: with_duckdb(glob),
    "fastparquet": with_fastparquet,
    "datafusion": with_datafusion,
    "spark": with_spark,
}
nulls = dict.fromkeys(["fastparquet", "datafusion"], "__HIVE_DEFAULT_PARTITION__")  # what they take null partitions for
found = {}
for name, open_release in readers.items():
    try:
        sizes, values = open_release()
    except ImportError as e:
        print(f"{name}: {e}", file=sys.stderr)
        continue
    found[name] = {
        "sizes": [counted and sorted(int(n) for n in counted) for counted in map(sizes, sets)],
        "values": [sorted("" if pandas.isna(v) or v == nulls.get(name) else v for v in values(partition)) for partition in partitions],
    }
print(json.dumps(found))
