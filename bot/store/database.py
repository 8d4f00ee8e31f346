"""The database under the store: SQLite through aiosqlite, or Postgres through psycopg; connections and migrations."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.store.schema import metadata
from engine.errors import ServiceError, UserError

_POSTGRES = "postgresql+psycopg"

BUSY_S = 30.0
"""How long SQLite waits for another process that writes."""


class Database:
    """Connections for reading, and one transaction at a time for writing."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        # SQLite has one writer; waiting here is cheaper and fairer than its busy timeout.
        self._one_writer = asyncio.Lock() if engine.dialect.name == "sqlite" else None
        self._in_line = asyncio.Lock()

    async def close(self) -> None:
        await self.engine.dispose()

    @asynccontextmanager
    async def connect(self, **options: Any) -> AsyncIterator[AsyncConnection]:
        """A connection, which only reads where no ``options`` are given. Raises `ServiceError` where that fails."""
        try:
            async with self.engine.connect() as connection:
                yield await connection.execution_options(**options)
        except SQLAlchemyError as error:
            raise to_service_error(error) from error

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[AsyncConnection]:
        """A connection that reads everything as of one moment, whatever is written meanwhile."""
        isolation = {"isolation_level": "REPEATABLE READ"} if self.engine.dialect.name == "postgresql" else {}
        async with self.connect(**isolation) as connection, connection.begin():
            yield connection

    @asynccontextmanager
    async def begin(self, *, urgent: bool = False) -> AsyncIterator[AsyncConnection]:
        """One transaction, all or nothing; an urgent one waits for one other at most. Raises `ServiceError`."""
        async with AsyncExitStack() as waited:
            if self._one_writer:
                for lock in (self._one_writer,) if urgent else (self._in_line, self._one_writer):
                    await waited.enter_async_context(lock)
            async with self.connect(writes=True) as connection, connection.begin():
                yield connection

    async def select(self, query: sa.Executable) -> Sequence[sa.Row[*tuple[Any, ...]]]:
        async with self.connect() as connection:
            return (await connection.execute(query)).all()

    async def write(self, *statements: sa.UpdateBase) -> int:
        """Execute these in one transaction (`begin`); how many rows the last one changed."""
        async with self.begin() as connection:
            changed = [(await connection.execute(statement)).rowcount for statement in statements]
        return changed[-1] if changed else 0

    async def alone(self, connection: AsyncConnection, name: str) -> None:
        """Let no other transaction that asks for the same name go on beside this one; SQLite has one anyway."""
        if self.engine.dialect.name == "postgresql":
            number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))

    async def compact(self) -> None:
        """Let no page of the file keep what was deleted. Raises `ServiceError`, also while another process uses it."""
        if self.engine.dialect.name != "sqlite":
            return  # Postgres does so in its own time (docs/operating.md)
        async with self.connect(isolation_level="AUTOCOMMIT") as connection:
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                await connection.exec_driver_sql(statement)

    def insert_once(self, table: sa.Table) -> Any:
        """An insert that leaves what is already there."""
        if self.engine.dialect.name == "postgresql":
            from sqlalchemy.dialects.postgresql import insert  # three drivers, of which SQLite needs none

            return insert(table).on_conflict_do_nothing()
        return sqlite.insert(table).on_conflict_do_nothing()


Kept = Literal["store", "queue of jobs"]
"""What a database keeps; with Postgres one keeps both."""


class StoreDamaged(ServiceError):
    """Pages of the database hold what no database writes: trying again does not help."""

    def __init__(self, why: str, kept: Kept = "store") -> None:
        super().__init__(
            f"The {kept} is damaged ({why}). Whoever runs Scholium finds the way back with: scholium doctor"
        )
        self.kept = kept


def to_service_error(error: SQLAlchemyError | sqlite3.Error, kept: Kept = "store") -> ServiceError:
    """A failure of the database that keeps this, as ours."""
    cause = getattr(error, "orig", None) or error
    why = (str(cause).splitlines() or [type(cause).__name__])[0][:200]
    # SQLite's primary code, Postgres' data_corrupted and index_corrupted.
    code, state = getattr(cause, "sqlite_errorcode", 0) & 0xFF, getattr(cause, "sqlstate", "")
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB} or state in {"XX001", "XX002"}:
        return StoreDamaged(why, kept)
    return ServiceError(f"The {kept} could not be used ({why}).", retryable=True)


def check_file(url: str, kept: Kept = "store") -> None:
    """Look at every page of a database that is a file and is there; Postgres looks itself. Raises `StoreDamaged`."""
    made = sa.make_url(url)
    if made.get_backend_name() != "sqlite" or not Path(made.database or "").exists():
        return
    try:
        with closing(sqlite3.connect(made.database or "")) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        raise to_service_error(error, kept) from error
    if found != "ok":
        raise StoreDamaged(str(found).splitlines()[0][:200], kept)


async def open_database(url: str) -> Database:
    """The database at ``sqlite:///…`` or ``postgresql://…``, its tables brought up to date.

    Raises `UserError` where the database was made by a later version, `ServiceError` where it cannot be reached.
    """
    made = sa.make_url(url)
    match made.get_backend_name():
        case "postgresql":
            engine = create_async_engine(made.set(drivername=_POSTGRES), pool_size=10, pool_pre_ping=True)
        case "sqlite":
            engine = create_async_engine(made.set(drivername="sqlite+aiosqlite"), connect_args={"timeout": BUSY_S})
            _prepare(engine.sync_engine)
        case _:
            raise UserError("The store is SQLite or Postgres: sqlite:///PATH or postgresql://USER@HOST/NAME")
    database = Database(engine)
    try:
        async with database.begin() as connection:
            await database.alone(connection, "migration")  # other processes wait
            await connection.run_sync(_migrate)
    except BaseException:
        await database.close()
        raise
    return database


def _migrate(connection: sa.Connection) -> None:
    """Make all tables as they are after the last migration, or run the migrations that are missing."""
    if not sa.inspect(connection).has_table(_VERSION.name):
        metadata.create_all(connection, checkfirst=False)
        _VERSION.create(connection)
        connection.execute(_VERSION.insert().values(version_num=newest_migration()))
        return
    current = connection.execute(sa.select(_VERSION.c.version_num)).scalar()
    if current == newest_migration():
        return
    # Imported here because it takes half a second, and most stores are new or up to date.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    known = {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}
    if current not in known:
        raise UserError(
            f"The store was made by a later version of Scholium (its tables have version {current}, this program "
            f"knows up to {newest_migration()}). Update Scholium, or use another SCHOLIUM_HOME."
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


_VERSION = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
"""Where Alembic keeps the number of the last migration that was run."""


@cache
def newest_migration() -> str:
    """The number of the last migration; the files are called ``v0001_first.py`` and so on."""
    files = resources.files("bot.store.migrations.versions").iterdir()
    return max(file.name[1:5] for file in files if file.name.startswith("v"))


def _prepare(engine: sa.Engine) -> None:
    """SQLite as we want it: transactions that we begin ourselves, readers beside one writer, foreign keys."""

    @sa.event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by itself
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begun(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
