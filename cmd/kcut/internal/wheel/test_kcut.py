"""Tests of the installed module. They need pandas; `make test-wheels` runs them."""

import collections
import contextlib
import datetime
import decimal
import importlib.metadata
import io
import os
import pickle
import stat
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import pandas as pd

import kcut
from kcut import _answers, _errors, _program, _tables

try:
    import pyarrow as pa
except ImportError:
    pa = None
try:
    import polars as pl
except ImportError:
    pl = None
try:
    import sklearn
except ImportError:
    sklearn = None


class Intervals(unittest.TestCase):
    def test_missing(self):
        """Who has no pandas reads where to get it."""
        with mock.patch.dict(sys.modules, pandas=None):
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                kcut.intervals(["[17,37)"])

    def check(self, labels, inside):
        """Holds every label against values inside it, and the next label's, which are outside."""
        found = kcut.intervals(labels)
        self.assertEqual(found.closed, "left")
        self.assertEqual(len(found), len(labels))
        for interval, label, values in zip(found, labels, inside):
            if values is None:
                self.assertTrue(pd.isna(interval), label)
                continue
            for others in inside:
                for value in others or ():
                    self.assertEqual(value in interval, value in values, f"{value} in {label}")

    def test_numbers(self):
        self.check(
            ["[17,37)", "(,17)", None, "[37,44)", "[44,99]", "[17,37)", "*"],
            [(17, 36.9), (-1e300, 16), None, (37, 43), (44, 98.5, 99), (17, 36.9), None],
        )
        self.check(
            ["(,-1.5)", "[-1.5,2e21)", "[2e21,)"], [(-2,), (-1.5, 0), (2e21, np.finfo(float).max)]
        )
        self.check(
            ["(,-1)", "-1", "[0,2)", "2"], [(-2, -1.5), (-1, -0.5), (0, 1.9), (2, 2.9)]
        )
        self.check(["{(,5)|\\N}", "[5,)", None], [(-1, 4.9), (5, 6), None])
        self.check(["{2|\\N}", "{[3,4]|\\N}"], [(2, 2.9), (3, 4)])
        self.check(["(,)", None], [(0, 1e300, -1e300), None])
        last = kcut.intervals(["[44,99]"])[0]
        self.assertNotIn(np.nextafter(last.right, np.inf), last)

    def test_dates(self):
        day = pd.Timestamp
        self.check(
            ["(,1943-06-01)", "[1943-06-01,2005-08-26)", "[2005-08-26,2006-01-01]", None, "*"],
            [
                (day("0001-01-01"), day("1943-05-31")),
                (day("1943-06-01"),),
                (day("2005-08-26"), day("2006-01-01")),
                None,
                None,
            ],
        )
        self.check(
            ["(,2020-01-01)", "[2020-01-01,)"],
            [(day("1066-10-14"),), (day("2020-01-01"), day("9999-12-31"))],
        )

    def test_timestamps(self):
        at = pd.Timestamp
        self.check(
            ["(,2020-01-01T00:00:00.5)", "[2020-01-01T00:00:00.5,)"],
            [(at("2020-01-01"), at("2020-01-01T00:00:00.499999")), (at("2020-01-01T00:00:00.5"),)],
        )
        self.check(
            ["(,2020-01-01T00:00:00Z)", "[2020-01-01T00:00:00Z,)"],
            [(at("2019-12-31T23:00Z"),), (at("2020-01-01T00:00Z"),)],
        )
        self.check(
            ["(,2020-01-01T00:00:00.123456789)", "[2020-01-01T00:00:00.123456789,)"],
            [(at("2020-01-01T00:00:00.123456788"),), (at("2020-01-01T00:00:00.123456789"),)],
        )

    def test_times(self):
        after = pd.Timedelta
        self.check(
            ["(,08:00:00)", "[08:00:00,17:30:00)", "[17:30:00,)"],
            [(after("0h"), after("7h")), (after("8h"),), (after("17.5h"), after("23h"))],
        )

    def test_columns(self):
        """Categories, as pandas reads dictionaries of Parquet, and an empty column."""
        labels = pd.Series(["[1,2)", None, "[2,)"], dtype="category")
        self.assertEqual(list(kcut.intervals(labels).left.dropna()), [1, 2])
        self.assertEqual(len(kcut.intervals([])), 0)
        self.assertTrue(pd.isna(kcut.intervals([None, "*"])).all())

    def test_structs(self):
        """Structs are the intervals that their labels are, however pandas holds them."""
        day, at = datetime.date, datetime.datetime
        for labels, ends in [
            (
                ["(,17)", "[17,37.5)", "[37.5,99]", None, "(,)"],
                [(None, 17), (17, 37.5), (37.5, 99), None, (None, None)],
            ),
            (
                ["(,1943-06-01)", "[1943-06-01,)"],
                [(None, day(1943, 6, 1)), (day(1943, 6, 1), None)],
            ),
            (["(,08:00:00)", "[08:00:00,)"], [(None, datetime.time(8)), (datetime.time(8), None)]),
            (
                ["[2020-01-01T00:00:00.5Z,)"],
                [(at(2020, 1, 1, 0, 0, 0, 500000, datetime.timezone.utc), None)],
            ),
            (["[-1.5,2.50)"], [(decimal.Decimal("-1.5"), decimal.Decimal("2.50"))]),
        ]:
            structs = [
                end
                and {
                    "lower": end[0],
                    "upper": end[1],
                    "closed": "both" if label.endswith("]") else "left",
                }
                for label, end in zip(labels, ends)
            ]
            want = kcut.intervals(labels)
            self.assertTrue(kcut.intervals(structs).equals(want), labels)
            self.assertTrue(kcut.intervals(pd.Series(structs)).equals(want), labels)
        self.assertTrue(pd.isna(kcut.intervals([None, None])).all())

    def test_samples(self):
        """Values are inside their intervals, everywhere in them, and the same for the same seed."""
        day = pd.Timestamp
        for labels, ends in [
            (["[17,37)", "[37,44)", "[44,99]", None, "*"], {}),
            (["(,17)", "[17,37)", "[37,)", "(,)"], {}),
            (["(,17)", "[17,37)", "[37,)", "(,)"], {"lower": 0, "upper": 120}),
            (["(,17)", "[17,)"], {}),
            (["(,1943-06-01)", "[1943-06-01,2005-08-26)", "[2005-08-26,)", None], {}),
            (
                ["(,1943-06-01)", "[1943-06-01,2005-08-26)", "[2005-08-26,)", "(,)"],
                {"lower": day("1900-01-01"), "upper": day("2020-01-01")},
            ),
            (["(,2020-01-01T00:00:00Z)", "[2020-01-01T00:00:00Z,)"], {}),
            (["(,2020-01-01T00:00:00.123456789)", "[2020-01-01T00:00:00.123456789,)"], {}),
            (["(,08:00:00)", "[08:00:00,17:30:00)", "[17:30:00,)"], {}),
            ([None, "*"], {}),
            ([], {}),
        ]:
            found = kcut.intervals(labels * 500)
            drawn = found.sample(seed=7, **ends)
            self.assertEqual(len(drawn), len(found))
            self.assertTrue(drawn.equals(found.sample(seed=7, **ends)), labels)
            for at, (label, interval) in enumerate(zip(labels, found)):
                values = drawn[at :: len(labels)]
                if label in (None, "*") or label == "(,)" and not ends:
                    self.assertTrue(values.isna().all(), label)
                    continue
                self.assertFalse(values.isna().any(), label)
                self.assertTrue(all(value in interval for value in values), label)
                self.assertGreater(values.nunique(), 400, label)
                if not label.startswith("(") and not label.endswith(",)"):
                    off = values.to_series().mean() - interval.mid
                    self.assertLess(abs(off) / interval.length, 0.05, label)

    def test_sample_widths(self):
        """An open interval is as wide as the mean of the different others."""
        drawn = kcut.intervals(["(,10)", "[10,20)", "[20,50)", "[20,50)", "[50,)"] * 2000).sample()
        self.assertAlmostEqual(drawn[::5].min(), -10, delta=0.1)
        self.assertAlmostEqual(drawn[4::5].max(), 70, delta=0.1)
        with self.assertRaises(ValueError):
            kcut.intervals(["(,10)"]).sample(lower=11)

    def test_parts(self):
        """Parts of a column, and what was pickled, can be sampled, too."""
        found = kcut.intervals(["[1,2)", None, "[2,4)"])
        self.assertTrue(pickle.loads(pickle.dumps(found)).equals(found))
        column = pd.Series(found)
        self.assertTrue(column[column.notna()].array.sample().equals(found[[0, 2]].sample()))

    def test_others(self):
        for label in ["Female", "17.5", "", "[17;37)", "[1,2,3)", "{[1,2)}"]:
            with self.assertRaises(ValueError, msg=label):
                kcut.intervals([label])


def people(rows=400):
    """A table of people, of whom each has a name of their own."""
    at = np.arange(rows)
    return pd.DataFrame(
        {
            "name": [f"Somebody {i}" for i in at],
            "age": at * 7 % 60 + 20,
            "sex": np.where(at % 3 == 0, "F", "M"),
            "born": pd.Timestamp("1960-01-01") + pd.to_timedelta(at * 37 % 9000, unit="D"),
            "town": [["Bonn", "Köln", "Ulm"][i // 5 % 3] for i in at],
            "income": np.where(at * 7 % 60 > 25, "high", "low"),
        }
    )


def in_polars(data):
    """A table as one of polars, which needs no pyarrow."""
    return pl.DataFrame({name: data[name].tolist() for name in data})


class Folder(unittest.TestCase):
    """Has a current folder of its own, and private ones in another."""

    def setUp(self):
        with contextlib.ExitStack() as stack:
            self.folder = stack.enter_context(tempfile.TemporaryDirectory())
            before = os.getcwd()
            stack.callback(os.chdir, before)
            os.chdir(self.folder)
            os.mkdir("private")
            stack.enter_context(
                mock.patch.object(tempfile, "tempdir", os.path.join(self.folder, "private"))
            )
            self.addCleanup(stack.pop_all().close)

    def tearDown(self):
        self.assertEqual(os.listdir("private"), [])


@unittest.skipUnless(pa, "needs pyarrow")
class Anonymize(Folder):
    def check(self, rows, columns, k):
        """Counts again what a release holds."""
        self.assertEqual(len(rows), 400)
        smallest = min(
            collections.Counter(tuple(str(row[c]) for c in columns) for row in rows).values()
        )
        self.assertGreaterEqual(smallest, k)
        self.assertGreater(len({str(row["age"]) for row in rows}), 1)
        self.assertNotIn("Somebody", str(rows))

    def test_kinds(self):
        """Every library gets back its own kind, in which k holds."""
        data = people()
        rows = {
            pd.DataFrame: lambda table: table.to_dict("records"),
            pa.Table: lambda table: table.to_pylist(),
        }
        tables = [data, pa.Table.from_pandas(data, preserve_index=False)]
        if pl:
            rows[pl.DataFrame] = lambda table: table.to_dicts()
            tables.append(in_polars(data))
        for table in tables:
            release = kcut.anonymize(
                table, ["age", "sex", "born"], 15, class_="income", unlisted="drop"
            )
            self.assertIs(type(release.data), type(table))
            found = rows[type(table)](release.data)
            self.assertEqual(list(found[0]), ["age", "sex", "born", "income"])
            self.check(found, ["age", "sex", "born"], 15)
            self.assertEqual(
                collections.Counter(row["income"] for row in found),
                collections.Counter(data["income"]),
            )
            self.assertRegex(found[0]["age"], r"^[\[(].*[\])]$")
            self.assertEqual(release.cut["quasi_identifiers"][0]["k"], 15)
            self.assertEqual(
                (release.report["rows"], release.report["inputs"]), (400, ["table.arrow"])
            )
            self.assertEqual(release.job["columns"]["sex"], {"mask": "suppress"})

    def test_names(self):
        """Names that are numbers or tuples are those that Arrow has; sets may be any lists."""
        data = people()[["age", "sex", "income"]]
        want = kcut.anonymize(data, ["age", "sex"], 15, class_="income").data.to_numpy()
        numbered, nested = data.copy(), data.copy()
        numbered.columns = [0, 1, 2]
        nested.columns = pd.MultiIndex.from_product([["a"], list(data)])
        named = [str(name) for name in nested]
        for table, sets, of_class in (
            (numbered, [0, 1], 2),
            (numbered, [["0", 1]], "2"),
            (numbered, [np.array([0, 1])], 2),
            (data, [{"columns": data.columns[:2], "k": 15}], "income"),
            (nested, [[("a", "age"), ("a", "sex")]], named[2]),
        ):
            release = kcut.anonymize(table, sets, 15, class_=of_class)
            self.assertEqual(list(release.data), [str(name) for name in table])
            self.assertEqual(release.data.to_numpy().tolist(), want.tolist())
        keep = {"mask": "keep", "identifying": "accepted"}
        release = kcut.anonymize(numbered, [[0, 1]], 15, columns={2: keep})
        self.assertEqual(release.job["columns"]["2"], keep)
        self.assertEqual(kcut.check(numbered, columns=[1], k=1)["rows"], 400)
        for sets in ("age", [{"columns": "age"}], [{"subsets": 1, "of": "age"}]):
            with self.assertRaisesRegex(TypeError, "list of names"):
                kcut.anonymize(data, sets, 15, class_="income")

    def test_subsets(self):
        """Columns that only subsets name get masks, too."""
        data = people()
        sets = [{"subsets": 1, "of": ["age", "sex", "born"]}, {"columns": ["age"], "k": 20}]
        release = kcut.anonymize(data, sets, 15, unlisted="drop", max_unique="100%")
        self.assertEqual(list(release.data), ["age", "sex", "born"])
        self.check(release.data.to_dict("records"), ["age"], 20)
        self.check(release.data.to_dict("records"), ["born"], 15)
        every = [{"subsets": 1, "of": "all"}]
        masks = {"age": "discretize", "sex": "suppress"}
        release = kcut.anonymize(data, every, 15, columns=masks, unlisted="drop", max_unique="100%")
        self.check(release.data.to_dict("records"), ["sex"], 15)

    def test_intervals(self):
        """Intervals are those of the library, and have the labels' ends."""
        data = people()
        labels, frame = (
            kcut.anonymize(data, ["age", "born"], unlisted="drop", intervals=i).data
            for i in (False, True)
        )
        for column in ("age", "born"):
            self.assertTrue(kcut.intervals(labels[column]).equals(frame[column].array))
        plain = kcut.anonymize(data, ["age", "born"], unlisted="drop", labels="plain").data
        for column in ("age", "born"):
            self.assertTrue(kcut.intervals(plain[column]).equals(frame[column].array))

    def test_kept(self):
        """Kept columns have the input's types and values; categories are those of the release."""
        data = people()
        data["number"] = pd.array(
            [2**60 + i % 2 if i % 4 else None for i in range(400)], dtype="Int64"
        )
        data["at"] = (
            pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(400) % 5, unit="h")
        ).tz_localize("Europe/Berlin")
        data["part"] = pd.Categorical(["a"] * 400, categories=["a", "secret"])
        keep = dict.fromkeys(["number", "at", "part"], {"keep": {"identifying": "accepted"}})
        kept = kcut.anonymize(data, ["age"], columns=keep, unlisted="drop").data
        for column in ("number", "at"):
            self.assertEqual(kept[column].dtype, data[column].dtype)
            self.assertEqual(
                collections.Counter(kept[column].dropna()),
                collections.Counter(data[column].dropna()),
            )
        self.assertEqual(list(kept["part"].dtype.categories), ["a"])

    def test_categories(self):
        """Kept categories may be of any type, and stay ordered; those of intervals are structs."""
        data = people()
        at = np.arange(400) % 3
        data["number"] = pd.Categorical(at)
        data["day"] = pd.Categorical(pd.Timestamp("2020-01-01") + pd.to_timedelta(at, unit="D"))
        data["size"] = pd.Categorical(at / 2, ordered=True)
        data["word"] = pd.Categorical.from_codes(at, ["S", "M", "L"], ordered=True)
        data["range"] = pd.cut(data["age"], [0, 40, 90])
        names = ["number", "day", "size", "word"]
        keep = dict.fromkeys([*names, "range"], {"keep": {"identifying": "accepted"}})
        for table in (data, pa.Table.from_pandas(data)):
            kept = kcut.anonymize(table, ["age"], columns=keep, unlisted="drop").data
            kept = kept if table is data else kept.to_pandas()
            for name in names:
                before, after = data[name].dtype, kept[name].dtype
                self.assertEqual(set(after.categories), set(before.categories), name)
                self.assertEqual(after.ordered, before.ordered, name)
                counts = collections.Counter(kept[name])
                self.assertEqual(counts, collections.Counter(data[name]), name)
            self.assertEqual(set(kept["range"][0]), {"left", "right"})

    def test_chunks(self):
        """Chunks of a table may have dictionaries of their own."""
        parts = [pa.table({"town": pa.array(words * 50).dictionary_encode()}) for words in
                 (["Bonn", "Ulm"], ["Jena", "Bonn"])]  # fmt: skip
        found = kcut.anonymize(pa.concat_tables(parts), ["town"]).data
        counts = collections.Counter(found["town"].to_pylist())
        self.assertEqual(counts, {"Bonn": 100, "Ulm": 50, "Jena": 50})

    def test_sets(self):
        """Sets are names, lists of names, or have their own k; trees generalize."""
        for sets, want in [
            (["age", "sex"], [(["age", "sex"], 10)]),
            (people().columns[1:3], [(["age", "sex"], 10)]),
            (np.array([["age", "sex"]]), [(["age", "sex"], 10)]),
            ([["age"], ("sex", "town")], [(["age"], 10), (["sex", "town"], 10)]),
            (
                [{"columns": ["age"], "k": 20}, {"columns": "all"}],
                [(["age"], 20), (["town", "age"], 10)],
            ),
        ]:
            columns = {"town": "suppress"} if "all" in str(sets) else {}
            cut = kcut.anonymize(people(), sets, unlisted="drop", columns=columns).cut
            self.assertEqual([(s["columns"], s["k"]) for s in cut["quasi_identifiers"]], want)
        tree = {"town": {"Germany": {"North": ["Bonn", "Köln"], "South": ["Ulm"]}}}
        release = kcut.anonymize(people(), ["town", "age"], 50, taxonomies=tree, unlisted="drop")
        self.assertEqual(release.cut["columns"]["town"]["mask"], "generalize")

    def test_people(self):
        """An entity is dropped, sensitive columns are kept, and numbers of numpy are numbers."""
        data = people()
        data["name"] = [f"Somebody {i // 2}" for i in range(400)]
        release = kcut.anonymize(
            data,
            ["age"],
            5,
            entity="name",
            sensitive=[{"column": "income", "l": 2}],
            unlisted="drop",
            columns={"age": {"mask": "discretize", "bounds": [np.int64(20), np.int64(79)]}},
        )
        self.assertEqual(list(release.data), ["age", "income"])
        self.assertTrue(release.cut["entity"])

    def test_paths(self):
        """Paths start from the current folder."""
        with open("trees.yaml", "w", encoding="utf-8") as file:
            file.write("town: {Germany: [Bonn, Köln, Ulm]}\n")
        for trees in ("trees.yaml", {"town": "town.csv"}):
            with open("town.csv", "w", encoding="utf-8") as file:
                file.write("Bonn,Germany\nKöln,Germany\nUlm,Germany\n")
            release = kcut.anonymize(
                people(),
                ["town"],
                columns={"town": "generalize"},
                taxonomies=trees,
                unlisted="drop",
            )
            self.assertEqual(release.cut["columns"]["town"]["mask"], "generalize")

    def test_environment(self):
        """An argument is nearer than a variable; a variable is nearer than what nobody has said."""
        with mock.patch.dict(
            os.environ,
            KCUT_K="2",
            KCUT_OUTPUT="elsewhere.parquet",
            KCUT_ORDER="input",
            KCUT_ALGORITHM="tds",
        ):
            cut = kcut.anonymize(people(), ["age"], 30, algorithm="mondrian", unlisted="drop").cut
            self.assertEqual(
                kcut.anonymize(people(), ["age"], unlisted="drop").cut["algorithm"], "tds"
            )
        self.assertEqual((cut["quasi_identifiers"][0]["k"], cut["algorithm"]), (30, "mondrian"))
        self.assertEqual(os.listdir(), ["private"])

    def test_refused(self):
        for kind, word, arguments in [
            (kcut.InputError, "unlisted", {}),
            (kcut.PrivacyError, "fewer records than k", {"k": 401, "unlisted": "drop"}),
            (kcut.UsageError, '^unknown key "algorithmus"\n +hint: ', {"algorithmus": "tdr"}),
            (kcut.InputError, "it lacks 7", {"columns": {7: "keep"}}),
            (kcut.InputError, r"it lacks age \(the table has none\)", {"data": pd.DataFrame()}),
        ]:
            with self.assertRaisesRegex(kind, word) as caught:
                kcut.anonymize(**{"data": people(), "quasi_identifiers": ["age"], **arguments})
            self.assertNotIn(self.folder, str(caught.exception))
        for word, table, sets, job in [
            ("no output", people(), ["age"], {"output": "x.parquet"}),
            ("no table", [1, 2], ["age"], {}),
            ("names of columns", people(), "age", {}),
            ("names of columns", people(), [["age"], 7], {}),
            ("names of columns", people(), [], {}),
            ("kcut.run takes files", "people.csv", ["age"], {}),
            ("method to_frame", people()["age"], ["age"], {}),
            ("method read_all", pa.Table.from_pandas(people()).to_reader(), ["age"], {}),
        ]:
            with self.assertRaisesRegex(TypeError, word):
                kcut.anonymize(table, sets, **job)
        for takes_files in (kcut.run, kcut.verify):
            with self.assertRaisesRegex(TypeError, "anonymize_by, check and init take tables"):
                takes_files(people())

    def test_lacking(self):
        """What a table lacks, or has twice, is named, with what to do."""
        data = people()
        twice = pd.concat([data, data["age"]], axis=1)
        arrow = pa.Table.from_pandas(data)
        for table, column, words in [
            (data, "agge", "lacks agge .did you mean age"),
            (data.set_index("age"), "age", "lacks age .*reset_index"),
            (data, "x", "lacks x .the table has name, age"),
            (arrow, "agge", "lacks agge .did you mean age"),
            (twice, "age", "two columns age"),
            (arrow.append_column("age", arrow["age"]), "age", "two columns age"),
            (data.assign(age=pd.arrays.SparseArray(data["age"])), "age", "column age"),
        ]:
            with self.assertRaisesRegex(kcut.InputError, words):
                kcut.anonymize(table, [column], unlisted="drop")
            with self.assertRaisesRegex(kcut.InputError, words):
                kcut.anonymize(table, ["sex"], columns={column: "keep"}, unlisted="drop")

    def test_mixed(self):
        """Columns of no one type are named, their values are not; dropped ones do not matter."""
        data = people().assign(both=[7, "secret"] * 200)
        self.assertEqual(len(kcut.anonymize(data, ["age"], unlisted="drop").data), 400)
        with self.assertRaisesRegex(kcut.InputError, "column both") as caught:
            kcut.anonymize(data, ["age"], columns={"both": "keep"}, unlisted="drop")
        self.assertNotIn("secret", str(caught.exception))

    def test_private(self):
        """What lies in the folder is seen by nobody else, and removed also after an interrupt."""
        seen = []

        def interrupted(arguments, stderr, unset):
            folder = os.path.dirname(arguments[-1])
            seen.append((stat.S_IMODE(os.stat(folder).st_mode), sorted(os.listdir(folder))))
            raise KeyboardInterrupt

        with mock.patch.object(_program, "_run", interrupted), self.assertRaises(KeyboardInterrupt):
            kcut.anonymize(people(), ["age"], unlisted="drop")
        self.assertEqual(seen, [(0o700, ["job.yaml", "table.arrow"])])
        self.assertEqual(os.listdir("private"), [])


@unittest.skipUnless(pa, "needs pyarrow")
class Together(Folder):
    """Several tables of the same people."""

    def setUp(self):
        super().setUp()
        with open("people.key", "w", encoding="utf-8") as file:
            file.write("0123456789abcdef" * 4)
        os.chmod("people.key", 0o600)
        self.stays = people().assign(name=[f"Somebody {i % 150}" for i in range(400)])
        self.bills = pa.table(
            {
                "name": [f"Somebody {i % 200}" for i in range(400)],
                "sum": [i * i % 37 * 10 for i in range(400)],
                "paid": [i % 3 > 0 for i in range(400)],
            }
        )
        self.masks = {
            "name": {"mask": "pseudonym", "key_file": "people.key", "identifying": "accepted"},
            "paid": {"mask": "keep", "identifying": "accepted"},
        }

    def release(self, **more):
        return kcut.anonymize_tables(
            {"stays": self.stays, "bills": self.bills},
            {"stays": ["age", "sex"], "bills": ["sum"]},
            8,
            **{"columns": self.masks, "unlisted": "drop", "max_unique": "100%", **more},
        )

    def test_kinds(self):
        """Each table gets back its own kind, in which k holds, and people are counted together."""
        found = self.release(tables={"stays": {"class_": "income", "k": 20}})
        stays, bills = found.tables["stays"], found.tables["bills"]
        self.assertIsInstance(stays.data, pd.DataFrame)
        self.assertIsInstance(bills.data, pa.Table)
        self.assertEqual(set(stays.data), {"age", "sex", "income", "name"})
        self.assertEqual(set(bills.data.column_names), {"sum", "paid", "name"})
        self.assertGreaterEqual(stays.data.groupby(["age", "sex"]).size().min(), 20)
        for release, k in ((stays, 20), (bills, 8)):
            self.assertEqual(release.cut["quasi_identifiers"][0]["k"], k)
            self.assertEqual(release.report["rows"], 400)
            self.assertNotIn("Somebody", str(release.data))
        self.assertEqual(stays.report["table"], "stays")
        both = set(stays.data["name"]) & set(bills.data["name"].to_pylist())
        (joined,) = found.joined
        self.assertEqual((joined["people"], joined["in_several"]), (200, len(both)))
        self.assertEqual((len(both), joined["k"]), (150, 8))
        self.assertNotIn(self.folder, str(joined))

    def test_intervals(self):
        found = self.release(intervals=True)
        self.assertIsInstance(found.tables["stays"].data["age"].array, pd.arrays.IntervalArray)
        self.assertTrue(pa.types.is_struct(found.tables["bills"].data["sum"].type))

    def test_refused(self):
        """Without max_unique people whom the tables together single out are no release."""
        with self.assertRaisesRegex(kcut.PrivacyError, "joined by name") as caught:
            own = {"k": 2, "max_unique": "100%"}
            self.release(max_unique="0.1%", tables={"stays": own, "bills": own})
        self.assertNotIn(self.folder, str(caught.exception))
        with self.assertRaisesRegex(kcut.PrivacyError, "table bills"):
            self.release(tables={"bills": {"k": 401}})
        for sets, tables in [
            ({"stays": ["age"]}, {}),
            ({"stays": ["age"], "bills": ["sum"]}, {"visits": {}}),
        ]:
            with self.assertRaisesRegex(TypeError, "not the same tables: (bills|visits)"):
                kcut.anonymize_tables(
                    {"stays": self.stays, "bills": self.bills}, sets, tables=tables
                )
        with self.assertRaisesRegex(TypeError, "anonymize_tables"):
            kcut.anonymize({"stays": self.stays}, ["age"])


@unittest.skipUnless(pl, "needs polars")
class Polars(Folder):
    """Tables of polars need no pyarrow."""

    def setUp(self):
        super().setUp()
        without = mock.patch.dict(sys.modules, pyarrow=None)
        without.start()
        self.addCleanup(without.stop)

    def test_intervals(self):
        data = in_polars(people())
        release = kcut.anonymize(data, ["age", "sex"], unlisted="drop", intervals=True)
        found = release.data
        self.assertEqual(len(found), 400)
        self.assertEqual(
            {type(end) for end in found["age"].struct.field("lower").drop_nulls()}, {int}
        )
        groups = found.group_by("age", "sex").len()
        self.assertGreaterEqual(groups["len"].min(), 10)
        masked = kcut.Masker(release.cut, release.job).transform(data)
        self.assertEqual(masked["name"].to_list(), data["name"].to_list())
        self.assertGreater(masked["age"].n_unique(), 1)
        self.assertEqual(kcut.check(data, data, columns=["age"], k=2)["rows"], 800)

    def test_kept(self):
        """Kept columns have the input's types and values; words that occur nowhere do not go out."""
        data = in_polars(people()).with_columns(
            number=pl.Series([2**60 + i % 2 if i % 4 else None for i in range(400)]),
            at=pl.lit(datetime.datetime(2020, 1, 1)).dt.replace_time_zone("Europe/Berlin"),
            part=pl.lit("a", dtype=pl.Enum(["a", "secret"])),
            group=pl.lit("b", dtype=pl.Categorical()),
            pair=pl.struct(pl.lit(1, dtype=pl.Int8).alias("x")),
        )
        names = ["number", "at", "part", "group", "pair"]
        keep = dict.fromkeys(names, {"keep": {"identifying": "accepted"}})
        kept = kcut.anonymize(data, ["age"], columns=keep, unlisted="drop").data
        for name in names:
            want = pl.Categorical if name == "part" else data.schema[name]
            self.assertEqual(kept.schema[name], want)
            values = (sorted(map(str, table[name].to_list())) for table in (kept, data))
            self.assertEqual(*values)

    def test_refused(self):
        data = in_polars(people()).with_columns(pl.Series("odd", [object()] * 400, pl.Object))
        with self.assertRaisesRegex(kcut.InputError, "column odd"):
            kcut.anonymize(data, ["age"], columns={"odd": "keep"}, unlisted="drop")
        with self.assertRaisesRegex(TypeError, "its method collect makes one"):
            kcut.anonymize(data.lazy(), ["age"])

    def test_blank(self):
        """A table without rows has no labels, which are texts nevertheless."""
        data = in_polars(people())
        release = kcut.anonymize(data, ["age", "sex"], unlisted="drop")
        found = kcut.Masker(release.cut, release.job).transform(data.head(0))
        self.assertEqual((found.height, found.schema["age"]), (0, pl.String))


@unittest.skipUnless(pa, "needs pyarrow")
class Mask(Folder):
    columns = ["age", "sex", "town", "born"]
    tree = {"town": {"Germany": {"North": ["Bonn", "Köln"], "South": ["Ulm"]}}}

    def release(self, **job):
        return kcut.anonymize(people(), self.columns, 10, unlisted="drop", order="input", **job)

    def test_same(self):
        """Rows get the labels that they have in the release, whatever made its cut."""
        data = people().set_index(np.arange(400) * 3)
        for algorithm in ("tdr", "guided", "mondrian", "kactus"):
            trees = {"taxonomies": self.tree} if algorithm == "tdr" else {}  # labels of many towns
            release = self.release(algorithm=algorithm, class_="income", **trees)
            self.assertTrue((release.data["income"] == data["income"].array).all(), algorithm)
            self.assertGreater(release.data["age"].nunique(), 1, algorithm)
            masker = kcut.Masker(release.cut, release.job)
            found = masker.fit(data).transform(data)
            self.assertTrue((found.index == data.index).all())
            self.assertEqual(list(found), list(data))
            self.assertTrue((found["name"] == data["name"]).all())
            for column in self.columns:
                self.assertEqual(list(found[column]), list(release.data[column]), algorithm)
            arrow = pa.Table.from_pandas(data, preserve_index=False)
            self.assertEqual(masker.transform(arrow).to_pylist(), found.to_dict("records"))
            if pl:
                rows = masker.transform(in_polars(data)).to_dicts()
                self.assertEqual(rows, found.to_dict("records"))

    def test_numbered(self):
        """A table may have numbers and tuples for names; it and its other columns stay as is."""
        data = people()[["age", "sex", "income"]]
        release = kcut.anonymize(data, ["age", "sex"], 15, class_="income")
        want = kcut.Masker(release.cut, release.job).transform(data).to_numpy().tolist()
        for names in ([0, 1, 2], pd.MultiIndex.from_product([["a"], list(data)])):
            table = data.copy()
            table.columns = names
            before = table.copy()
            release = kcut.anonymize(table, [list(table)[:2]], 15, class_=str(table.columns[2]))
            masker = kcut.Masker(release.cut, release.job)
            for rows in (table, table[:0]):
                found = masker.transform(rows)
                self.assertTrue(found.columns.equals(table.columns))
                self.assertEqual(found.to_numpy().tolist(), want[: len(rows)])
            pd.testing.assert_frame_equal(table, before)

    def test_strangers(self):
        """One row is enough; what the cut has no place for gets its widest label."""
        bounds = {"age": {"mask": "discretize", "bounds": [0, 99]}}
        release = self.release(columns=bounds, taxonomies=self.tree)
        self.assertIn("M", release.cut["columns"]["sex"]["cut"])
        row = people().head(1).assign(sex="X")
        found = kcut.Masker(release.cut, release.job).transform(row)
        self.assertEqual(list(found["sex"]), ["*"])
        self.assertEqual(list(found["age"]), [release.data["age"][0]])
        with self.assertRaises(kcut.InputError):
            kcut.Masker(release.cut, release.job).transform(row.assign(town="Elsewhere"))
        release = self.release(algorithm="mondrian")
        found = kcut.Masker(release.cut, release.job).transform(row.assign(town="Elsewhere"))
        self.assertEqual(found[self.columns].iloc[0].tolist(), ["*"] * 4)

    def test_path(self):
        """The cut may be that of a file; intervals of it are labels here."""
        data = people()
        data.to_parquet("people.parquet")
        with open("job.yaml", "w", encoding="utf-8") as file:
            file.write(
                "{input: people.parquet, output: out.parquet, unlisted: drop, max_unique: 100%,"
                " quasi_identifiers: [{columns: [age, town], k: 5}], order: input,"
                " taxonomies: {town: {Germany: [Bonn, Köln, Ulm]}}, columns: {town: generalize,"
                " age: {mask: discretize, bounds: [0, 99], render: interval}}}"
            )
        kcut.run("job.yaml")
        job = {"taxonomies": {"town": {"Germany": ["Bonn", "Köln", "Ulm"]}}}
        found = kcut.Masker("out.parquet", job).transform(data)
        released = pd.read_parquet("out.parquet")
        self.assertTrue(kcut.intervals(released["age"]).equals(kcut.intervals(found["age"])))
        self.assertEqual(list(found["town"]), list(released["town"]))

    @unittest.skipUnless(sklearn, "needs scikit-learn")
    def test_pipeline(self):
        from sklearn.compose import make_column_transformer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        release = self.release(class_="income", algorithm="guided")
        encoder = OneHotEncoder(handle_unknown="ignore")
        model = make_pipeline(encoder, LogisticRegression())
        model.fit(release.data[self.columns], release.data["income"])
        masker = kcut.Masker(release.cut, release.job)
        data = people()[self.columns]
        masked = make_pipeline(masker, model)
        self.assertGreater(masked.score(data, people()["income"]), 0.9)
        part = make_column_transformer((masker, self.columns))
        search = GridSearchCV(
            make_pipeline(part, OneHotEncoder(handle_unknown="ignore"), LogisticRegression()),
            {"logisticregression__C": [1, 2]},
            cv=2,
        )
        self.assertGreater(search.fit(people(), people()["income"]).best_score_, 0.9)
        with self.assertRaises(ValueError):
            masker.set_params(k=1)

    @unittest.skipUnless(sklearn, "needs scikit-learn")
    def test_names(self):
        """It has the names, outputs, tags and copies of a transformer, also alone in a pipeline."""
        from sklearn.base import clone
        from sklearn.compose import make_column_transformer
        from sklearn.pipeline import make_pipeline
        from sklearn.utils.validation import check_is_fitted

        release, data = self.release(), people()
        masker = kcut.Masker(release.cut, release.job)
        want = masker.transform(data)
        check_is_fitted(masker)
        with self.assertRaises(AttributeError):
            masker.get_feature_names_out()
        self.assertTrue(pickle.loads(pickle.dumps(masker)).transform(data).equals(want))
        self.assertTrue(make_pipeline(masker).fit(data).transform(data).equals(want))
        self.assertEqual(list(masker.fit(data).get_feature_names_out()), list(data))
        self.assertEqual((masker.n_features_in_, list(masker.feature_names_in_)), (6, list(data)))
        self.assertEqual(repr(masker), f"Masker({', '.join(release.cut['columns'])})")
        part = make_column_transformer((masker, self.columns), verbose_feature_names_out=False)
        found = part.set_output(transform="pandas").fit_transform(data)
        self.assertTrue(found.equals(want[self.columns]))
        self.assertEqual(list(part.get_feature_names_out()), self.columns)
        with self.assertRaises(ValueError):
            masker.set_output(transform="numpy")
        if pl:
            other = clone(masker.set_output(transform="polars"))
            for table in (data, pa.Table.from_pandas(data), in_polars(data)):
                found = other.transform(table)
                self.assertIsInstance(found, pl.DataFrame)
                self.assertEqual(found["age"].to_list(), list(want["age"]))
            found = masker.set_output(transform="pandas").transform(in_polars(data))
            self.assertEqual(list(found["age"]), list(want["age"]))
            found = masker.set_output(transform="default").transform(data)
            self.assertIsInstance(found, pd.DataFrame)

    def test_few(self):
        """A table without rows stays one, and one without a column of the cut is refused."""
        release, data = self.release(), people()
        masker = kcut.Masker(release.cut, release.job)
        found = masker.transform(data.head(0))
        self.assertEqual((len(found), list(found)), (0, list(data)))
        found = masker.transform(pa.Table.from_pandas(data.head(0), preserve_index=False))
        self.assertEqual((len(found), found.column_names), (0, list(data)))
        with self.assertRaisesRegex(kcut.InputError, "lacks age"):
            masker.transform(data.drop(columns="age"))

    def test_missing(self):
        """Who has no pyarrow reads where to get it."""
        with mock.patch.dict(sys.modules, pyarrow=None):
            with self.assertRaisesRegex(ImportError, "pip install pyarrow"):
                kcut.anonymize(people(), ["age"], unlisted="drop")

    def test_imports(self):
        """What nobody has asked for is not imported."""
        code = "kcut.Masker; print({'pandas', 'polars', 'pyarrow', 'sklearn'} & {*sys.modules})"
        place = os.path.dirname(os.path.dirname(kcut.__file__))
        code = f"import sys; sys.path.insert(0, {place!r}); import kcut; {code}"
        found = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
        self.assertEqual(found.stdout, "set()\n")


JOB = """
input: people.csv
output: release.parquet
class: income
quasi_identifiers: [{columns: [age, sex], k: 10}]
columns: {age: discretize, sex: suppress, income: keep}
unlisted: drop
"""


TABLES = """
quasi_identifiers: [{columns: all, k: 10}]
columns: {name: {mask: pseudonym, key_file: people.key, identifying: accepted}}
unlisted: drop
max_unique: 100%
tables:
  ages: {input: people.csv, output: ages.parquet, columns: {age: discretize}}
  towns: {input: people.csv, output: towns.parquet, columns: {town: suppress}}
"""


class Commands(Folder):
    def setUp(self):
        super().setUp()
        people().to_csv("people.csv", index=False)
        with open("job.yaml", "w", encoding="utf-8") as file:
            file.write(JOB)

    def check(self, kind, answer):
        """Holds the keys of an answer against its type."""
        hints = kind.__annotations__
        required = {n for n, h in hints.items() if "NotRequired" not in str(h)} - {"class"}
        self.assertLessEqual(required, set(answer), kind)
        self.assertLessEqual(set(answer), set(hints), kind)

    def test_not_installed(self):
        """The module on a path alone, without the records of an installer, takes the program's."""
        missing = mock.Mock(side_effect=importlib.metadata.PackageNotFoundError)
        with mock.patch("importlib.metadata.files", missing):
            with mock.patch("shutil.which", lambda name: "/somewhere/" + name):
                found = _program._program()
        missing.assert_called_once()
        self.assertTrue(os.path.isabs(found) and "kcut" in os.path.basename(found))

    def test_all(self):
        self.assertIn("quasi_identifiers", kcut.init("people.csv", k=5))
        self.check(_answers.Forecast, kcut.plan("job.yaml", sample=True))
        report = kcut.run("job.yaml")
        self.check(_answers.Report, report)
        self.assertTrue(kcut.run("job.yaml")["already_done"])
        verified = kcut.verify("release.parquet", "release.parquet")
        self.check(_answers.Verified, verified)
        self.check(_answers.Verification, verified["files"][1])
        cut = kcut.show("release.parquet")
        self.check(_answers.Cut, cut)
        self.assertEqual(cut, kcut.read_cut("release.parquet"))
        self.check(_answers.Set, cut["quasi_identifiers"][0])
        applied = kcut.apply(
            "job.yaml", "release.parquet", output="again.parquet", on_break="refuse"
        )
        self.check(_answers.Report, applied)
        difference = kcut.diff("release.parquet", "again.parquet")
        self.check(_answers.Difference, difference)
        self.assertEqual(difference["relation"], "equal")
        self.check(_answers.Evaluation, kcut.evaluate("job.yaml", folds=2))
        page = kcut.report("release.parquet", "page.html")
        self.check(_answers.Page, page)
        self.assertTrue(os.path.exists(page["output"]))

    def test_notebook(self):
        """A notebook shows the messages and the live line of a terminal, without erasing codes."""
        shell = mock.Mock(get_ipython=lambda: mock.Mock(kernel=True))
        with mock.patch.dict(sys.modules, IPython=shell):
            self.assertTrue(_program._in_notebook())
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                self.assertEqual(kcut.run("job.yaml")["rows"], 400)
                with self.assertRaises(kcut.UsageError):
                    kcut.run("no.yaml")
            self.assertRegex(shown.getvalue(), "^kcut: note: [^{]*\nkcut: error: no.yaml")
            line = "import sys; sys.stderr.write('\\r\\x1b[Kmask 1 %\\r\\x1b[K'); print('{}')"
            with contextlib.redirect_stderr(io.StringIO()) as shown:
                with mock.patch.object(_program, "_program", lambda: sys.executable):
                    self.assertEqual(_program.answer("-c", line), {})
            blank = "\r" + " " * 79 + "\r"
            self.assertEqual(shown.getvalue(), f"{blank}mask 1 %{blank}")
        terminal = mock.Mock(get_ipython=lambda: mock.Mock(kernel=None))
        with mock.patch.dict(sys.modules, IPython=terminal):
            self.assertFalse(_program._in_notebook())
        self.assertFalse(_program._in_notebook())

    def test_tables(self):
        """A job of several tables, and releases that are joined."""
        with open("people.key", "w", encoding="utf-8") as file:
            file.write("0123456789abcdef" * 4)
        os.chmod("people.key", 0o600)
        with open("tables.yaml", "w", encoding="utf-8") as file:
            file.write(TABLES)
        answer = kcut.run("tables.yaml")
        self.check(_answers.Tables, answer)
        self.check(_answers.TableReport, {**answer["tables"][0], "began": ""})
        self.check(_answers.Joined, answer["joined"][0])
        planned = kcut.plan("tables.yaml", overwrite=True, sample=True)
        self.check(_answers.TablesForecast, planned)
        self.check(_answers.Joined, planned["joined"][0])
        self.assertEqual([table["table"] for table in planned["tables"]], ["ages", "towns"])
        verified = kcut.verify("ages.parquet", "towns.parquet", joined="name")
        self.check(_answers.Verified, verified)
        self.check(_answers.Joined, verified["joined"])
        self.assertEqual(verified["joined"]["people"], 400)

    def test_check(self):
        people().rename(columns={"age": 'a,"ge'}).to_csv("people.csv", index=False)
        checked = kcut.check("people.csv", columns=['a,"ge', "sex"], sensitive=["income", "town"])
        self.check(_answers.Checked, checked)
        self.assertEqual([s["column"] for s in checked["sensitive"]], ["income", "town"])
        with self.assertRaises(kcut.PrivacyError) as caught:
            kcut.check("people.csv", columns=["name"], k=2)
        self.assertEqual(caught.exception.answer["anonymity"], 1)

    @unittest.skipUnless(pa, "needs pyarrow")
    def test_check_tables(self):
        data = people().set_index("name")
        polars = [in_polars(data)] if pl else []
        for table in [data, pa.Table.from_pandas(data), *polars]:
            tables = [table] * 2
            checked = kcut.check(*tables, columns=["age", "sex"])
            smallest = data.groupby(["age", "sex"]).size().min()
            self.assertEqual((checked["rows"], checked["anonymity"]), (800, 2 * smallest))

    def test_init(self):
        self.assertEqual(kcut.init("people.csv", output="draft.yaml"), "")
        self.assertTrue(os.path.exists("draft.yaml"))
        with self.assertRaises(kcut.InputError) as caught:
            kcut.init("missing.csv")
        self.assertEqual((caught.exception.exit, caught.exception.class_), (3, "input"))
        self.assertIn("missing.csv", caught.exception.message)
        self.assertTrue(caught.exception.hint)

    @unittest.skipUnless(pa, "needs pyarrow")
    def test_init_tables(self):
        """A table gets a draft without the path of a private file, and is anonymized by it."""
        data = people()
        for table in [data, pa.Table.from_pandas(data), *([in_polars(data)] if pl else [])]:
            draft = kcut.init(table, k=5)
            self.assertIn("input: table.arrow\n", draft)
            with open("draft.yaml", "w", encoding="utf-8") as file:
                file.write(draft)
            release = kcut.anonymize_by(table, "draft.yaml", quiet=True)
            self.assertIsInstance(release.data, type(table))
            self.assertEqual((len(release.data), release.job), (400, "draft.yaml"))
            self.assertEqual(release.report["output"], "release.parquet")
            self.assertNotIn("name", _tables.names(release.data))
            self.assertEqual(kcut.run("draft.yaml", input="people.csv")["rows"], 400)
            os.remove("table-release.parquet")
        with self.assertRaisesRegex(TypeError, "write the text of a table's draft"):
            kcut.init(data, output="other.yaml")
        with self.assertRaises(kcut.UsageError):
            kcut.anonymize_by(data, "missing.yaml")


class Program(unittest.TestCase):
    def test_version(self):
        self.assertEqual(kcut.__version__, importlib.metadata.version("kcut"))
        with self.assertRaises(AttributeError):
            kcut.no_such_name

    def test_kinds(self):
        """Every exit code of docs/operations.md has its class, which pickle keeps."""
        codes = {
            1: "Internal",
            2: "Usage",
            3: "Input",
            4: "Privacy",
            5: "Exists",
            6: "Transient",
            7: "Resource",
            130: "Cancelled",
            143: "Cancelled",
        }
        for code, name in codes.items():
            error = _errors.ended(
                code, {"error": {"class": name.lower(), "message": "do it", "hint": "not"}}
            )
            self.assertIs(type(error), getattr(kcut, name + "Error"))
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual(
                (type(again), again.exit, str(again)), (type(error), code, "do it (not)")
            )
        killed = _errors.ended(-9, {})
        self.assertEqual((type(killed), killed.exit), (kcut.Error, -9))

    def test_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(kcut.UsageError) as caught:
            kcut.run(os.path.join(folder, "none.yaml"), overwrite=True)
        error = caught.exception
        self.assertEqual((error.exit, error.class_), (2, "usage"))
        self.assertIn("none.yaml", error.message)
        self.assertTrue(error.hint)
        self.assertIn(error.message, str(error))

    def test_no_such_flag(self):
        with self.assertRaises(kcut.Error) as caught:
            kcut.run("people.yaml", no_such_flag=1)
        self.assertIn("--no-such-flag", caught.exception.message)


if __name__ == "__main__":
    unittest.main()
