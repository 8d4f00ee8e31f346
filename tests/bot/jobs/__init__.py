"""Tests of how jobs are queued, shared and run."""
