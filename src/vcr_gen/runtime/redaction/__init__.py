"""Keeps secrets out of what is stored and said: placeholders stand in their place."""

from vcr_gen.runtime.redaction.facts import without_secrets
from vcr_gen.runtime.redaction.finding import DEFAULT_RULES
from vcr_gen.runtime.redaction.secrets import Secrets, hidden, redacting
from vcr_gen.runtime.redaction.settings import Redaction
from vcr_gen.runtime.redaction.standing_in import decode_with_stand_ins
from vcr_gen.runtime.redaction.vault import Vault

__all__ = [
    "DEFAULT_RULES",
    "Redaction",
    "Secrets",
    "Vault",
    "decode_with_stand_ins",
    "hidden",
    "redacting",
    "without_secrets",
]
