"""Draws a picture again; run by `engine.bounded_process`, with the picture on standard input."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from typing import Any, BinaryIO

READ = ("PNG", "JPEG", "GIF", "WEBP")
MOST_PIXELS = 40_000_000
LEAST_SIDE = 120
"""Pixels of the shorter side; what is smaller is a symbol or cannot be read in print."""

LONGEST_SIDE = 1_400
LARGEST_PNG = 400_000
"""Bytes; a larger one is a photograph and is kept as JPEG."""


def serve(arguments: Sequence[str], content: BinaryIO, answer: BinaryIO) -> None:
    """Answer with the `Picture` as JSON, or with nothing where there is none to be drawn."""
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with Image.open(io.BytesIO(content.read()), formats=READ) as picture:
            if picture.width * picture.height > MOST_PIXELS or min(picture.size) < LEAST_SIDE:
                return
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            drawn = _on_white(picture)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError):
        return
    kind, encoded = "png", _encode(drawn, "PNG", optimize=True)
    if len(encoded) > LARGEST_PNG:
        kind, encoded = "jpeg", _encode(drawn, "JPEG", quality=85)
    made = {"kind": kind, "width": drawn.width, "height": drawn.height, "base64": base64.b64encode(encoded).decode()}
    answer.write(json.dumps(made).encode())


def _on_white(picture: Any) -> Any:
    """The picture without transparency, as print and dark pages need it."""
    from PIL import Image

    whole = picture.convert("RGBA")
    ground = Image.new("RGB", whole.size, "white")
    ground.paste(whole, mask=whole.getchannel("A"))
    return ground


def _encode(picture: Any, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()
