"""Settings: declared parameters, sections of TOML files, and the catalogue of all classes a user can choose."""
