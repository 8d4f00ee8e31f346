"""What models put around the prose that was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import all_sentences, split_sentences
from engine.writing.model_headings import bare_heading
from engine.writing.model_text import read_prose

PROSE = "Dense retrieval finds passages by meaning [@a:1]. It needs training data [@b:2]."


@pytest.mark.parametrize(
    "answer",
    [
        PROSE,
        f"Certainly! Here is the subsection:\n\n{PROSE}",
        f"Sure, here's the text: {PROSE}",
        f"Here is the subsection you asked for.\n\n{PROSE}",
        f"<think>First I plan.\n\nThen I write.</think>\n\n{PROSE}",
        f"I plan to write this.</think>{PROSE}",
        f"```markdown\n{PROSE}\n```",
        f"## 2.1 Dense Retrieval\n\n{PROSE}",
        f"**Dense Retrieval**\n\n{PROSE}",
        f"3. Conclusion\n\n{PROSE}",
        f"Dense Retrieval\n==============\n\n{PROSE}",
        f"{PROSE}\n\n(Word count: 712)",
        f"{PROSE}\n\nWord count: approximately 712 words",
        f"{PROSE}\n\n**Words:** 712",
        f"{PROSE}\n\nReferences:\n\n[1] Karpukhin et al. Dense Passage Retrieval. 2020.\n[2] Lewis et al. BART. 2020.",
        f"{PROSE}\n\n### References\n- [@a:1] Dense Passage Retrieval",
        f"{PROSE}\n\nI hope this helps!",
        f"{PROSE}\n\nLet me know if you would like me to expand it.",
        f"{PROSE}\n\n---",
        '{"text": "' + PROSE + '"}',
        PROSE.replace("passages", "**passages**"),
        f"<p>{PROSE}</p>",
        f"| a | b |\n|---|---|\n| x | y |\n\n{PROSE}",
        PROSE.replace("[@a:1]", '<paper key="a:1">').replace("[@b:2]", "<cite>b:2</cite>"),
        PROSE.replace("[@a:1]", "[[@a:1]](https://a.org/1)"),
        f"<s>{PROSE}</s><|im_end|>",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{PROSE}<|eot_id|>",
        f"<|channel|>analysis<|message|>We need prose.<|end|><|channel|>final<|message|>{PROSE}",
        f"Assistant: {PROSE}",
        f"Abstract: {PROSE}",
        f"Conclusion. {PROSE}",
        '<tool_call>{"name": "search", "arguments": {"q": "surveys"}}</tool_call>\n' + PROSE,
        '{"name": "search", "arguments": {"query": "surveys"}}\n\n' + PROSE,
        f"<reply>\n<title>Methods</title>\n{PROSE}\n</reply>",
        r"\subsection{Methods}" + "\n" + PROSE.replace("passages", r"\textbf{passages}"),
        PROSE.replace("[", r"\[").replace("]", r"\]"),
        rf"\n\n{PROSE}\n",
        PROSE.replace("passages", "_passages_"),
        PROSE.replace("passages", "pass\u00adages").replace(" finds", " \u200bfinds"),
        f"🔍 {PROSE} ✅",
        PROSE.replace(" [@a:1]", " (Author, Year) <@a:1>"),
    ],
)
def test_only_the_prose_is_kept(answer: str) -> None:
    assert read_prose(answer) == PROSE


def test_sentences_of_a_json_answer_keep_the_keys_that_stand_beside_them() -> None:
    answer = (
        '[{"sentence": "Dense retrieval finds passages by meaning.", "citations": ["a:1", "b:2"]}, {"note": "short"}]'
    )
    assert read_prose(answer) == "Dense retrieval finds passages by meaning. [@a:1] [@b:2]"


def test_a_source_on_a_line_below_belongs_to_the_sentence_above() -> None:
    assert read_prose("Dense retrieval needs data.\n\nSources: [@a:1]") == "Dense retrieval needs data [@a:1]."


def test_underscores_of_keys_and_names_stay() -> None:
    text = "IoU_thin and F_score are named [@corl2022:_8DoIe8] and used [@b:2_]."
    assert read_prose(text) == text


def test_a_list_becomes_sentences() -> None:
    answer = "Two lines stand out:\n- dense retrieval [@a:1]\n- **sparse** retrieval [@b:2];\n\nBoth are used."
    expected = "Two lines stand out. dense retrieval [@a:1]. sparse retrieval [@b:2].\n\nBoth are used."
    assert read_prose(answer) == expected


def test_an_item_that_has_the_heading_of_its_part_stays() -> None:
    assert (
        read_prose("- Dense retrieval [@a:1]\n- Late [@b:2]", "Dense Retrieval")
        == "Dense retrieval [@a:1]. Late [@b:2]."
    )


@pytest.mark.parametrize(
    "written",
    [
        "It helps [insert citation] [@a:1].",
        "It helps (citation needed) [@a:1].",
        "It helps [@a:1]([link](https://example.org/a)).",
        "It helps[^1] [@a:1].\n\n[^1]: See the paper.",
    ],
)
def test_places_left_open_links_and_empty_notes_go(written: str) -> None:
    assert read_prose(written) == "It helps [@a:1]."


def test_what_footnotes_hold_stands_where_their_marks_are() -> None:
    assert (
        read_prose("It helps.[^1] It needs data.[^x]\n\n[^1]: @a:1\n[^x]: @b:2")
        == "It helps.[@a:1] It needs data.[@b:2]"
    )


def test_entities_are_unescaped_once() -> None:
    assert read_prose("Q&amp;A with R&amp;D, a &lt; b, and &amp;amp; stays.") == "Q&A with R&D, a < b, and &amp; stays."


def test_a_sentence_that_only_begins_like_chat_stays() -> None:
    text = "Here is where dense retrieval helps [@a:1]. Note that it is slow [@b:2]."
    assert read_prose(text) == text


@pytest.mark.parametrize(
    ("said", "heading"),
    [
        ("3. Conclusion", "Conclusion"),
        ("3.1 Dense Retrieval", "Dense Retrieval"),
        ("**IV. Results**", "Results"),
        ("Section 2: Methods", "Methods"),
        ("“Background”", "Background"),
        ("3D Reconstruction", "3D Reconstruction"),
        ("Q&amp;A Systems", "Q&A Systems"),
        ("Dense Retrieval. It always beats BM25 [@a:1].", "Dense Retrieval"),
        ("Retrieval [@a:1; @b:2] in Practice", "Retrieval in Practice"),
    ],
)
def test_a_heading_loses_its_number_and_its_marks(said: str, heading: str) -> None:
    assert bare_heading(said) == heading


@given(st.text(max_size=300))
def test_any_answer_can_be_read(text: str) -> None:
    assert isinstance(read_prose(text), str)


@pytest.mark.parametrize("between", ["\n", "\n\n", " "])
def test_a_key_without_a_full_stop_ends_its_sentence_where_another_begins(between: str) -> None:
    said = f"Trees help [@arxiv:1][@arxiv:3]{between}They need no labels [@arxiv:2]."
    assert [len(paragraph) for paragraph in split_sentences(read_prose(said))] == ([1, 1] if "\n\n" in between else [2])
    assert len(all_sentences(read_prose("As in TreeNet [@arxiv:1] BERT reads both ways [@arxiv:2]."))) == 1


def test_a_heading_at_the_head_of_its_paragraph_is_left_out() -> None:
    answer = "**Prompting.** Some models are asked.\n\n**Fine-Tuning**: Others are trained. **BM25** is neither."
    assert read_prose(answer) == "Some models are asked.\n\nOthers are trained. BM25 is neither."
