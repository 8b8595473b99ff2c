"""Example tables: small tables from papers, generators of synthetic records, and loaders for well-known files."""

from sfumato.datasets.adult import adult, adult_file, adult_schema
from sfumato.datasets.adult_occupations import adult_occupations, adult_occupations_schema
from sfumato.datasets.census import census, census_batches, census_schema, write_census
from sfumato.datasets.employees import employees
from sfumato.datasets.hospital import hospital, hospital_population, hospital_schema
from sfumato.datasets.nine_patients import nine_patients, nine_patients_schema
from sfumato.datasets.patients import patient_batches, patients, patients_schema, write_patients

__all__ = [
    "adult",
    "adult_file",
    "adult_occupations",
    "adult_occupations_schema",
    "adult_schema",
    "census",
    "census_batches",
    "census_schema",
    "employees",
    "hospital",
    "hospital_population",
    "hospital_schema",
    "nine_patients",
    "nine_patients_schema",
    "patient_batches",
    "patients",
    "patients_schema",
    "write_census",
    "write_patients",
]
