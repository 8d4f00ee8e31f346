"""The commands as a person types them, each in a process of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import typst
from typer.testing import CliRunner

from bot.__main__ import cli
from bot.cli.conversations import read_excluded
from engine.errors import UserError
from engine.values import Paper
from tests.empty_databases import prepare_databases
from tests.fakes import papers
from tests.stand_ins.changes import PATIENCE_S


@dataclass(frozen=True)
class Done:
    """What a command printed, and its exit code."""

    returncode: int
    stdout: str
    stderr: str


def command(folder: Path, *arguments: str, stdin: str = "", **settings: str) -> Done:
    """A command, run in this process: starting Python anew for each would take minutes."""
    environment = {"SCHOLIUM_HOME": str(folder / "home"), "COLUMNS": "100", **settings}
    result = CliRunner().invoke(cli, arguments, input=stdin, env=environment)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


def process(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """The same as a process of its own."""
    environment = {**os.environ, "SCHOLIUM_HOME": str(folder / "home"), "COLUMNS": "100"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments], cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def jsonl(folder: Path, name: str, records: list[Paper]) -> Path:
    path = folder / name
    lines = [
        json.dumps({"id": p.key, "title": p.title, "abstract": p.abstract, "authors": p.authors, "year": p.year})
        for p in records
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def lab(tmp_path: Path, indexed_library: Path) -> Path:
    """A folder whose home has the library of thirty papers, and databases without a row."""
    shutil.copytree(indexed_library, tmp_path / "home" / "libraries" / "main")
    asyncio.run(prepare_databases())
    return tmp_path


def test_the_demonstration_plays_a_whole_conversation(tmp_path: Path) -> None:
    done = command(tmp_path, "demo", "-o", "files")
    stdout = done.stdout
    assert done.returncode == 0, done.stderr
    for part in ("**", "\x1b"):
        assert part not in stdout
    for part in (
        "Keywords",
        "papers from",
        " is now “Dense Retrieval” (was “",
        " Dense Retrieval (",
        "1 Introduction",
        "): For example: ",
        "do not say",
        "The survey as files:",
    ):
        assert part in " ".join(stdout.split())
    written = {path.suffix for path in (tmp_path / "files").iterdir()}
    assert written == {".md", ".html", ".pdf", ".docx", ".zip", ".bib", ".ris", ".json"}


def test_ingest_reports_what_became_of_each_record(tmp_path: Path) -> None:
    path = jsonl(tmp_path, "a.jsonl", papers(5))
    path.write_text(path.read_text() + "\n{broken\n" + json.dumps({"abstract": "no title"}))
    done = command(tmp_path, "ingest", "a.jsonl")
    assert "Rejected: a.jsonl, line 6: not valid JSON" in done.stdout
    assert "Rejected: a.jsonl, line 7: it has no title" in done.stdout
    assert "5 papers added, 0 completed, 0 already there, 2 records rejected" in done.stdout
    assert "The library “main” has 5 papers" in done.stdout
    again = command(tmp_path, "ingest", "a.jsonl")
    assert "0 papers added, 0 completed, 5 already there" in again.stdout


def test_ingest_says_what_is_dropped_and_which_record_has_no_end(tmp_path: Path) -> None:
    record = "TY  - JOUR\nTI  - A Record of {}\nDO  - none\nKW  - things\n"
    (tmp_path / "a.ris").write_text(f"{record.format('Some Things')}ER  - \n{record.format('Its Missing End')}")
    said = " ".join(command(tmp_path, "ingest", "a.ris").stdout.split())
    assert "Read, but check it: a.ris, record 2: its end (ER) is missing" in said
    assert "2 papers added, 0 completed, 0 already there, 0 records rejected" in said
    assert "Of 2 records, could not be read: doi in 2. Of 2 records, not kept: kw in 2." in said


def test_ingest_says_of_a_file_without_records_what_it_is(tmp_path: Path) -> None:
    files = {
        "empty.bib": "",
        "page.bib": "<!DOCTYPE html><html><title>Sign in</title></html>",
        "odd.bib": "nothing here",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = command(tmp_path, "ingest", *files)
    assert done.returncode == 1
    for said in ("empty.bib is empty", "page.bib is a web page", "odd.bib holds no record"):
        assert said in " ".join(done.stdout.split())


def test_ingest_takes_pdfs_and_the_lists_beside_them(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, title in (("memo", "An Unpublished Memo on Dense Passages"), ("other", "A Text That Nobody Knows")):
        (folder / f"{name}.pdf").write_bytes(typst.compile(f"= {title}\n\nAbstract\n\nWe do things.".encode()))
    (folder / "own.bib").write_text("@misc{m, title={An Unpublished Memo on Dense Passages}, author={Ada Author}}")
    os.mkfifo(folder / "pipe.pdf")  # would wait for a writer for ever
    (folder / "folder.pdf").mkdir()
    (folder / "again").symlink_to(folder)
    done = command(tmp_path, "ingest", str(folder), SCHOLIUM_ONLINE="never")
    assert "1 paper added, 0 completed, 0 already there, 1 record rejected" in done.stdout
    assert "The text of 1 paper was read" in done.stdout
    assert "Rejected: other.pdf: I read “other.pdf”, but found no paper" in done.stdout
    assert len(list((tmp_path / "home" / "texts").glob("*.json"))) == 1


def test_ingest_of_a_damaged_file_keeps_what_it_read(tmp_path: Path) -> None:
    source = jsonl(tmp_path, "b.jsonl", papers(300))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(source.read_bytes())[:-1_000])
    done = command(tmp_path, "ingest", "b.jsonl.gz")
    assert "the compressed file is damaged" in done.stdout
    assert done.returncode == 0


def test_an_interrupted_ingest_leaves_a_library_that_can_be_repeated(tmp_path: Path) -> None:
    jsonl(tmp_path, "c.jsonl", papers(500))
    running = process(tmp_path, "ingest", "c.jsonl")
    folder = tmp_path / "home" / "libraries" / "main" / "papers.lance" / "data"
    deadline = time.monotonic() + PATIENCE_S
    while not (folder.exists() and list(folder.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    jsonl(tmp_path, "d.jsonl", papers(20))
    done = command(tmp_path, "ingest", "d.jsonl")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_write_is_the_conversation_with_every_answer_yes(lab: Path) -> None:
    done = command(lab, "write", "dense", "retrieval", "--library", "main", "--yes", "sections=4", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert 'you › survey dense retrieval sections="4"' in done.stdout
    document = next((lab / "out").glob("*.json"))
    assert json.loads(document.read_text())["references"]


@pytest.mark.parametrize(
    ("topic", "arguments", "why"),
    [
        ("x", (), "too short"),
        ("dense retrieval", ("--library", "nowhere"), "There is no library “nowhere”"),
        ("zzyzx quuxly", (), "has no paper"),
        ("dense retrieval", ("--recipe", "magic"), "recipe=magic is not possible"),
        ("dense retrieval", ("--without", "nobody.txt"), "cannot be read"),
    ],
)
def test_write_that_cannot_be_done_says_why_and_fails(
    lab: Path, topic: str, arguments: tuple[str, ...], why: str
) -> None:
    done = command(lab, "write", topic, "--yes", *arguments)
    assert done.returncode == 1
    assert why in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


def test_a_list_of_papers_left_out_may_name_them_by_their_ids_alone(tmp_path: Path) -> None:
    listed = tmp_path / "known.txt"
    listed.write_text("1707.09092\n\nSee https://doi.org/10.1145/3397271.3401075\nSurveys\n")
    assert read_excluded(listed) == "arxiv:1707.09092,doi:10.1145/3397271.3401075,surveys"
    listed.write_text("Attention is all you need\n")
    with pytest.raises(UserError, match="names no DOI and no arXiv id"):
        read_excluded(listed)


def test_a_topic_with_slashes_quotes_and_newlines(lab: Path) -> None:
    done = command(lab, "write", 'dense/"retrieval"\n=with= passage', "--yes", "-o", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(path.parent == lab / "out" for path in (lab / "out").rglob("*"))


def test_chat_reads_piped_lines_and_ends_with_them(lab: Path) -> None:
    done = command(lab, "chat", stdin="survey dense retrieval\n\nok\nstatus\n")
    assert done.returncode == 0, done.stderr
    assert "Step 2 of 4: papers." in " ".join(done.stdout.split())
    assert "Goodbye." in done.stdout


def test_chat_without_a_library_uses_the_bundled_one(tmp_path: Path) -> None:
    done = command(tmp_path, "chat", stdin="help\n")
    assert "I use a small one that comes with Scholium" in " ".join(done.stdout.split())
    assert done.returncode == 0


def test_doctor_says_what_works(lab: Path) -> None:
    nowhere = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "SCHOLIUM_ONLINE": "never"}
    done = command(lab, "doctor", OPENAI_API_KEY="sk-secret-value", **nowhere)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert "✓ library “main”, 30 papers" in said
    assert "✗ language model gpt-4o-mini at http://127.0.0.1:9/v1" in said and "recipe=cluster needs no model" in said
    assert "sk-secret-value" not in done.stdout + done.stderr


def test_online_as_the_library_is_no_mistake(tmp_path: Path) -> None:
    done = command(tmp_path, "doctor", SCHOLIUM_LIBRARY="online")
    assert "papers come from online sources" in done.stdout and "does not exist" not in done.stdout
    refused = command(tmp_path, "ingest", str(jsonl(tmp_path, "a.jsonl", papers(2))), "--library", "online")
    assert refused.returncode == 1 and "cannot be called “online”" in refused.stdout + refused.stderr


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"SCHOLIUM_LIBARY": "x"}, "There is no setting SCHOLIUM_LIBARY"),
        ({"SCHOLIUM_SURVEY_PAPERS": "many"}, "The setting SCHOLIUM_SURVEY_PAPERS is not right"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, settings: dict[str, str], why: str) -> None:
    done = command(tmp_path, "doctor", **settings)
    assert done.returncode == 1
    assert why in done.stderr and done.stderr.count("\n") == 1  # in a log, a sentence is one line
    assert "many" not in done.stderr.replace("SCHOLIUM_MANY", "")


def test_an_unknown_key_in_the_env_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SCHOLIUM_COLOUR=red\n")
    done = command(tmp_path, "doctor")
    assert done.returncode == 1
    assert "There is no setting SCHOLIUM_COLOUR" in " ".join(done.stderr.split())


def test_what_others_read_in_the_env_file_is_left_to_them(tmp_path: Path) -> None:
    others = "POSTGRES_PASSWORD=p\nCHAT_PLATFORM=discord\nOTEL_SERVICE_NAME=lab\n"
    (tmp_path / ".env").write_text(f"{others}SCHOLIUM_LIBRARY=online\n")
    done = command(tmp_path, "doctor")
    assert "papers come from online sources" in done.stdout, done.stderr


def test_models_that_cannot_be_loaded_are_said_and_done_without(lab: Path) -> None:
    models = {"SCHOLIUM_EMBEDDER": "some/model", "SCHOLIUM_CROSS_ENCODER": "other/model"}
    done = command(lab, "chat", stdin="survey dense retrieval\n", **models)
    text = " ".join(done.stdout.split())
    assert text.count("Latent semantic analysis is used instead") == 1
    assert text.count("Papers in doubt are not judged once more") == 1
    assert "Keywords" in text, done.stdout


def test_bench_gather_measures_what_a_survey_gets_and_goes_on_after_a_refusal(lab: Path) -> None:
    wanted = [p.key for p in papers(4)] + ["arxiv:9999.00001"]
    (lab / "gold.json").write_text(json.dumps({"dense retrieval": wanted, "zzyzx quuxly": wanted}))
    done = command(lab, "bench", "gather", "--library", "main", "--gold", "gold.json", "--json")
    result = json.loads(done.stdout)
    found, refused = result["topics"]["dense retrieval"], result["topics"]["zzyzx quuxly"]
    assert found["@300"] == found["search @300"] == 0.8 and not found["refused"]
    assert found["papers"] == found["core"] + found["near"] > 0
    assert refused["refused"] and refused["@300"] == 0
    assert result["mean"]["@300"] == 0.4
    (lab / "bad.json").write_text("[]")
    assert "topic → list of paper ids" in command(lab, "bench", "gather", "--gold", "bad.json").stderr


def test_help_of_every_command(tmp_path: Path) -> None:
    for name in ("chat", "write", "demo", "ingest", "bench", "doctor"):
        assert command(tmp_path, name, "--help").returncode == 0
