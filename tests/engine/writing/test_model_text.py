"""What models put around the prose that was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.writing.model_text import bare_heading, read_prose

PROSE = "Dense retrieval finds passages by meaning [@a:1]. It needs training data [@b:2]."


@pytest.mark.parametrize(
    "answer",
    [
        PROSE,
        f"Certainly! Here is the subsection:\n\n{PROSE}",
        f"<think>First I plan.\n\nThen I write.</think>\n\n{PROSE}",
        f"I plan to write this.</think>{PROSE}",
        f"```markdown\n{PROSE}\n```",
        f"## 2.1 Dense Retrieval\n\n{PROSE}",
        f"**Dense Retrieval**\n\n{PROSE}",
        f"3. Conclusion\n\n{PROSE}",
        f"{PROSE}\n\n**Words:** 712",
        f"{PROSE}\n\nReferences:\n\n[1] Karpukhin et al. Dense Passage Retrieval. 2020.\n[2] Lewis et al. BART. 2020.",
        f"{PROSE}\n\n### References\n- [@a:1] Dense Passage Retrieval",
        f"{PROSE}\n\n---",
        PROSE.replace("passages", "**passages**"),
        f"<p>{PROSE}</p>",
        f"| a | b |\n|---|---|\n| x | y |\n\n{PROSE}",
        PROSE.replace("[@a:1]", '<paper key="a:1">').replace("[@b:2]", "<cite key='b:2'/>"),
        PROSE.replace("[@a:1]", "[[@a:1]](https://a.org/1)"),
        f"<s>{PROSE}</s><|im_end|>",
        f"<|start_header_id|>assistant<|end_header_id|>\n\n{PROSE}<|eot_id|>",
        f"<|channel|>analysis<|message|>We need prose.<|end|><|channel|>final<|message|>{PROSE}",
        f"Assistant: {PROSE}",
        f"Abstract: {PROSE}",
        f"Conclusion. {PROSE}",
        PROSE.replace("[", r"\[").replace("]", r"\]"),
        PROSE.replace("passages", "_passages_"),
        PROSE.replace("passages", "pass\u00adages").replace(" finds", " \u200bfinds"),
    ],
)
def test_only_the_prose_is_kept(answer: str) -> None:
    assert read_prose(answer) == PROSE


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
        ("3. Eletriptan 80 mg against Rizatriptan 10 mg", "Eletriptan 80 mg against Rizatriptan 10 mg"),
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


def test_a_heading_at_the_head_of_its_paragraph_is_left_out() -> None:
    answer = "**Prompting.** Some models are asked.\n\n**Fine-Tuning**: Others are trained. **BM25** is neither."
    assert read_prose(answer) == "Some models are asked.\n\nOthers are trained. BM25 is neither."
