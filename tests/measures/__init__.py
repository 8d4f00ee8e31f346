"""Benchmarks that play people, platforms and services; `scholium bench` runs them in a clone of the repository."""
