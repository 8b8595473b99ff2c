"""Table 6.1 of Kabir (2010): information loss on Tarragona, 834 records with 13 columns."""

from __future__ import annotations

from benchmarks.figures.figure import Figure
from benchmarks.figures.kabir_methods import numbers
from benchmarks.figures.kabir_table import figures_of

PRINTED = {
    "MDAV-MHM": "16.9326 - 22.4617 33.1923",
    "MD-MHM": "16.9829 - 22.5269 33.1834",
    "CBFS-MHM": "16.9714 - 22.8227 33.2188",
    "NPN-MHM": "17.3949 - 27.0213 40.1831",
    "M-d": "16.6300 19.66 24.5000 38.5800",
    "mu-Approx": "17.10 20.51 26.04 38.80",
    "TFRP-1": "17.228 19.396 22.110 33.186",
    "TFRP-2": "16.881 19.181 21.847 33.088",
    "MDAV-1": "16.93258762 19.54578612 22.46128236 33.19235838",
    "MDAV-2": "16.38261429 19.01314997 22.07965363 33.17932950",
    "DBA-1": "20.69948803 23.82761456 26.00129826 35.39295837",
    "DBA-2": "16.15265063 22.67107728 25.45039236 34.80675148",
    "P-S": "5.494040549 8.329209112 10.8749404 17.01194228",
}
NOTES = "MDAV-2 at k = 3 has all digits but one: a 3 is printed where 16.6826 has a 6."


def figures() -> list[Figure]:
    """Standardized and raw."""
    return figures_of("6_1", "Tarragona", numbers("Tarragona"), PRINTED, notes=NOTES)
