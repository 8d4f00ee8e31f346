"""Who found which answer good."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "ratings",
        sa.Column("conversation_id", sa.String(64), nullable=False),
        sa.Column("message", sa.String(64), nullable=False),
        sa.Column("person", sa.String(256), nullable=False),
        sa.Column("good", sa.Boolean(), nullable=False),
        sa.Column("rated_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "message", "person"),
    )
