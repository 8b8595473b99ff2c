"""Reports on releases: `report` collects all results, and `text`, `json` and `html` write them."""
