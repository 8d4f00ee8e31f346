"""Benchmarks of the product, and the simulated services they run against."""
