"""What a run of the benchmarks is told: sizes, repeats, where files lie and where the peers live."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import ROOT


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`shrink` divides every size to try the benchmarks out; nothing is held against a bar then."""

    large: bool = False
    repeat: int = 3
    shrink: int = 1
    cache: Path = ROOT / "out" / "bench"
    peers: Path = ROOT / ".bench-venv" / "bin" / "python"
    patience: float = 900.0

    @property
    def million(self) -> int:
        """The rows that stand for a million."""
        return 1_000_000 // self.shrink

    @property
    def has_peers(self) -> bool:
        """Whether the peers' own environment is there."""
        return self.peers.is_file()
