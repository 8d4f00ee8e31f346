"""What chat platforms need: small notes, installations, and tickets of installations that were begun."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "notes",
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=256), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("noted_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "name"),
    )
    op.create_index("notes_by_time", "notes", ["noted_at"], unique=False)
    op.create_table(
        "installations",
        sa.Column("platform", sa.String(length=32), nullable=False),
        sa.Column("client_id", sa.String(length=128), nullable=False),
        sa.Column("enterprise", sa.String(length=64), nullable=False),
        sa.Column("tenant", sa.String(length=128), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("installed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("platform", "client_id", "enterprise", "tenant"),
    )
    op.create_table(
        "tickets",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
