"""From a topic to the papers of a survey, with a record of how they were found."""
