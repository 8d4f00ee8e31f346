"""Who sent which papers to the library of a workspace."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "sent_papers",
        sa.Column("platform", sa.String(32), nullable=False),
        sa.Column("tenant", sa.String(128), nullable=False),
        sa.Column("person", sa.String(256), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("paper", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("platform", "tenant", "person", "digest"),
    )
    op.create_index("sent_papers_by_person", "sent_papers", ["person"], unique=False)
