"""Tests of the installed module. They need pandas; `make test-wheels` runs them."""

import datetime
import decimal
import os
import pickle
import tempfile
import unittest

import numpy as np
import pandas as pd

import kcut


class Intervals(unittest.TestCase):
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
        self.check(["(,-1.5)", "[-1.5,2e21)", "[2e21,)"], [(-2,), (-1.5, 0), (2e21, np.finfo(float).max)])
        self.check(["(,)", None], [(0, 1e300, -1e300), None])
        last = kcut.intervals(["[44,99]"])[0]
        self.assertNotIn(np.nextafter(last.right, np.inf), last)

    def test_dates(self):
        day = pd.Timestamp
        self.check(
            ["(,1943-06-01)", "[1943-06-01,2005-08-26)", "[2005-08-26,2006-01-01]", None, "*"],
            [(day("0001-01-01"), day("1943-05-31")), (day("1943-06-01"),), (day("2005-08-26"), day("2006-01-01")), None, None],
        )
        self.check(["(,2020-01-01)", "[2020-01-01,)"], [(day("1066-10-14"),), (day("2020-01-01"), day("9999-12-31"))])

    def test_timestamps(self):
        at = pd.Timestamp
        self.check(
            ["(,2020-01-01T00:00:00.5)", "[2020-01-01T00:00:00.5,)"],
            [(at("2020-01-01"), at("2020-01-01T00:00:00.499999")), (at("2020-01-01T00:00:00.5"),)],
        )
        self.check(["(,2020-01-01T00:00:00Z)", "[2020-01-01T00:00:00Z,)"], [(at("2019-12-31T23:00Z"),), (at("2020-01-01T00:00Z"),)])
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
            (["(,17)", "[17,37.5)", "[37.5,99]", None, "(,)"], [(None, 17), (17, 37.5), (37.5, 99), None, (None, None)]),
            (["(,1943-06-01)", "[1943-06-01,)"], [(None, day(1943, 6, 1)), (day(1943, 6, 1), None)]),
            (["(,08:00:00)", "[08:00:00,)"], [(None, datetime.time(8)), (datetime.time(8), None)]),
            (["[2020-01-01T00:00:00.5Z,)"], [(at(2020, 1, 1, 0, 0, 0, 500000, datetime.timezone.utc), None)]),
            (["[-1.5,2.50)"], [(decimal.Decimal("-1.5"), decimal.Decimal("2.50"))]),
        ]:
            structs = [
                end and {"lower": end[0], "upper": end[1], "closed": "both" if label.endswith("]") else "left"} for label, end in zip(labels, ends)
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
            (["(,1943-06-01)", "[1943-06-01,2005-08-26)", "[2005-08-26,)", "(,)"], {"lower": day("1900-01-01"), "upper": day("2020-01-01")}),
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
        for label in ["Female", "17", "", "[17;37)", "[1,2,3)"]:
            with self.assertRaises(ValueError, msg=label):
                kcut.intervals([label])


class Program(unittest.TestCase):
    def test_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(kcut.Error) as caught:
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
