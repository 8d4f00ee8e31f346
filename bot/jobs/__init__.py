"""Durable jobs: the queue, what a job does, what it reports."""
