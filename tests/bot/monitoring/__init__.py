"""Tests of what a service shows to those who watch it."""
