"""Tests of changes to a finished survey."""
