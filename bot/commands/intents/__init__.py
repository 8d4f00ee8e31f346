"""Plain words → the likeliest commands, by one linear classifier; exact slots; a guess shows and never changes."""
