"""Attribute trees: what a paper says, by fixed attributes, and where they are kept."""
