"""A cut as a step of a pipeline of scikit-learn."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from . import _commands, _tables
from ._anonymize import execute

T = TypeVar("T")

_COUNT = "kcut.count"


class Masker:
    """Masks tables with a cut, as ``kcut apply`` does: for models that have learned from a release.

    cut is that of a release, or the path of a release. job is what the release was made by: its
    columns have the taxonomies and bounds that the cut's columns have there, and so have its
    taxonomies; other keys are left aside. ``Masker(release.cut, release.job)`` takes both from
    kcut.anonymize.

    What transform returns is no release: rows stay in order, columns that are not in the cut stay
    as they are, and no k is counted. Rows for which the cut has no place get its widest labels. A
    value that a taxonomy lacks, or that is beyond bounds, is an InputError.

    It is a transformer of scikit-learn, which it does not import before somebody asks for that.
    """

    def __init__(
        self, cut: Mapping[str, Any] | str | os.PathLike[str], job: Mapping[str, Any] | None = None
    ) -> None:
        self.cut, self.job = cut, job

    def __repr__(self) -> str:
        of = ", ".join(self.cut["columns"]) if isinstance(self.cut, Mapping) else repr(self.cut)
        return f"Masker({of})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(string=True, categorical=True, allow_nan=True),
            requires_fit=False,
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"cut": self.cut, "job": self.job}

    def set_params(self, **params: Any) -> Masker:
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"Masker has no parameter {name}")
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None) -> Masker:
        """Returns itself. It learns the names of the columns alone: the cut is there."""
        self._names = [str(name) for name in _tables.names(X)]
        self.n_features_in_ = len(self._names)
        return self

    @property
    def feature_names_in_(self) -> Any:
        """The columns of the table that fit has seen, as an array of numpy."""
        import numpy as np

        return np.array(self._names, dtype=object)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The columns of what transform returns: those that it gets."""
        import numpy as np

        names = self.feature_names_in_ if input_features is None else input_features
        return np.asarray(names, dtype=object)

    def set_output(self, *, transform: str | None = None) -> Masker:
        """Sets what transform returns: "pandas", "polars", or with "default" the kind it gets."""
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f"transform is default, pandas or polars, not {transform}")
        if transform is not None:
            # Under this name scikit-learn copies it when it clones.
            self._sklearn_output_config = {"transform": transform}
        return self

    def fit_transform(self, X: T, y: Any = None) -> T:
        return self.fit(X).transform(X)

    def transform(self, X: T) -> T:
        """Returns a table of pandas, polars or pyarrow with labels in the cut's columns."""
        found = self._masked(X)
        output = getattr(self, "_sklearn_output_config", {}).get("transform", "default")
        return cast(T, found if output == "default" else _tables.converted(found, output))

    def _masked(self, X: T) -> T:
        cut: Any = self.cut
        if isinstance(cut, (str, os.PathLike)):
            cut = _commands.show(cut)
        library, names = _tables.kind(X), list(cut["columns"])
        _tables.find(X, names)
        source = _tables.arrow(_tables.select(X, names))
        if len(source) == 0:
            return _tables.replace(X, _tables.blank(names, library), names)
        # A region's label may name as many values as k. So every row stands for that many records.
        copies = 1
        if cut.get("kind") == "regions":
            copies = max(s["k"] for s in cut["quasi_identifiers"])
        with tempfile.TemporaryDirectory(prefix="kcut-") as name:
            folder = Path(name)
            (folder / "cut.json").write_text(json.dumps(cut, ensure_ascii=False), encoding="utf-8")
            execute(
                folder,
                _tables.with_constant(source, _COUNT, copies),
                self._job(cut, copies),
                "apply",
                cut=folder / "cut.json",
                on_break="suppress",
                max_suppressed="100%",
                quiet=True,
            )
            masked = _tables.read(folder / "release.parquet", source, set(), library, copies)
        return _tables.replace(X, masked, names)

    def _job(self, cut: Mapping[str, Any], k: int) -> dict[str, Any]:
        given = self.job or {}
        columns = {}
        for name, column in cut["columns"].items():
            entry = given.get("columns", {}).get(name)
            entry = entry if isinstance(entry, Mapping) else {}
            told = {key: entry[key] for key in ("bounds", "taxonomy", "unknown") if key in entry}
            columns[name] = {"mask": column["mask"], **told}
        job = {"columns": columns, "order": "input", "max_unique": "100%", "count": _COUNT}
        job["quasi_identifiers"] = [{"columns": "all", "k": k}]
        if "taxonomies" in given:
            job["taxonomies"] = given["taxonomies"]
        return job
