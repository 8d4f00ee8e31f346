"""An event that cannot be answered is tried so often, then set aside with the reason."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("events", sa.Column("tries", sa.Integer(), server_default="1", nullable=False))
    op.add_column("events", sa.Column("set_aside_at", sa.Double(), nullable=True))
    op.add_column("events", sa.Column("why", sa.Text(), server_default="", nullable=False))
    op.create_index("events_open", "events", ["platform", "handled_at"], unique=False)
