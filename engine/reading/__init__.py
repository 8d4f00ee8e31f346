"""Full texts: where they are, fetching them, and what is in them."""
