"""From papers to a survey: outline, drafts, checks, assembly."""
