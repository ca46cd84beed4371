"""The one exception family that users meet."""


class BatchscopeError(Exception):
    """A mistake or a condition the user can act on.

    Its text is one sentence: the value given, what was expected, and what to do. Commands print
    it without a stack trace and exit with 1.
    """


class SpecError(BatchscopeError):
    """A sweep that cannot be run as written; commands exit with 2."""


class ResultsError(BatchscopeError):
    """A results folder that cannot be read or written."""
