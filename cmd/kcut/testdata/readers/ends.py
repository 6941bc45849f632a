"""Runs the code of docs/python.md, and holds what it makes of interval labels against the cut's own ends.

usage: ends.py CODE CUT, the latter the JSON of kcut show. Its last line is ok.
"""

import json
import sys

import duckdb
import pandas
import polars

exec(open(sys.argv[1]).read())

cut = json.load(open(sys.argv[2]))["columns"]["hours-per-week"]["cut"]
want = {i["label"]: (i.get("lower"), i.get("upper")) for i in cut if i}
none = lambda x: None if x is None or x != x else int(x)
for rows in (df[["hours-per-week", "from", "to"]].itertuples(index=False, name=None),
             pl.select("hours-per-week", "from", "to").iter_rows(),
             duckdb.sql('SELECT "hours-per-week", "from", "to" FROM db').fetchall()):
    seen = {(label, none(lower), none(upper)) for label, lower, upper in rows}
    assert seen == {(label, *ends) for label, ends in want.items()}, seen
assert any(None in ends for ends in want.values()), "no end is open"
print("ok")
