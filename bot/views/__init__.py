"""What a person is shown, as values: what is proposed, what can be done, what is counted. No sentence, no mark-up."""
