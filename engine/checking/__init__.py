"""What a text says checked against the papers it cites: by their words, and by what a program can see."""
