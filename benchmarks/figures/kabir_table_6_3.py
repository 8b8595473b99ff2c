"""Table 6.3 of Kabir (2010): information loss on EIA, 4,092 records with 11 columns."""

from __future__ import annotations

from benchmarks.figures.figure import Figure
from benchmarks.figures.kabir_methods import least_loss, numbers, standardized
from benchmarks.figures.kabir_table import SIZES, figures_of, slashed

PRINTED = {
    "MDAV-MHM": "0.4081 - 1.2563 3.7725",
    "MD-MHM": "0.4422 - 1.2627 3.6374",
    "NPN-MHM": "0.5525 - 0.9602 2.3188",
    "mu-Approx": "0.43 0.59 0.83 2.26",
    "TFRP-1": "0.530 0.661 1.651 3.242",
    "TFRP-2": "0.428 0.599 0.910 2.590",
    "MDAV-1": "0.482938725 0.671345141 1.666657361 3.83966422",
    "MDAV-2": "0.411101515 0.587381756 0.946263963 3.16085577",
    "DBA-1": "1.090194828 0.84346907 1.895536919 4.265801303",
    "DBA-2": "0.421048322 0.559755523 0.81849828 2.080980825",
    "P-S": "0.213174523 0.32351185 0.435562877 1.044292097",
}
NOTES = (
    "The rows of MDAV and DBA have eleven columns, of which one is the number of the utility; those of TFRP have the "
    "other ten. The table sets both beside each other. Everything but the rows of TFRP is measured on eleven here. "
    "No partition by the ten is below {}."
)


def figures() -> list[Figure]:
    """Standardized and raw; the rows of TFRP without the first column."""
    raw = numbers("EIA")
    ten = raw[:, 1:]
    notes = NOTES.format(slashed([least_loss(standardized(ten), k) for k in SIZES]))
    return figures_of("6_3", "EIA", raw, PRINTED, dict.fromkeys(("TFRP-1", "TFRP-2"), ten), notes)
