"""Measures of a survey: each scorer is one function that says what it measured and how."""
