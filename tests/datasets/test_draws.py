from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.datasets.draws import WeightedDraws, write_batches, zipf_weights


def test_shares_follow_the_weights() -> None:
    draws = WeightedDraws([[1, 1, 2], [0, 1, 0]])
    uniform = np.random.default_rng(1).random(100_000)
    shares = np.bincount(draws.draw(uniform), minlength=3) / len(uniform)
    assert shares == pytest.approx([0.25, 0.25, 0.5], abs=0.01)
    assert set(draws.draw(uniform, 1).tolist()) == {1}


def test_the_ends_of_the_interval_are_drawn() -> None:
    assert WeightedDraws([[1, 0, 1]]).draw(np.array([0.0, np.nextafter(1, 0)])).tolist() == [0, 2]


def test_falling_weights_fall() -> None:
    assert zipf_weights(3).tolist() == pytest.approx([1, 1 / 2, 1 / 3])


def test_a_stream_that_breaks_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> object:
        from sfumato.datasets import patient_batches

        yield next(patient_batches(10))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_batches(tmp_path / "p.parquet", broken())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
