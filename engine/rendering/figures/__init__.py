"""Figures drawn as SVG, and the same drawings as PNG and PDF."""
