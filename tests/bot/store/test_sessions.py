"""The store over SQLite and over a real Postgres: one contract."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from adapters.chat import Attachment, Button, Conversation, Incoming, Outgoing
from bot.jobs.heartbeat import ProcessHeartbeat
from bot.store import notes, schema
from bot.store.backup import backup, data_of, delete_data_of, list_surveys_of, restore
from bot.store.database import open_database
from bot.store.ledger import (
    Payer,
    StoredLedger,
    StoredRecord,
)
from bot.store.left_over import take_left_over
from bot.store.sessions import Store, StoredConversation
from bot.store.surveys import load_wanted_jobs
from engine.errors import ServiceError, UserError
from engine.llm.model import Completion
from engine.session.events import Approve, Job, JobDone, Start, Undo
from engine.session.outline_edits import rename
from engine.session.state import SurveySession, advance
from engine.values import Brief, FoundPaper, Keyword, KeywordPool, Outline, OutlineNode, PaperSelection, SearchRecord
from tests.fakes import HERE, papers
from tests.stores import OpenStore, count_rows


def conversation_up_to_an_outline() -> SurveySession:
    found = PaperSelection(
        tuple(FoundPaper(p, 1.0) for p in papers(200)), searches=(SearchRecord("main", "x", "2026-01-01", 200),)
    )
    session = SurveySession("abc")
    session, _ = advance(session, Start(Brief("dense retrieval"), 200))
    session, _ = advance(session, JobDone("abc-1", KeywordPool((Keyword("dense retrieval", "topic"),))))
    session, _ = advance(session, Approve())
    session, _ = advance(session, JobDone("abc-2", found))
    session, _ = advance(session, Approve())
    nodes = (OutlineNode("One", papers=(papers(1)[0].key,)), OutlineNode("Two"))
    session, _ = advance(session, JobDone("abc-3", Outline("A Survey", nodes)))
    for i in range(20):
        session, _ = advance(session, rename("1", f"Title {i}"))
    return session


def said(key: str, text: str = "hello", person: str = "mara", **more: object) -> Incoming:
    return Incoming(HERE, person, key, text, **more)  # type: ignore[arg-type]


async def test_a_session_comes_back_with_all_its_revisions(open_store: OpenStore) -> None:
    store, session = await open_store("one"), conversation_up_to_an_outline()
    stored = StoredConversation(HERE, session, "mara", frozenset({"ben"}), ("rename 2 to X",))
    assert await store.commit(stored, [Outgoing(HERE, "there")]) is not None
    read = await (await open_store("two")).load_conversation(HERE)
    assert read == replace(stored, version=1)
    undone, _ = advance(read.session, Undo(20))
    assert undone.state.outline is not None
    assert undone.state.outline.nodes[0].title == "One"
    # 200 papers and 23 revisions: every large part is stored once.
    async with store.connect() as connection:
        size = (await connection.execute(sa.select(sa.func.sum(sa.func.length(schema.pieces.c.content))))).scalar_one()
    assert size < 100_000
    assert await count_rows(store, schema.pieces) == 1 + 1 + 21


async def test_a_survey_that_another_process_deleted_does_not_come_back(open_store: OpenStore) -> None:
    one, two = await open_store("one"), await open_store("two")
    await one.commit(StoredConversation(HERE, conversation_up_to_an_outline(), "mara"), [])
    await two.forget(await two.load_conversation(HERE), [], None)
    begun = replace(await two.load_conversation(HERE), owner="mara")
    await two.commit(begun, [])  # it is at version 1 again
    assert (await one.load_conversation(HERE)).session.id == begun.session.id


async def test_of_two_changes_to_the_same_revision_one_is_made(open_store: OpenStore) -> None:
    one, two = await open_store("one"), await open_store("two")
    await one.commit(StoredConversation(HERE, conversation_up_to_an_outline(), "mara"), [])
    first, second = await one.load_conversation(HERE), await two.load_conversation(HERE)
    changed = [replace(h, session=advance(h.session, Approve())[0]) for h in (first, second)]
    assert await one.commit(changed[0], [Outgoing(HERE, "yes")]) is not None
    assert await two.commit(changed[1], [Outgoing(HERE, "also yes")]) is None
    assert await count_rows(one, schema.outbox) == 1
    again = await two.load_conversation(HERE)
    assert again.version == 2


async def test_what_comes_twice_is_received_once_and_what_was_not_handled_is_found_again(open_store: OpenStore) -> None:
    one = await open_store("one")
    upload = said("k1", attachments=(Attachment("a.bib", b"\x00\xff@misc"),))
    assert [await one.receive(e) for e in (upload, said("k2"), upload, said("k2"))] == [True, True, False, False]
    await one.record_handled(HERE, "k2")
    two = await open_store("two")
    assert await take_left_over(two, "fake", None) == []  # the first one lives
    await ProcessHeartbeat(one, "fake").leave()
    claimed = await ProcessHeartbeat(two, "fake").claim_dead()
    assert list(claimed) == ["one"]
    await ProcessHeartbeat(two, "fake").remove(claimed)
    assert await take_left_over(two, "other", None) == []
    assert await take_left_over(two, "fake", None) == [(upload, 1)]
    assert await take_left_over(two, "fake", None) == []


async def test_a_burst_is_stored_whole_and_each_repeat_is_known(store: Store) -> None:
    burst = [said(f"k{i % 450}") for i in range(900)]
    new = await asyncio.gather(*(store.receive(event) for event in burst))
    assert new.count(True) == 450
    assert await count_rows(store, schema.events) == 450
    late = await asyncio.gather(*(store.receive(said(f"k{i}")) for i in range(440, 460)))
    assert late == [False] * 10 + [True] * 10


async def test_messages_wait_in_order_until_they_are_sent(open_store: OpenStore) -> None:
    one = await open_store("one")
    buttons = (Button("Go", "ok:abc:1", "ok"),)
    messages = [Outgoing(HERE, str(i), buttons=buttons, files=(Path("a.md"),)) for i in range(5)]
    stored_messages = await one.commit(StoredConversation(HERE, SurveySession("abc"), "mara"), messages)
    assert stored_messages is not None
    assert [replace(stored_message, key="") for stored_message in stored_messages] == messages
    await one.mark_sent(stored_messages[0])
    await ProcessHeartbeat(one, "fake").leave()
    two = await open_store("two")
    claimed = await ProcessHeartbeat(two, "fake").claim_dead()
    elsewhere = Conversation("fake", "lab", "general", "2")
    assert await two.unsent("fake", elsewhere, claimed) == []
    assert await two.unsent("fake", HERE, claimed) == stored_messages[1:]


async def test_a_dead_process_is_buried_by_one_only(open_store: OpenStore) -> None:
    dead = await open_store("dead")
    await ProcessHeartbeat(dead, "fake").leave()
    living = [ProcessHeartbeat(await open_store(f"p{i}"), "fake") for i in range(4)]
    found = await asyncio.gather(*(p.claim_dead() for p in living))
    assert sorted(map(list, found)) == [[], [], [], ["dead"]]


async def test_forgetting_leaves_nothing_of_the_survey(store: Store) -> None:
    await store.receive(said("k1", "survey my secret topic"))
    stored = StoredConversation(HERE, conversation_up_to_an_outline(), "mara")
    await store.commit(stored, [Outgoing(HERE, "my secret topic")], "k1")
    await StoredRecord(store, "abc").keep("k", Completion("my secret topic", 1, 1))
    read = await store.load_conversation(HERE)
    await store.receive(said("k2", "forget now"))
    for name in ("card", "status:1"):
        await notes.remember(store, HERE, name, "message 7")
    closing = Outgoing(HERE, "Forgotten.", slot="card", closes=True)
    assert await store.forget(read, [closing], "k2") is not None
    # The adapter still knows which message loses its buttons.
    assert [await notes.recall(store, HERE, name) for name in ("card", "status:1")] == ["message 7", ""]
    assert (await store.load_conversation(HERE)).version == 0
    assert [await count_rows(store, t) for t in (schema.sessions, schema.pieces, schema.calls, schema.outbox)] == [
        0,
        0,
        0,
        1,
    ]
    assert not await store.receive(said("k2"))  # sent again, it is still known


async def test_what_has_changed_since_it_was_read_is_not_forgotten(open_store: OpenStore) -> None:
    one, two = await open_store("one"), await open_store("two")
    await one.commit(StoredConversation(HERE, conversation_up_to_an_outline(), "mara"), [])
    first, second = await one.load_conversation(HERE), await two.load_conversation(HERE)
    assert await two.commit(replace(second, session=advance(second.session, Approve())[0]), []) is not None
    assert await one.forget(first, [Outgoing(HERE, "Forgotten.")], None) is None
    assert await count_rows(one, schema.sessions) == 1
    assert await count_rows(one, schema.outbox) == 0


async def test_one_persons_data_is_written_out_and_deleted(store: Store, open_store: OpenStore) -> None:
    other = Conversation("fake", "lab", "general", "2")
    for at, person, name in ((HERE, "mara", "abc"), (other, "ben", "def")):
        await store.receive(Incoming(at, person, f"k-{person}", "survey x"))
        session = replace(conversation_up_to_an_outline(), id=name)
        await store.commit(
            StoredConversation(at, session, person, frozenset({"mara"})), [Outgoing(at, "yes")], f"k-{person}"
        )
    ledger = StoredLedger(store, Payer("abc", "fake:lab", "mara"), [], lambda _, __: None)
    async with ledger.reserve("draft", "gpt-4o-mini", 10, 10) as settle:
        await settle(Completion("x", 10, 10))
    found = await data_of(store, "mara")
    assert [row["id"] for row in found["surveys"]] == ["abc"]
    assert len(found["messages"]) == 1
    assert any("Title 19" in str(part["content"]) for part in found["parts"])
    theirs = await store.load_conversation(other)
    await store.commit(theirs, [Outgoing(other, "asked for by @mara")])
    assert await list_surveys_of(store, "mara") == ["abc"]
    deleted = await delete_data_of(await open_store("another process"), "mara")
    assert deleted == (1, 1)
    assert (await store.load_conversation(HERE)).version == 0
    theirs = await store.load_conversation(other)
    assert theirs.invited == frozenset()
    async with store.connect() as connection:
        people = (await connection.execute(sa.select(schema.spending.c.person))).scalars().all()
    assert list(people) == [""]  # the sums stay, nobody's name does
    empty = await data_of(store, "mara")
    assert [empty[name] for name in ("surveys", "parts", "messages", "answers", "invited to")] == [[], [], [], [], []]


async def test_old_surveys_are_forgotten_where_a_setting_says_so(store: Store) -> None:
    await store.commit(StoredConversation(HERE, SurveySession("abc"), "mara"), [])
    assert await store.clean(None) == 0
    assert await store.clean(30) == 0
    async with store.begin() as connection:
        await connection.execute(schema.sessions.update().values(changed_at=0.0))
    assert await store.clean(30) == 1
    assert (await store.load_conversation(HERE)).version == 0


async def test_a_readers_question_waits_in_the_readers_line(store: Store) -> None:
    for number, (asker, kind) in enumerate((("", "write"), ("noor", "answer"), ("", "evaluate"))):
        session = replace(SurveySession(f"s{number}"), job=Job(kind, id=f"j{number}", asker=asker))  # type: ignore[arg-type]
        await store.commit(StoredConversation(replace(HERE, thread=f"{number}"), session, "mara"), [])
    wanted = await load_wanted_jobs(store, HERE.platform, None)
    assert [(job.id, job.person) for job in wanted] == [("j0", "mara"), ("j1", "noor"), ("j2", "mara")]


async def test_a_backup_restores_into_an_empty_store_of_either_kind(
    store: Store, tmp_path: Path, database_url: str
) -> None:
    stored = StoredConversation(HERE, conversation_up_to_an_outline(), "mara")
    stored_messages = await store.commit(stored, [Outgoing(HERE, "one"), Outgoing(HERE, "two")])
    await StoredRecord(store, "abc").keep("k", Completion("text", 1, 2))
    count = await backup(store, tmp_path / "all.gz")
    with pytest.raises(UserError, match="not empty"):
        await restore(store, tmp_path / "all.gz")
    new = Store(await open_database(f"sqlite:///{tmp_path / 'new.sqlite'}"), "new")
    try:
        assert await restore(new, tmp_path / "all.gz") == count
        assert await new.load_conversation(HERE) == replace(stored, version=1)
        assert await new.unsent("fake", None) == stored_messages
        assert await StoredRecord(new, "abc").find("k") == Completion("text", 1, 2)
        (tmp_path / "bad.gz").write_bytes(b"nothing")
        with pytest.raises(UserError, match="not empty"):
            await restore(new, tmp_path / "bad.gz")
    finally:
        await new.close()


async def test_what_is_no_backup_is_said(store: Store, tmp_path: Path) -> None:
    (tmp_path / "bad.gz").write_bytes(b"nothing")
    with pytest.raises(UserError, match="cannot be read"):
        await restore(store, tmp_path / "bad.gz")


async def test_a_backup_of_sqlite_moves_to_postgres_and_goes_on_there(tmp_path: Path, postgres_url: str) -> None:
    old = Store(await open_database(f"sqlite:///{tmp_path / 'old.sqlite'}"), "old")
    new = Store(await open_database(postgres_url), "new")
    try:
        await old.commit(StoredConversation(HERE, conversation_up_to_an_outline(), "mara"), [Outgoing(HERE, "one")])
        await backup(old, tmp_path / "all.gz")
        await restore(new, tmp_path / "all.gz")
        await ProcessHeartbeat(new, "fake").beat()
        read = await new.load_conversation(HERE)
        stored_messages = await new.commit(read, [Outgoing(HERE, "two")])
        assert stored_messages is not None  # numbers go on after those restored
        assert [stored_message.text for stored_message in await new.unsent("fake", None)] == ["one"]
    finally:
        await old.close()
        await new.close()


async def test_a_store_from_the_future_is_refused(store: Store, database_url: str) -> None:
    async with store.begin() as connection:
        await connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UserError, match="later version"):
        await open_database(database_url)


async def test_a_database_that_is_not_there_is_said() -> None:
    with pytest.raises(ServiceError, match="could not be used"):
        await open_database("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(UserError, match="SQLite or Postgres"):
        await open_database("mysql://x/y")


async def test_two_processes_begin_on_an_empty_database_at_once(database_url: str) -> None:
    found = await asyncio.gather(*(open_database(database_url) for _ in range(3)))
    for database in found:
        await database.close()
