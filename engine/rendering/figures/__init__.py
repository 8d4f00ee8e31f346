"""Figures drawn as SVG: one file for each kind, and the same drawings as PNG and PDF."""
