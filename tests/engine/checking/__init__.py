"""Tests of the check."""
