"""Suggests what a misspelt word was probably meant to be."""

from collections.abc import Iterable


def closest(word: str, words: Iterable[str]) -> str:
    """The word that was most likely meant, or the empty string."""
    from difflib import get_close_matches  # imported here, as few runs need it

    return next(iter(get_close_matches(word, list(words), n=1, cutoff=0.5)), "")


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """A question to append to a message; empty if no word is near."""
    meant = closest(word, words)
    return f"; did you mean `{meant}`?" if meant else ""
