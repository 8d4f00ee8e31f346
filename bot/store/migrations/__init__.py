"""Numbered changes of the store's tables, run at start by Alembic."""
