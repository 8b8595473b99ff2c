"""What is claimed of clusters, judged on made-up lines."""

from benchmarks.figures.clusters import GUIDED, LOCAL, falls, guidance, no_guarantee


def line(*heights):
    return list(enumerate(heights, start=1))


def test_a_line_falls_by_its_ends():
    assert falls("F-measure", line(0.8, 0.85, 0.6)).agrees
    assert "1 of 2 steps go up" in falls("F-measure", line(0.8, 0.85, 0.6)).measured
    assert not falls("F-measure", line(0.8, 0.5, 0.8)).agrees


def test_guidance_must_win_at_every_k():
    assert guidance("F-measure", {GUIDED: line(0.8, 0.7), LOCAL: line(0.7, 0.6)}, LOCAL).agrees
    lost = guidance("F-measure", {GUIDED: line(0.8, 0.6), LOCAL: line(0.7, 0.7)}, LOCAL)
    assert not lost.agrees
    assert lost.measured.endswith("behind at k = 2")


def test_one_clusterer_that_misses_is_enough_for_no_guarantee():
    same, near, far = line(0.8, 0.8), line(0.8, 0.78), line(0.8, 0.6)
    kept = {f"{one}, then {one}": same for one in ("k-means", "hierarchical")}
    for other, agrees in ((near, False), (far, True)):
        lines = {**kept, "k-means, then hierarchical": other, "hierarchical, then k-means": near}
        assert no_guarantee(lines).agrees is agrees
