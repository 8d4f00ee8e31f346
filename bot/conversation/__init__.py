"""From what came in to what goes out: one order for each conversation."""
