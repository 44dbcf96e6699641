"""Replaces secrets by placeholders in everything that is stored or printed."""

from vcr_gen.runtime.privacy.redaction import DEFAULT_RULES, Redaction
from vcr_gen.runtime.privacy.secrets import Secrets, hidden, hidden_in, redacting, without_secrets
from vcr_gen.runtime.privacy.structure import as_bytes, is_binary, text_of
from vcr_gen.runtime.privacy.vault import Vault, decode_with_typed_placeholders

__all__ = [
    "DEFAULT_RULES",
    "Redaction",
    "Secrets",
    "Vault",
    "as_bytes",
    "decode_with_typed_placeholders",
    "hidden",
    "hidden_in",
    "is_binary",
    "redacting",
    "text_of",
    "without_secrets",
]
