"""Settings that are declared once, sections of TOML files, and the catalogue of everything on offer."""
