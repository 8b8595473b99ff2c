"""Table 6.2 of Kabir (2010): information loss on Census, 1,080 records with 13 columns."""

from __future__ import annotations

from benchmarks.figures.figure import Figure
from benchmarks.figures.kabir_methods import numbers
from benchmarks.figures.kabir_table import figures_of

PRINTED = {
    "MDAV-MHM": "5.6523 - 9.0870 14.2239",
    "MD-MHM": "5.69724 - 8.98594 14.3965",
    "CBFS-MHM": "5.6734 - 8.8942 13.8925",
    "NPN-MHM": "6.3498 - 11.3443 18.7335",
    "M-d": "6.1100 8.24 10.3000 17.1700",
    "mu-Approx": "6.25 8.47 10.78 17.01",
    "TFRP-1": "5.931 7.880 9.357 14.442",
    "TFRP-2": "5.803 7.638 8.980 13.959",
    "MDAV-1": "5.692186279 7.494699833 9.088435498 14.15593043",
    "MDAV-2": "5.656049371 7.409645342 9.012389597 13.94411775",
    "DBA-1": "6.144855154 9.127883805 10.84218735 15.78549732",
    "DBA-2": "5.581605762 7.591307664 9.046162117 13.52140518",
    "P-S": "1.782851535 2.54581108 2.698883298 4.967556756",
}


def figures() -> list[Figure]:
    """Standardized and raw."""
    return figures_of("6_2", "Census", numbers("Census"), PRINTED)
