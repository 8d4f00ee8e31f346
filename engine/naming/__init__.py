"""Groups of papers, and the phrases and headings that name them."""
