import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.shell_sort import shell_sort


@given(st.lists(st.integers(-50, 50), max_size=70), st.integers(0, 70), st.sampled_from([np.int32, np.float64]))
def test_the_first_values_are_sorted_and_the_others_stay(values, count, kind):
    count = min(count, len(values))
    found = np.array(values, dtype=kind)
    shell_sort(found, count)
    assert found.tolist() == [*sorted(values[:count]), *values[count:]]
