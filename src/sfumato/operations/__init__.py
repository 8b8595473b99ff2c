"""Operations: pure functions that turn a table and a decision (groups, levels, buckets) into a candidate release.

Algorithms choose the groups, and call these functions to generalize, microaggregate, bucketize or suppress.
"""
