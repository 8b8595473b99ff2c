from __future__ import annotations

from sfumato.datasets import hospital


def test_it_is_the_table_of_the_book() -> None:
    """Book, Table 2.2: seven patients, four jobs, two sexes, three ages that occur, three diseases."""
    table = hospital()
    assert table.records == 7
    assert {name: len(table.domain(name)) for name in table.codes} == {"Job": 4, "Sex": 2, "Age": 3, "Disease": 3}
    assert table.taxonomies["Job"].height == 2
