"""The published systems, each reading like its paper's method section."""
