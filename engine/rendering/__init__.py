"""A `Survey` as files people use: Markdown, HTML, PDF, BibTeX, RIS, JSON."""
