"""What a results folder says about itself beside the sweep."""

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field

from batchscope.errors import ResultsError
from batchscope.results.files import Files
from batchscope.results.layout import MANIFEST, SWEEP
from batchscope.spec.dump import spec_digest
from batchscope.spec.sweep import Sweep

_FORMAT = 1


@dataclass(frozen=True)
class Manifest:
    """Whose results a folder holds and what made them.

    Attributes:
        spec_digest: `spec_digest` of the sweep; every file of results carries it.
        versions: of Python and of the libraries when the folder was made.
        code: digests of the user's own modules, by file name.
        problems: why the manifest or the sweep beside it cannot be trusted, one sentence each.
        readable: whether there is a manifest; if not, it can be written anew.
    """

    spec_digest: str
    versions: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    readable: bool = True

    @classmethod
    def of(
        cls, sweep: Sweep, *, versions: Mapping[str, str], code: Mapping[str, str]
    ) -> "Manifest":
        """Returns the manifest of a new folder."""
        return cls(
            spec_digest=spec_digest(sweep),
            versions={"python": platform.python_version(), **versions},
            code=dict(code),
        )

    @classmethod
    def read(cls, files: Files, sweep: Sweep) -> "Manifest":
        """Returns the manifest of a folder; a damaged one is replaced by what the sweep tells.

        Raises:
            ResultsError: a newer version of the package wrote the folder.
        """
        place = files.place(MANIFEST)
        content = files.read(MANIFEST)
        if content is None:
            return _unreadable(files, sweep, "is missing")
        try:
            values = json.loads(content)
            format_ = values["format"]
            manifest = cls(
                spec_digest=str(values["spec_digest"]),
                versions={str(key): str(item) for key, item in values["versions"].items()},
                code={str(key): str(item) for key, item in values["code"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return _unreadable(files, sweep, "is damaged")
        if format_ != _FORMAT:
            raise ResultsError(
                f"{place} has the format {format_!r}, expected {_FORMAT}; read these results with "
                "the version of batchscope that wrote them, or a newer one"
            )
        if manifest.spec_digest != spec_digest(sweep):
            edited = (
                f"{files.place(SWEEP)} was changed after its results were written; put the "
                "original back"
            )
            return cls(manifest.spec_digest, manifest.versions, manifest.code, (edited,))
        return manifest

    def to_json(self) -> bytes:
        """Returns the content of the file."""
        values = {
            "format": _FORMAT,
            "spec_digest": self.spec_digest,
            "versions": dict(self.versions),
            "code": dict(self.code),
        }
        return (json.dumps(values, indent=2) + "\n").encode()

    def require_same(self, files: Files, code: Mapping[str, str]) -> None:
        """Raises ResultsError if the sweep, or the user's code, has changed since."""
        if self.problems:
            raise ResultsError(self.problems[0])
        changed = sorted(
            name for name in {*self.code, *code} if self.code.get(name) != code.get(name)
        )
        if changed:
            raise ResultsError(
                f"{changed[0]} is not what it was when the results in {files.place()} were begun; "
                "choose another folder, or put the file back as it was"
            )


def _unreadable(files: Files, sweep: Sweep, reason: str) -> Manifest:
    sentence = (
        f"{files.place(MANIFEST)} {reason}, so the versions that made these results are unknown; "
        "running the sweep again writes it anew"
    )
    return Manifest(spec_digest(sweep), problems=(sentence,), readable=False)
