"""What ends kcut, as exceptions."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What ended kcut; its subclasses are the kinds of failure.

    exit is its exit code (docs/operations.md has them), class_ the kind of failure, such as
    "privacy", message what failed, and hint what to do next. answer is everything that the program
    printed as JSON, such as the findings of verify.
    """

    def __init__(
        self, exit: int, class_: str, message: str, hint: str, answer: dict[str, Any] | None = None
    ) -> None:
        super().__init__(exit, class_, message, hint, answer)
        self.exit, self.class_, self.message, self.hint = exit, class_, message, hint
        self.answer = answer or {}

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InternalError(Error):
    """A bug in kcut (exit code 1)."""


class UsageError(Error):
    """Arguments or the job are wrong (2)."""


class InputError(Error):
    """The input does not fit the job, or is damaged (3)."""


class PrivacyError(Error):
    """A k, or another requirement of privacy, cannot be met or does not hold (4)."""


class ExistsError(Error):
    """The output exists, and another job made it (5)."""


class TransientError(Error):
    """Reading or writing failed: try again (6)."""


class ResourceError(Error):
    """The disk is full, or the memory budget too small (7)."""


class CancelledError(Error):
    """A signal stopped kcut (130, 143)."""


_KINDS: dict[int, tuple[str, type[Error]]] = {
    1: ("internal", InternalError),
    2: ("usage", UsageError),
    3: ("input", InputError),
    4: ("privacy", PrivacyError),
    5: ("exists", ExistsError),
    6: ("transient", TransientError),
    7: ("resources", ResourceError),
    130: ("cancelled", CancelledError),
    143: ("cancelled", CancelledError),
}


def ended(exit: int, answer: dict[str, Any]) -> Error:
    """Makes the exception of an exit code, and of what the program printed."""
    word, kind = _KINDS.get(exit, ("internal", Error))  # a signal may have killed it
    error = answer.get("error", {"message": f"kcut ended with {exit}"})
    return kind(exit, error.get("class", word), error["message"], error.get("hint", ""), answer)
