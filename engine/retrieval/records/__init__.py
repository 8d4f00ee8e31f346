"""Records of papers in people's files: BibTeX, RIS and other exports, tables, LaTeX in them."""
