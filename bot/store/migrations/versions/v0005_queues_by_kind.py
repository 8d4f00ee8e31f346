"""Jobs wait in queues by their kind, and processes say of which queues they run jobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; what kind an earlier version's jobs are is not known, and the long queue takes all."""
    op.add_column("sessions", sa.Column("job_kind", sa.String(16)))
    op.execute("UPDATE sessions SET job_kind = 'write' WHERE job_id IS NOT NULL")
    op.add_column("processes", sa.Column("runs", sa.String(64), server_default="", nullable=False))
