"""The database under the store: SQLite through aiosqlite, or Postgres through psycopg; connections and migrations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from engine.errors import ServiceError, UserError

BUSY_S = 30.0
"""How long SQLite waits for another process that writes."""


class Database:
    """Connections for reading, and one transaction at a time for writing."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        # SQLite has one writer; waiting here is cheaper and fairer than its busy timeout.
        self._one_writer = asyncio.Lock() if engine.dialect.name == "sqlite" else None

    async def close(self) -> None:
        """Let go of the connections."""
        await self._engine.dispose()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection that only reads. Raises `ServiceError` where the database fails."""
        try:
            async with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise _failed(error) from error

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """One transaction. Raises `ServiceError` where the database fails; then nothing was written."""
        if self._one_writer:
            async with self._one_writer, self._transaction() as connection:
                yield connection
        else:
            async with self._transaction() as connection:
                yield connection

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        try:
            async with self._engine.connect() as connection:
                await connection.execution_options(writes=True)
                async with connection.begin():
                    yield connection
        except SQLAlchemyError as error:
            raise _failed(error) from error

    def inserted_once(self, table: sa.Table) -> Any:
        """An insert that leaves what is already there."""
        make = postgresql.insert if self._engine.dialect.name == "postgresql" else sqlite.insert
        return make(table).on_conflict_do_nothing()


def _failed(error: SQLAlchemyError) -> ServiceError:
    why = str(error.orig) if isinstance(error, DBAPIError) and error.orig else type(error).__name__
    return ServiceError(f"The store could not be used ({why.splitlines()[0][:200]}).", retryable=True)


async def open_database(url: str) -> Database:
    """The database at ``sqlite:///…`` or ``postgresql://…``, its tables brought up to date.

    Raises `UserError` where the database was made by a later version, `ServiceError` where it cannot be reached.
    """
    made = sa.make_url(url)
    if made.get_backend_name() == "sqlite":
        engine = create_async_engine(made.set(drivername="sqlite+aiosqlite"), connect_args={"timeout": BUSY_S})
        sa.event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        sa.event.listen(engine.sync_engine, "begin", _begin_sqlite)
    elif made.get_backend_name() == "postgresql":
        engine = create_async_engine(made.set(drivername="postgresql+psycopg"), pool_size=10, pool_pre_ping=True)
    else:
        raise UserError("The store is SQLite or Postgres: sqlite:///PATH or postgresql://USER@HOST/NAME")
    try:
        async with engine.connect() as connection:
            await connection.execution_options(writes=True)
            async with connection.begin():
                await connection.run_sync(_migrate)
    except SQLAlchemyError as error:
        await engine.dispose()
        raise _failed(error) from error
    except UserError:
        await engine.dispose()
        raise
    return Database(engine)


def _migrate(connection: sa.Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    script = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    known = {revision.revision for revision in script.walk_revisions()}
    if current is not None and current not in known:
        raise UserError(
            f"The store was made by a later version of Scholium (its tables have version {current}, this program "
            f"knows up to {script.get_current_head()}). Update Scholium, or use another SCHOLIUM_HOME."
        )
    command.upgrade(config, "head")


def _prepare_sqlite(connection: Any, _: Any) -> None:
    # The driver must not begin transactions by itself; `_begin_sqlite` does.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
