"""A database of the first release goes on in this one; one of a later release is left alone and refused.

``first_release.json`` holds the rows that commit 99a703f wrote of a conversation: a finished survey of three sections.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

import bot.store.migrations
from bot.settings import load_settings
from bot.store.database import open_database
from bot.store.schema import metadata, outbox, sessions
from bot.store.sessions import Store
from engine.errors import UserError
from tests.fakes import HERE
from tests.lab import opened

ROWS = Path(__file__).with_name("first_release.json")
LATER = "9999"


def make_first_release(url: str) -> None:
    """The tables as the first migration makes them, with the rows that the first release wrote."""
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    config = Config()
    config.set_main_option("script_location", str(Path(bot.store.migrations.__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        tables = sa.MetaData()
        tables.reflect(connection)
        for name in ("conversations", "sessions", "pieces", "events", "outbox", "processes"):
            rows = [read_row(row) for row in json.loads(ROWS.read_text(encoding="utf-8"))[name]]
            connection.execute(tables.tables[name].insert(), rows)
    engine.dispose()


def read_row(row: dict[str, Any]) -> dict[str, Any]:
    return {key: base64.b64decode(v["base64"]) if isinstance(v, dict) else v for key, v in row.items()}


async def test_a_database_of_the_first_release_is_read_whole(database_url: str) -> None:
    make_first_release(database_url)
    store = Store(await open_database(database_url), "new")
    try:
        stored = await store.load_conversation(HERE)
        assert stored.owner == "mara"
        state = stored.session.state
        assert (state.phase, state.brief.topic, state.brief.sections) == ("discussion", "dense retrieval", 3)
        assert len(state.papers.list_included()) == 30 and state.outline.nodes[1].title == "Finding Passages"
        assert state.survey.title == "Dense Retrieval: A Survey"
        assert [section.title for section in state.survey.sections][1] == "Finding Passages"
        assert len(state.survey.references) == 13
        assert [past.phase for past in stored.session.past][:3] == ["topic", "topic", "keywords"]
        async with store.connect() as connection:
            assert (await connection.execute(sa.select(sa.func.count()).select_from(outbox))).scalar() == 13
            columns = await connection.run_sync(lambda inner: sa.inspect(inner).get_columns("sessions"))
        assert {column["name"] for column in columns} == {column.name for column in metadata.tables["sessions"].columns}
    finally:
        await store.close()


async def test_a_new_database_has_the_tables_of_one_brought_up_to_date(database_url: str) -> None:
    found = []
    for is_old in (False, True):
        if is_old:
            make_first_release(database_url)
        store = Store(await open_database(database_url), "new")
        async with store.connect() as connection:
            found.append(await connection.run_sync(describe_tables))
        async with store.begin() as connection:
            await connection.run_sync(drop_tables)
        await store.close()
    assert found[0] == found[1]
    assert set(found[0]) == {*metadata.tables, "alembic_version"}


def describe_tables(connection: sa.Connection) -> dict[str, Any]:
    """Columns, keys and indexes of each table, whatever their order."""
    looked = sa.inspect(connection)
    return {
        name: (
            {(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in looked.get_columns(name)},
            looked.get_pk_constraint(name)["constrained_columns"],
            {
                (*key["constrained_columns"], key["referred_table"], *key["options"].items())
                for key in looked.get_foreign_keys(name)
            },
            {(index["name"], *index["column_names"], index["unique"]) for index in looked.get_indexes(name)},
        )
        for name in looked.get_table_names()
    }


def drop_tables(connection: sa.Connection) -> None:
    tables = sa.MetaData()
    tables.reflect(connection)
    tables.drop_all(connection)


async def test_a_conversation_begun_in_the_first_release_goes_on_in_this_one() -> None:
    make_first_release(load_settings().store_url())
    async with opened() as lab:
        await lab.talk("show 2")
        assert "Finding Passages" in lab.chat.last
        await lab.talk("undo")
        assert (await lab.state()).phase == "writing"


async def test_a_database_of_a_later_release_is_refused_and_left_as_it_is(database_url: str) -> None:
    make_first_release(database_url)
    store = Store(await open_database(database_url), "new")
    async with store.begin() as connection:
        await connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{LATER}'"))
    with pytest.raises(UserError) as refused:
        await open_database(database_url)
    assert "made by a later version of Scholium (its tables have version 9999" in str(refused.value)
    assert "Update Scholium" in str(refused.value)
    async with store.connect() as connection:
        assert (await connection.execute(sa.select(sessions.c.topic))).scalar() == "dense retrieval"
        assert (await connection.execute(sa.text("SELECT version_num FROM alembic_version"))).scalar() == LATER
    await store.close()
