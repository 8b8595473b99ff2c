import numpy as np
from hypothesis import given

from sfumato.evaluation.learners import C45
from sfumato.evaluation.learners.loops.tree_walk import walk
from sfumato.evaluation.learners.tree import code_columns, numeric
from tests.evaluation.learners.records import drawn
from tests.examples import examples


def walk_plain(codes, numbers, nodes):
    """One record after the other, its branch looked up in a list."""
    ends = []
    for record in codes.T:
        node = 0
        while nodes.column[node] >= 0:
            code, first = record[nodes.column[node]], nodes.first[node]
            if numbers[nodes.column[node]]:
                heavy = nodes.cases[first + 1] > nodes.cases[first]
                side = int(heavy) if code < 0 else int(code > nodes.below[node])
            else:
                branch_per_value = nodes.branch[first : first + nodes.children[node]].tolist()
                side = branch_per_value.index(code) if code in branch_per_value else None
            if side is None:
                break
            node = first + side
        ends.append(node)
    return ends


@given(drawn(), drawn())
@examples(200)
def test_every_record_ends_where_its_tests_lead(records, others):
    features, classes, weights = records
    tree = C45(confidence=1, fewest=1).fit(features, classes, weights)
    codes = code_columns(features, tree.ranks)
    strange = np.random.default_rng(len(others[0])).integers(-1, 8, size=codes.shape).astype(np.int32)
    for some in (codes, strange):
        found = walk(some, numeric(features), tree.nodes)
        assert found.tolist() == walk_plain(some, numeric(features), tree.nodes)
