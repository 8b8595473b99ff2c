"""The head of an audit log: its last entry, to be recorded where nobody who can write the log can write.

`sfumato gateway audit head` writes one, `sfumato gateway audit verify` compares a log with it.
"""

from __future__ import annotations

import hmac
import json
import time
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import DataError
from sfumato.gateway.log.audit_files import first_line, read_tail
from sfumato.gateway.log.audit_lines import AuditLine
from sfumato.runtime.atomic_files import Staging, reason
from sfumato.runtime.durable_lines import has_writer

_DOMAIN = b"sfumato audit head 1\n"
"""Precedes what is signed, so that a signature made with the same key for something else is not valid for a head."""

_ATTEMPTS, _PAUSE_SECONDS = 100, 0.01


@dataclass(frozen=True)
class AuditHead:
    """The number, hash and time of the last entry of a log, and an optional signature of them.

    The hash chain of a log shows whether a line was changed, but not whether the end was cut off. A head that was
    recorded elsewhere shows that too: the log must still have this entry. With a signature, nobody without the key can
    make another head.

    >>> head = AuditHead("log", 7, "1f", "2026-11-16T10:00:00.000000Z").signed(bytes(range(32)))
    >>> head.is_signed_with(bytes(range(32))), head.is_signed_with(bytes(32))
    (True, False)
    """

    log: str
    number: int
    hash: str
    time: str
    signature: str = ""

    @classmethod
    def read(cls, path: Path) -> AuditHead:
        """The last whole entry of a log, also while it is being written."""
        for _ in range(_ATTEMPTS):
            written = has_writer(path)  # checked first, so that what a writer wrote before closing can be read
            found = _read_head(path)
            if found is not None:
                return found
            if not written:
                break
            time.sleep(_PAUSE_SECONDS)  # its writer is about to start a new file
        raise DataError(f"there is no audit log {path.name!r} in {str(path.parent)!r}, or nothing in it.")

    @classmethod
    def load(cls, path: Path) -> AuditHead:
        """A head that was written to a file."""
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            found = cls(**given)
        except FileNotFoundError:
            raise DataError(f"there is no head file {path.name!r}; 'sfumato gateway audit head' writes one.") from None
        except OSError:
            raise DataError(f"the head file {path.name!r} cannot be read; is it a file that you may read?") from None
        except (ValueError, TypeError, RecursionError):
            raise DataError(f"{path.name!r} is not the head of an audit log.") from None
        kinds = {name: int if name == "number" else str for name in asdict(found)}
        if any(type(getattr(found, name)) is not kind for name, kind in kinds.items()):
            raise DataError(f"{path.name!r} is not the head of an audit log.")
        return found

    def write(self, path: Path) -> Path:
        """Write to a file, as JSON; the old file stays until the new one is complete."""
        with Staging([path]) as staging:
            place = staging.place(path)
            place.write_text(json.dumps(self.as_dict(), indent=2) + "\n", encoding="utf-8")
            staging.commit()
        return path

    def as_dict(self) -> dict[str, Any]:
        """As JSON data; the signature only if there is one."""
        return {name: value for name, value in asdict(self).items() if name != "signature" or value}

    def signed(self, key: bytes) -> AuditHead:
        """The same head with an HMAC-SHA256 signature."""
        return replace(self, signature=self._signature(key))

    def is_signed_with(self, key: bytes) -> bool:
        """Whether the signature was made with this key, for this head."""
        given = self.signature.encode(errors="replace")  # JSON can hold lone surrogates, which cannot be encoded
        return hmac.compare_digest(self._signature(key).encode(), given)

    def is_of(self, line: AuditLine) -> bool:
        """Whether this line of a log is the recorded entry."""
        return (line.hash, line.fields.get("number"), line.fields.get("time")) == (self.hash, self.number, self.time)

    def _signature(self, key: bytes) -> str:
        """The signature of the head's fields."""
        signed_fields = [self.log, self.number, self.hash, self.time]
        return hmac.new(key, _DOMAIN + json.dumps(signed_fields, separators=(",", ":")).encode(), sha256).hexdigest()


def _read_head(path: Path) -> AuditHead | None:
    """The last entry of the file; None if there is no file, or nothing in it yet."""
    try:
        last, first = read_tail(path).last, first_line(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"{path.name!r} cannot be read: {reason(error)}") from None
    if last is None or first is None:
        return None
    fields = last.fields
    return AuditHead(str(first.fields.get("log")), int(fields["number"]), last.hash, str(fields["time"]))
