"""Runs SQL of kcut in the engines that it is for, and compares what comes out.

engines.py table FILE                          writes a table of many types, with odd names and values: of a few more if all is in the file's name, and
                                               with names of other characters if plain is
engines.py run ENGINE FILE STATEMENTS FOLDER   runs statements over a Parquet file, the table people: the result of every query is FOLDER/N.parquet,
                                               or a folder of that name, from 1 on; the table masked is FOLDER/masked.parquet
engines.py same A B                            says how many rows only one of two Parquet files or folders has
engines.py holds FOLDER                        fails unless the results of a recount say that all sets hold, and all labels are the cut's
engines.py transpile DIALECT STATEMENTS        prints what sqlglot makes of statements of a dialect for DuckDB
"""

import datetime
import decimal
import os
import random
import re
import sys
import uuid


def table(path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pick, rows = random.Random(7), 4000
    nan, inf, day = float("nan"), float("inf"), datetime.date
    utc, moment = datetime.timezone.utc, datetime.datetime

    def some(values, nulls=0.03):
        return [None if pick.random() < nulls else pick.choice(values) if isinstance(values, list) else values() for _ in range(rows)]

    def moments():
        return moment(2023, 9, 30, 12, 0, 0, 250000) + datetime.timedelta(seconds=pick.randrange(40_000_000), microseconds=pick.randrange(4) * 250_000)

    texts = ["it's", 'say "hi"', "back\\slash", "line\nbreak", "tab\tin", "Größe", "日本", "", " space ", "NULL", "null", "%s", "--", "a;b", "`tick`"]
    leap = [day(2024, 2, 29), day(2000, 2, 29), day(1999, 12, 31), day(1970, 1, 1), day(1900, 2, 28), day(2023, 3, 1)]
    columns = {
        'say "hi"': (some(texts), pa.string()),
        "it's": (some(texts), pa.string()),
        "select": (some(lambda: pick.randrange(-40, 90)), pa.int32()),
        "größe µ": (some(lambda: pick.choice([0.0, -0.0, nan, inf, -inf, 0.1, -2.5, 1e300, pick.gauss(0, 9)])), pa.float64()),
        "back`tick": (some(lambda: pick.choice(leap) + datetime.timedelta(days=pick.randrange(3))), pa.date32()),
        "semi;colon": (some(moments), pa.timestamp("us")),
        "at.time": (some(lambda: moments().replace(tzinfo=utc)), pa.timestamp("us", tz="UTC")),
        "price": (some(lambda: decimal.Decimal(pick.randrange(-300, 900)) / 100), pa.decimal128(10, 2)),
        "wide price": (some(lambda: decimal.Decimal(pick.randrange(9)) * 10**20 + decimal.Decimal("0.10")), pa.decimal128(38, 10)),
        "yes?": (some([True, False]), pa.bool_()),
        "half": (some([0.1, 0.25, -0.0, nan, 1e-7, 3e30]), pa.float32()),
        "zip": (some(lambda: str(pick.randrange(12000, 12600))), pa.string()),
        "number": (some(lambda: pick.randrange(100, 130) * 100), pa.int64()),
        "born": (some(lambda: day(1960, 1, 1) + datetime.timedelta(days=pick.randrange(20000))), pa.date32()),
        "seen": (some(moments), pa.timestamp("us")),
        "income": (some(lambda: decimal.Decimal(pick.randrange(0, 40) ** 2) / 100), pa.decimal128(6, 2)),
        "tree": (some(["a'b"] * 20 + ['c"d', "é", "x\\y"] * 9 + ["z"]), pa.string()),
        "code": (some([1, 2, 30, 30, 30, 31, 99] * 9 + [2] * 9 + [32]), pa.int16()),
        "tiny": (some(lambda: pick.randrange(-5, 5)), pa.int8()),
        "days": (some(lambda: day(2020, 2, 27) + datetime.timedelta(days=pick.randrange(9))), pa.date32()),
        "middle": (some(lambda: pick.choice([nan, -0.0, 1.5, 2.25, pick.random()])), pa.float64()),
        "open": (some(lambda: pick.randrange(10)), pa.int64()),
        "class": (some(["<=50K", ">50K"], 0), pa.string()),
        "kept floats": (some([nan, -0.0, 0.0, inf, 0.1]), pa.float64()),
        "kept list": (some([[1, 2], [], [None]]), pa.list_(pa.int64())),
        "kept moment": (some(lambda: moments().replace(tzinfo=utc)), pa.timestamp("us", tz="UTC")),
        "kept bytes": (some([b"\x00\xff", b""]), pa.binary()),
    }
    if "all" in path:  # types that not every engine has
        columns |= {
            "clock": (some(lambda: datetime.time(pick.randrange(24), 30, 0, 500000)), pa.time64("us")),
            "u8": (some(lambda: pick.randrange(250, 256)), pa.uint8()),
            "u64": (some(lambda: 2**64 - 1 - pick.randrange(9)), pa.uint64()),
            "nano": (some(lambda: 1_700_000_000_000_000_000 + pick.randrange(5) * 1_000_000_001), pa.timestamp("ns")),
            "bytes": (some([b"\x00\xff", b"ab", b""]), pa.binary()),
        }
    if "plain" in path:  # characters that no name has in BigQuery
        columns = {re.sub(r"[!\"$()*,./;?@\[\\\]^`{}~]", "", name): column for name, column in columns.items()}
    pq.write_table(pa.table({name: pa.array(values, of) for name, (values, of) in columns.items()}), path, row_group_size=1000)


def statements(path):
    """Splits a file of statements at line ends behind a semicolon."""
    with open(path, encoding="utf-8") as file:
        return [s for s in re.split(r";\n", file.read()) if s.strip()]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def run_transpiled(file, path, folder):
    """Runs what was made of another dialect. DuckDB takes = NaN for false where a Parquet file's statistics leave NaN out, so it reads a table."""
    run_duckdb(file, path, folder, "TABLE")


def run_duckdb(file, path, folder, kind="VIEW"):
    import duckdb

    db = duckdb.connect()
    db.execute("CREATE MACRO fail(message) AS error(message)")  # it is Trino's
    db.execute("SET TimeZone = 'America/New_York'")  # of no matter
    source = quoted(file + "/*.parquet" if os.path.isdir(file) else file)
    db.execute(f"CREATE {kind} people AS SELECT * FROM read_parquet({source})")
    queries = 0
    for statement in statements(path):
        if re.match(r"(\s|--.*\n)*CREATE", statement):
            db.execute(statement)
            db.execute(f"COPY masked TO {quoted(folder + '/masked.parquet')} (FORMAT parquet)")
        else:
            queries += 1
            body = re.sub(r"(?m)^--.*\n", "", statement)
            db.execute(f"COPY ({body}) TO {quoted(f'{folder}/{queries}.parquet')} (FORMAT parquet)")


def run_spark(file, path, folder):
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]").config("spark.driver.memory", os.environ.get("KCUT_SPARK_MEMORY", "4g"))
        .config("spark.sql.warehouse.dir", folder + "/warehouse").config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.read.parquet(file).createOrReplaceTempView("people")
    queries = 0
    for statement in statements(path):
        if re.match(r"(\s|--.*\n)*CREATE", statement):
            spark.sql(statement)
            os.rename(folder + "/warehouse/masked", folder + "/masked.parquet")
        else:
            queries += 1
            spark.sql(statement).write.parquet(f"{folder}/{queries}.parquet")
    spark.stop()


def transpile(dialect, path):
    import sqlglot

    with open(path, encoding="utf-8") as file:
        text = file.read()
    for tree in sqlglot.parse(text, read=dialect, error_level=sqlglot.ErrorLevel.RAISE):
        if tree is not None:
            print(tree.sql(dialect="duckdb", unsupported_level=sqlglot.ErrorLevel.RAISE, comments=False) + ";")


def same(a, b):
    import duckdb

    db = duckdb.connect()
    tables = {}
    for name, path in (("a", a), ("b", b)):
        source = quoted(path + "/*.parquet" if os.path.isdir(path) else path)
        db.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({source})")
        tables[name] = {r[0]: r[1] for r in db.execute(f"DESCRIBE {name}").fetchall()}
    if tables["a"].keys() != tables["b"].keys():
        sys.exit(f"columns differ: {sorted(tables['a'].keys() ^ tables['b'].keys())}")
    names = []
    for n in tables["b"]:
        name = '"' + n.replace('"', '""') + '"'
        if tables["a"][n] != tables["b"][n]:
            print(f"column {n}: {tables['a'][n]} and {tables['b'][n]}", file=sys.stderr)
        if tables["b"][n] in ("FLOAT", "DOUBLE"):  # as bits: -0 is not 0
            name = f"CAST({name} AS VARCHAR) AS {name}"
        names.append(name)
    list_ = ", ".join(names)
    def alone(some, x, y):
        return db.execute(f"SELECT COUNT(*) FROM (SELECT {some} FROM {x} EXCEPT ALL SELECT {some} FROM {y})").fetchone()[0]

    for x, y in (("a", "b"), ("b", "a")):
        if rows := alone(list_, x, y):
            sys.exit(f"{rows} rows only in {x}; columns that differ: {[n for n in names if alone(n, x, y)]}")
    print(db.execute("SELECT COUNT(*) FROM a").fetchone()[0], "rows are the same")


def holds(folder):
    import duckdb

    for name, column in (("1", "below_k"), ("2", "other_rows")):
        path = f"{folder}/{name}.parquet"
        source = quoted(path + "/*.parquet" if os.path.isdir(path) else path)
        rows, wrong = duckdb.connect().execute(f"SELECT COUNT(*), SUM({column}) FROM read_parquet({source})").fetchone()
        if not rows or wrong:
            sys.exit(f"{column} is {wrong} in {rows} rows")


if __name__ == "__main__":
    command, *args = sys.argv[1:]
    if command == "run":
        os.makedirs(args[3], exist_ok=True)
        {"duckdb": run_duckdb, "spark": run_spark, "transpiled": run_transpiled}[args[0]](*args[1:])
    else:
        {"table": table, "same": same, "holds": holds, "transpile": transpile}[command](*args)
