"""The customers of Kabir (2010), tables 2.5 and 3.3, with the weaker form of everything about them.

Of the fourth customer's name both tables print A, which is no letter of it; J is meant.
"""

from __future__ import annotations

from typing import NamedTuple


class Customer(NamedTuple):
    name: str
    age: int
    address: str
    income: int
    letter: str
    shown_age: str
    street: str
    shown_income: str


CUSTOMERS = (
    Customer("Alice", 35, "21, West St., TBA, QLD 4350", 35000, "A", "30-40", "West St., TBA, QLD 4350", "30000-40000"),
    Customer("Bob", 29, "45, Fay CT., TBA, QLD 4350", 23000, "B", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"),
    Customer("Ron", 56, "20, Anita Dr., TBA, QLD 4350", 56000, "R", "50-60", "Anita Dr., TBA, QLD 4350", "50000-60000"),
    Customer("Jak", 48, "25, Wuth St., TBA, QLD 4350", 48000, "J", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"),
)
