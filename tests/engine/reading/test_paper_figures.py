"""Figures of papers: what arXiv's HTML says of them and of the licence, and pictures drawn again."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from engine.errors import UserError
from engine.reading.html_page import from_html
from engine.reading.paper_figures import LEAST_SIDE, LONGEST_SIDE, draw_again, is_reusable, redraw_picture

URL = "https://arxiv.org/html/2001.00001v2"


def figure(number: int, source: str, caption: str = "The encoder.", more: str = "") -> str:
    tag = f'<span class="ltx_tag ltx_tag_figure">Figure {number}: </span>' if number else ""
    return (
        f'<figure class="ltx_figure"><img src="{source}"/>{more}'
        f'<figcaption class="ltx_caption">{tag}{caption}</figcaption></figure>'
    )


def page(figures: str, licence: str = "CC BY 4.0") -> bytes:
    return (
        f'<html><body><div id="license-tr">License: {licence}</div><article class="ltx_document">'
        '<section class="ltx_section"><h2 class="ltx_title">1 Method</h2>'
        '<div class="ltx_para"><p>It has an encoder. Figure&nbsp;1 shows how it reads. Figure 12 is another.</p></div>'
        f"{figures}</section></article></body></html>"
    ).encode()


def test_figures_have_caption_picture_and_the_sentences_that_name_them() -> None:
    text = from_html(page(figure(1, "2001.00001v2/x1.png", "The <b>encoder</b>.")), URL)
    assert text.licence == "CC BY 4.0"
    (found,) = text.figures
    assert (found.number, found.caption) == ("1", "The encoder.")
    assert found.address == "https://arxiv.org/html/2001.00001v2/x1.png"
    assert found.mentions == ("Figure 1 shows how it reads.",)


@pytest.mark.parametrize(
    "shown",
    [
        figure(1, "https://elsewhere.org/x1.png"),
        figure(1, "http://arxiv.org/x1.png"),
        figure(1, "data:image/png;base64,AAAA"),
        figure(0, "x1.png"),
        figure(1, "x1.png", caption=""),
        figure(1, "x1.png", more='<img src="x2.png"/>'),
    ],
)
def test_a_figure_from_elsewhere_without_caption_or_of_several_pictures_is_left_out(shown: str) -> None:
    assert from_html(page(shown), URL).figures == ()


@pytest.mark.parametrize(
    ("licence", "reusable"),
    [
        ("CC BY 4.0", True), ("CC BY-SA 4.0", True), ("CC Zero", True), ("CC BY-NC-SA 4.0", False),
        ("CC BY-NC-ND 4.0", False), ("arXiv.org perpetual non-exclusive license", False), ("No License", False),
        ("", False), ("CC BY 4.0 in part", False),
    ],
)  # fmt: skip
def test_only_licences_that_let_anybody_show_a_work_anywhere(licence: str, *, reusable: bool) -> None:
    assert is_reusable(from_html(page(figure(1, "x1.png"), licence), URL).licence) == reusable


def picture(width: int, height: int, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGBA" if kind == "PNG" else "RGB", (width, height)).save(buffer, kind, **options)
    return buffer.getvalue()


def test_a_picture_is_drawn_again_and_brings_nothing_but_its_pixels() -> None:
    note = PngInfo()
    note.add_text("Comment", "<script>alert(1)</script>")
    drawn = redraw_picture(picture(2 * LONGEST_SIDE, 400, pnginfo=note) + b"<script>trailing</script>")
    content = base64.b64decode(drawn.base64)
    assert (drawn.kind, drawn.width, drawn.height) == ("png", LONGEST_SIDE, 200)
    assert b"script" not in content
    with Image.open(io.BytesIO(content)) as again:
        assert (again.mode, again.getpixel((0, 0))) == ("RGB", (255, 255, 255))


def test_a_photograph_is_kept_as_jpeg() -> None:
    noise = io.BytesIO()
    Image.effect_noise((800, 800), 90).save(noise, "JPEG", quality=95)
    assert draw_again(noise.getvalue()).kind == "jpeg"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", picture(300, 300)[:60], picture(300, LEAST_SIDE - 1),
        picture(300, 300, "TIFF"), b"%PDF-1.7",
        picture(200, 200).replace((200).to_bytes(4, "big"), (60_000).to_bytes(4, "big"), 2),
    ],
)  # fmt: skip
def test_what_is_no_picture_or_a_bomb_is_not_drawn(content: bytes) -> None:
    with pytest.raises(UserError, match="picture is damaged"):
        draw_again(content)


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(UserError, match="picture is damaged"):
        redraw_picture(b"GIF89a")
