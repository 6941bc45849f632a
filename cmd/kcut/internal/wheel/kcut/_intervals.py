"""The labels of discretized columns as intervals of pandas."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    import pandas


def intervals(labels: Any) -> Any:
    """Makes intervals of the labels of a discretized column: a pandas.arrays.IntervalArray with a method sample.

    labels is a column of texts such as ``[17,37)``, ``(,17)`` or ``[44,99]``, or ``2`` of ``labels: plain`` for
    ``[2,3)``, or of structs as ``render: interval`` makes them: dictionaries with lower, upper and closed. Numbers become floats, dates and timestamps datetime64, times of a day timedelta64. All intervals are closed on the left:
    an upper end that belongs to its interval, as 99 here, becomes the next larger value. Open ends
    are infinite, or the first and the last moment of the years 1 to 9999 (of nanoseconds 1678 to 2261),
    or of a day. Nulls, and ``*`` of suppressed records, are missing; of a set with the null,
    as ``{[17,37)|\\N}``, there is the interval. Raises ValueError for a text that is no interval.
    """
    try:
        import numpy as np
        import pandas as pd
    except ImportError:
        raise ImportError("intervals take pandas: pip install pandas pyarrow") from None

    column = pd.Series(labels)
    if any(isinstance(label, dict) for label in column.dropna().head(1)):
        column = column.map(_text, na_action="ignore")
    codes, texts = pd.factorize(column)
    ends = [_Ends.of(text) for text in texts]
    scale = _scale([bound for end in ends for bound in (end.lower, end.upper) if bound])

    def side(bounds: list[str | None], open_end: str) -> Any:
        moments = [scale.missing if b is None else scale.day + b.removesuffix("Z") if b else open_end for b in bounds]
        return np.array(moments, dtype=str).astype(scale.dtype)

    lower = side([end.lower for end in ends], scale.first)
    upper = side([end.upper for end in ends], scale.last)
    closed = np.array([end.closed for end in ends], dtype=bool)
    upper[closed] = np.nextafter(upper[closed], np.inf) if scale.dtype == "f8" else upper[closed] + 1
    if scale.day:
        lower, upper = (x - np.datetime64(0, "s") for x in (lower, upper))
    zone = "UTC" if any((end.lower or end.upper or "").endswith("Z") for end in ends) else None
    indexes = [pd.DatetimeIndex(x, tz=zone) if zone else pd.Index(x) for x in (lower, upper)]
    return _array().from_arrays(*indexes, closed="left").take(codes, allow_fill=True)


def __getattr__(name: str) -> Any:
    if name == "Intervals":  # so that intervals can be pickled
        return _array()
    raise AttributeError(name)


@functools.cache
def _array() -> Any:
    """Makes the class of what intervals returns, which takes pandas."""
    import pandas as pd

    class Intervals(pd.arrays.IntervalArray):  # type: ignore[misc,unused-ignore]
        """Intervals from which values can be drawn."""

        def sample(self, seed: int = 0, lower: Any = None, upper: Any = None) -> pandas.Index:
            """Draws a value from every interval, each value with the same chance: to train a model on it.

            The same intervals and seed give the same values. Open ends end at lower and upper; without them an
            interval with an open end is as wide as the mean of the different ones that have both ends. Missing
            intervals stay missing, and so does the one of all values unless lower and upper are given. Raises
            ValueError if an end lies beyond lower or upper.
            """
            return _sample(self, seed, lower, upper)

    Intervals.__qualname__ = "Intervals"
    return Intervals


def _sample(array: Any, seed: int, lower: Any, upper: Any) -> pandas.Index:
    import numpy as np
    import pandas as pd

    sides = [pd.Index(side) for side in (array.left, array.right)]
    zone = getattr(sides[0], "tz", None)
    left, right = (np.asarray(side.tz_convert(None) if zone else side) for side in sides)
    moments = left.dtype.kind in "mM"
    first: Any = -np.inf
    last: Any = np.inf
    one: Any = 1.0
    if moments:
        ends = _FEW_YEARS if np.datetime_data(left.dtype)[0] == "ns" else _YEARS
        first, last = (np.datetime64(end).astype(left.dtype) if left.dtype.kind == "M" else np.timedelta64("NaT") for end in ends)
        one = np.timedelta64(1, "D").astype((right - left).dtype)

    def end(of: Any) -> Any:
        if not moments:
            return float(of)
        at = pd.Timestamp(of)
        return np.datetime64(at.tz_convert(None) if at.tz else at).astype(left.dtype)

    below, above, missing = left == first, right == last, pd.isna(left)
    known = pd.DataFrame({"left": left, "right": right})[~(below | above | missing)].drop_duplicates()
    width: Any = (known["right"] - known["left"]).mean() if len(known) else one
    width = np.timedelta64(width).astype(one.dtype) if moments else float(width)
    missing = missing | (below & above & (lower is None or upper is None))
    with np.errstate(invalid="ignore"):
        start = np.where(below, right - width if lower is None else end(lower), left)
        stop = np.where(above, left + width if upper is None else end(upper), right)
        if (start > stop)[~missing].any():
            raise ValueError("lower and upper must be beyond the ends of all intervals")
        share = np.random.default_rng(seed).random(len(left))
        if moments:
            found = start + ((stop - start).astype("i8") * share).astype("i8").astype(one.dtype)
            found[missing] = "NaT"
        else:
            found = np.minimum(start + (stop - start) * share, np.where(start < stop, np.nextafter(stop, -np.inf), stop))
            found[missing] = np.nan
    drawn: Any = pd.Index(found)
    return cast("pandas.Index", drawn.tz_localize("UTC").tz_convert(zone) if zone else drawn)


def _text(label: dict[str, Any]) -> str:
    """The text of an interval that is a dictionary."""
    lower, upper = (_bound(label[end]) for end in ("lower", "upper"))
    return f"{'[' if lower else '('}{lower},{upper}{']' if label['closed'] == 'both' else ')'}"


def _bound(end: Any) -> str:
    if end is None:
        return ""
    text = end.isoformat() if hasattr(end, "isoformat") else str(end)
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


_INTERVAL = re.compile(r"[\[(]([^,]*),([^,]*)[\])]")
_INTEGER = re.compile(r"-?[0-9]+")
_WITH_NULL = re.compile(r"^\{(.*)\|\\N\}$")


class _Ends(NamedTuple):
    """The bounds of a label: empty where it is open, None where there is no interval."""

    lower: str | None
    upper: str | None
    closed: bool

    @classmethod
    def of(cls, text: str) -> _Ends:
        if text == "*":
            return cls(None, None, False)
        if isinstance(text, str):
            text = _WITH_NULL.sub(r"\1", text)
        if isinstance(text, str) and _INTEGER.fullmatch(text):
            return cls(text, str(int(text) + 1), False)
        found = _INTERVAL.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no interval")
        return cls(found[1], found[2], text.endswith("]"))


class _Scale(NamedTuple):
    """What bounds are made of; all but dtype are texts that become one."""

    dtype: str
    first: str  # where the lower end is open
    last: str  # where the upper end is
    missing: str
    day: str  # goes before a bound


# The ends of open intervals of moments. Nanoseconds reach from 1677 to 2262.
_YEARS = "0001-01-01", "9999-12-31T23:59:59.999999"
_FEW_YEARS = "1678-01-01", "2261-12-31T23:59:59.999999999"


def _scale(bounds: list[str]) -> _Scale:
    if all(map(_is_number, bounds)):
        return _Scale("f8", "-inf", "inf", "nan", "")
    nanoseconds = any(re.search(r"\.\d{7}", bound) for bound in bounds)
    dtype = "M8[ns]" if nanoseconds else "M8[us]"
    if all(re.fullmatch(r"\d\d:[\d:.]*", bound) for bound in bounds):
        return _Scale(dtype, "1970-01-01", "1970-01-02", "NaT", "1970-01-01T")
    return _Scale(dtype, *(_FEW_YEARS if nanoseconds else _YEARS), "NaT", "")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
