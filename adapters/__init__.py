"""Chat platforms; they know nothing about surveys."""
