"""Slack and Discord as far as the adapters need them, on this machine: for tests and for `bench thread`."""
