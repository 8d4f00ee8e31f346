"""Where papers are kept and found."""
