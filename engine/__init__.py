"""Writes literature surveys; usable from a script without any chat."""
