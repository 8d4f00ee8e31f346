"""What happens to a finished survey: changes, answers, background, field gaps."""
