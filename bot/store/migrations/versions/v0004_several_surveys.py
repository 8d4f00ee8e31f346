"""A conversation keeps several surveys: each has a name of its own, and can be archived."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("sessions", sa.Column("name", sa.Text(), server_default="", nullable=False))
    op.add_column("sessions", sa.Column("archived", sa.Boolean(), server_default=sa.false(), nullable=False))
