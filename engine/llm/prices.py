"""What models cost: US dollars for a million tokens, with date and source of each figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.errors import UserError


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million input and output tokens; ``as_of`` is an ISO date."""

    input: float
    output: float
    as_of: str
    source: str

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Dollars for so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


TO_THE_CENT = 0.1
"""Dollars; of smaller amounts two digits are written, wherever they stand."""


def word_dollars(amount: float) -> str:
    """An amount as people read it: ``$2.50``, ``$0.014``, ``$0.000001``."""
    if amount == 0 or amount >= TO_THE_CENT:
        return f"${amount:.2f}"
    return f"${float(f'{amount:.2g}'):.6f}".rstrip("0").rstrip(".")


_PAPER = "AutoSurvey, appendix on cost; its Table 7 follows from these"
_OPENAI = "OpenAI's price list, as public price tables repeat it"
_ANTHROPIC = "Anthropic's price list, as public price tables repeat it"

PUBLISHED: dict[str, Price] = {
    "claude-3-haiku-20240307": Price(0.25, 1.25, "2024-03-13", _PAPER),
    "claude-3-5-haiku": Price(0.80, 4.0, "2024-12-05", _ANTHROPIC),
    "claude-3-5-sonnet": Price(3.0, 15.0, "2024-10-22", _ANTHROPIC),
    "claude-3-7-sonnet": Price(3.0, 15.0, "2025-02-24", _ANTHROPIC),
    "claude-haiku-4-5": Price(1.0, 5.0, "2026-06-01", _ANTHROPIC),
    "claude-opus-4": Price(15.0, 75.0, "2025-05-22", _ANTHROPIC),
    "claude-opus-4-1": Price(15.0, 75.0, "2025-08-05", _ANTHROPIC),
    "claude-opus-4-5": Price(5.0, 25.0, "2026-03-21", _ANTHROPIC),
    "claude-opus-4-6": Price(5.0, 25.0, "2026-03-21", _ANTHROPIC),
    "claude-opus-4-7": Price(5.0, 25.0, "2026-05-01", _ANTHROPIC),
    "claude-opus-4-8": Price(5.0, 25.0, "2026-06-01", _ANTHROPIC),
    "claude-sonnet-4": Price(3.0, 15.0, "2026-03-21", _ANTHROPIC),
    "claude-sonnet-4-5": Price(3.0, 15.0, "2026-03-21", _ANTHROPIC),
    "claude-sonnet-4-6": Price(3.0, 15.0, "2026-06-01", _ANTHROPIC),
    "gemini-1.5-pro": Price(3.5, 10.5, "2024-05-14", _PAPER),
    "gpt-4-0125-preview": Price(10.0, 30.0, "2024-01-25", _PAPER),
    "gpt-4.1": Price(2.0, 8.0, "2025-04-14", _OPENAI),
    "gpt-4.1-mini": Price(0.40, 1.60, "2025-04-14", _OPENAI),
    "gpt-4.1-nano": Price(0.10, 0.40, "2025-04-14", _OPENAI),
    "gpt-4o": Price(2.5, 10.0, "2024-10-02", _OPENAI),
    "gpt-4o-mini": Price(0.15, 0.60, "2024-07-18", _OPENAI),
    "gpt-5": Price(1.25, 10.0, "2026-02-01", _OPENAI),
    "gpt-5-mini": Price(0.25, 2.0, "2026-02-01", _OPENAI),
    "gpt-5-nano": Price(0.05, 0.40, "2026-02-01", _OPENAI),
    "gpt-5.1": Price(1.25, 10.0, "2026-02-01", _OPENAI),
    "gpt-5.2": Price(1.75, 14.0, "2026-02-01", _OPENAI),
    "o3": Price(2.0, 8.0, "2025-06-10", _OPENAI),
    "o4-mini": Price(1.10, 4.40, "2025-04-16", _OPENAI),
}


@dataclass(frozen=True)
class PriceList:
    """The published prices and those of the settings, which come first."""

    own: Mapping[str, Price] = field(default_factory=dict)

    def find(self, model: str) -> Price | None:
        """The price of a model or of the dated version it begins with; ``None`` where it is not known."""
        prices = {**PUBLISHED, **self.own}
        if model in prices:
            return prices[model]
        fitting = [name for name in prices if model.startswith(f"{name}-20")]
        return prices[max(fitting, key=len)] if fitting else None

    def cost(self, model: str, input_tokens: int, output_tokens: int) -> float:
        """Dollars for so many tokens of a model; 0 where its price is not known."""
        price = self.find(model)
        return price.cost(input_tokens, output_tokens) if price else 0.0

    def require(self, model: str) -> Price:
        """The price of a model whose use a budget in dollars bounds.

        Raises `UserError` where it is not known: a budget that cannot be kept is not accepted.
        """
        price = self.find(model)
        if price is None:
            raise UserError(
                f"I do not know what the model {model} costs, so I cannot keep a budget in dollars. Set "
                f'SCHOLIUM_PRICES={{"{model}": [DOLLARS, DOLLARS]}} (for a million tokens read, and written), '
                "or give the budget in tokens: budget=500k"
            )
        return price


PUBLISHED_PRICES = PriceList()
"""The price list where the settings add nothing."""
