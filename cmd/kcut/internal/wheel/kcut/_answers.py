"""What commands answer, as they print it with --json. Keys of parts are those of the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

Part = dict[str, Any]


class Set(TypedDict):
    """A quasi-identifier set, and how many records share every combination of its values."""

    columns: list[str]
    k: int
    anonymity: int


class Report(TypedDict):
    """What a run did (docs/watching.md)."""

    output: str
    job: NotRequired[str]
    version: NotRequired[str]
    began: NotRequired[str]
    rows: int
    released: int
    quasi_identifiers: list[Set]
    steps: int
    distinct_tuples: list[int]
    inputs: list[str]
    columns: list[Part]
    stages: list[Part]
    peak_budget_bytes: int
    spilled_bytes: int
    spilled_peak_bytes: int
    peak_resident_bytes: int
    released_bytes: int
    released_files: int
    digests: dict[str, str]
    suppressed: NotRequired[int]
    information_kept: NotRequired[float]
    masked: NotRequired[list[Part]]
    columns_kept: NotRequired[int]
    utility: NotRequired[float]
    useless: NotRequired[bool]
    auto: NotRequired[Part]
    applied: NotRequired[Part]
    live: NotRequired[list[int]]
    stopped: NotRequired[list[Part]]
    nulls: NotRequired[list[Part]]
    homogeneous: NotRequired[list[Part]]
    union: NotRequired[Part]
    average_risk: NotRequired[list[float]]
    risk: NotRequired[Part]
    weighted: NotRequired[Part]
    households: NotRequired[Part]
    notices: NotRequired[list[str]]
    cut_only: NotRequired[bool]
    already_done: NotRequired[bool]


class TableReport(Report):
    """What a run did with one of several tables."""

    table: str


class Joined(TypedDict):
    """The people of several releases, for somebody who joins these (docs/verify.md)."""

    column: str
    paths: list[str]
    people: int
    in_several: int
    k: int
    unique: float
    below_k: float
    part_counted: NotRequired[float]
    error: NotRequired[float]


class Tables(TypedDict):
    """What run returns of a job of several tables (docs/job-file.md)."""

    tables: list[TableReport]
    joined: NotRequired[list[Joined]]


class Forecast(TypedDict):
    """What a run would do and take (docs/plan.md)."""

    output: str
    output_exists: bool
    algorithm: str
    files: int
    input_bytes: int
    rows: int
    columns: list[Part]
    quasi_identifiers: list[Part]
    distinct_tuples: list[Part]
    sampled_rows: int
    threads: int
    memory: Part
    disk: Part
    seconds: dict[str, float]
    already_done: NotRequired[bool]
    auto: NotRequired[list[Part]]
    steps: NotRequired[dict[str, int]]
    risk: NotRequired[Part]
    union: NotRequired[Part]
    notices: NotRequired[list[str]]


class TableForecast(Forecast):
    """What a run would do with one of several tables."""

    table: str
    error: NotRequired[Part]


class TablesForecast(TypedDict):
    """What plan returns of a job of several tables (docs/plan.md)."""

    tables: list[TableForecast]
    joined: NotRequired[list[Joined]]
    notices: NotRequired[list[str]]


class Checked(TypedDict):
    """How anonymous a table is (docs/check.md)."""

    rows: int
    columns: list[str]
    anonymity: int
    unique: float
    below_k: float
    classes: int
    prosecutor: dict[str, float]
    journalist: dict[str, float]
    marketer: float
    ok: bool
    entity: NotRequired[str]
    k: NotRequired[int]
    population: NotRequired[Part]
    register: NotRequired[Part]
    sensitive: NotRequired[list[Part]]


class Verification(TypedDict):
    """What the recount of one release found (docs/verify.md)."""

    path: str
    rows: int
    quasi_identifiers: list[Set]
    ok: bool
    findings: NotRequired[list[str]]
    entity: NotRequired[bool]
    population: NotRequired[list[Part]]
    sensitive: NotRequired[list[Part]]
    homogeneous: NotRequired[list[Part]]
    union: NotRequired[Part]
    average_risk: NotRequired[list[float]]
    suppressed: NotRequired[int]
    dropped: NotRequired[int]


class Verified(TypedDict):
    """What the recount of releases found."""

    files: list[Verification]
    ok: bool
    joined: NotRequired[Joined]


class Evaluation(TypedDict):
    """How useful releases would be (docs/evaluate.md)."""

    rows: int
    rounds: int
    classifiers: list[str]
    baseline: dict[str, Part]
    upper: dict[str, Part]
    results: list[Part]
    baseline_quality: NotRequired[dict[str, Part]]
    upper_quality: NotRequired[dict[str, Part]]
    majority: NotRequired[Part]
    optimistic: NotRequired[list[str]]
    intervals: NotRequired[str]
    test_rows: NotRequired[str]


class Page(TypedDict):
    """The page of a release, and the recount that it shows."""

    output: str
    release: Verification


_Class = TypedDict("_Class", {"class": str}, total=False)


class Cut(_Class):
    """The rule that made a release (docs/metadata.md)."""

    version: int
    algorithm: str
    rows: int
    quasi_identifiers: list[Set]
    columns: dict[str, Part]
    steps: int
    kind: NotRequired[str]
    union: NotRequired[Part]
    entity: NotRequired[bool]
    sensitive: NotRequired[list[Part]]
    pseudonyms: NotRequired[list[str]]
    replacements: NotRequired[dict[str, str]]
    regions: NotRequired[list[list[int]]]
    suppressed: NotRequired[int]
    dropped: NotRequired[int]
    applied: NotRequired[Part]


_Between = TypedDict("_Between", {"from": str, "to": str})


class Difference(_Between):
    """What changed between two cuts (docs/apply.md)."""

    relation: str
    columns: list[Part]
