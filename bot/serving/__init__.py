"""A running service: its libraries, its sources, its uploads, its start and stop."""
