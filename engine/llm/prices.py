"""What models cost: US dollars for a million tokens, with date and source of each figure."""

from __future__ import annotations

from dataclasses import dataclass


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


_PAPER = "AutoSurvey, appendix on cost; its Table 7 follows from these"

PRICES: dict[str, Price] = {
    "claude-3-haiku-20240307": Price(0.25, 1.25, "2024-03-13", _PAPER),
    "gemini-1.5-pro": Price(3.5, 10.5, "2024-05-14", _PAPER),
    "gpt-4-0125-preview": Price(10.0, 30.0, "2024-01-25", _PAPER),
    "gpt-4o": Price(2.5, 10.0, "2024-10-02", "OpenAI's price list"),
    "gpt-4o-mini": Price(0.15, 0.60, "2024-07-18", "OpenAI's price list"),
}
"""A model that is not here is counted in tokens only, and the person is told."""


def price_of(model: str) -> Price | None:
    """The price of a model or of the dated version it begins with; ``None`` where it is not known."""
    if model in PRICES:
        return PRICES[model]
    fitting = [name for name in PRICES if model.startswith(f"{name}-20")]
    return PRICES[max(fitting, key=len)] if fitting else None


def cost_of(model: str, input_tokens: int, output_tokens: int) -> float:
    """Dollars for so many tokens of a model; 0 where its price is not known."""
    price = price_of(model)
    return price.cost(input_tokens, output_tokens) if price else 0.0
