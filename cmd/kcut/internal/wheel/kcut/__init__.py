"""Anonymizes tables: of pandas, polars and pyarrow, and files that are bigger than memory.

The program itself comes with this package, as the command ``kcut``.
"""

from importlib.metadata import version as _version_of
from typing import Any as _Any

from ._anonymize import Release, Releases, anonymize, anonymize_by, anonymize_tables
from ._answers import Checked, Cut, Difference, Evaluation, Forecast, Joined, Page, Report
from ._answers import TableForecast, TableReport, Tables, TablesForecast, Verified
from ._commands import apply, check, diff, evaluate, init, plan, read_cut, report, run, show, verify
from ._errors import CancelledError, Error, ExistsError, InputError, InternalError
from ._errors import PrivacyError, ResourceError, TransientError, UsageError
from ._intervals import intervals
from ._masker import Masker

__all__ = [
    "Checked", "Cut", "Difference", "Evaluation", "Forecast", "Joined", "Page", "Report",
    "TableForecast", "TableReport", "Tables", "TablesForecast", "Verified",
    "CancelledError", "Error", "ExistsError", "InputError", "InternalError",
    "PrivacyError", "ResourceError", "TransientError", "UsageError",
    "Masker", "Release", "Releases", "anonymize", "anonymize_by", "anonymize_tables", "intervals",
    "apply", "check", "diff", "evaluate", "init", "plan", "read_cut", "report", "run", "show",
    "verify",
]  # fmt: skip


def __getattr__(name: str) -> _Any:
    """The version of the installed package, as __version__; it is read when somebody asks."""
    if name == "__version__":
        return _version_of("kcut")
    raise AttributeError(f"module kcut has no attribute {name}")
