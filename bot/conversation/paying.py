"""Who pays for what is asked of a survey. Pure."""

from __future__ import annotations

from bot.commands.access import Participant, takes_part
from bot.settings import Rules
from bot.store.ledger import Payer
from bot.store.sessions import StoredConversation


def participant_of(stored: StoredConversation, person: str) -> Participant:
    """The person in this conversation."""
    return Participant(stored.conversation, person, stored.owner, stored.invited)


def find_asker(rules: Rules, stored: StoredConversation, person: str) -> str:
    """The person, where they ask about another's survey in which they take no part; else nobody."""
    return person if person and not takes_part(rules, participant_of(stored, person)) else ""


def payer_of(stored: StoredConversation, asker: str = "") -> Payer:
    """The survey's owner; whoever takes no part in it pays for what they ask."""
    of_job = stored.session.job.asker if stored.session.job else ""
    return Payer(stored.session.id, stored.conversation.workspace, asker or of_job or stored.owner)
