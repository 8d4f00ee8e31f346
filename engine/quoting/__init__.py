"""The reading map: what is quoted, counted and drawn where no language model writes."""
