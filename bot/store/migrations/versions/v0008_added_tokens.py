"""Tokens can be added to a survey's budget, as dollars can."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("allowances", sa.Column("tokens", sa.BigInteger(), server_default="0", nullable=False))
