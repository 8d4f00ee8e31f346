"""What papers say to the question of a subsection, as short notes with addresses, and the matrix of such notes."""
