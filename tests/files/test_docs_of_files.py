"""The page about cassette files says what is so."""

import re
from pathlib import Path

import pytest
from cassette_values import YAML, read

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import HEADER_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "cassette-files.md").read_text()


def test_the_example_on_the_page_is_a_cassette_as_we_write_it():
    found = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    header, event, _ = read(YAML, found[1].encode())
    written = YAML.header(header.data) + YAML.event(event.data) + YAML.end({"events": 1})
    assert written.decode() == found[1]


def test_every_header_key_is_on_the_page():
    assert [key for key in HEADER_KEYS[1:] if f"`{key}`" not in PAGE] == []


def test_every_word_the_page_calls_refused_is_refused():
    words = re.search(r"differently are refused: (.*?), an empty value", PAGE, re.DOTALL)
    assert words is not None
    for word in re.findall("`(.*?)`", words[1]):
        with pytest.raises(CassetteFormatError, match="text to some YAML readers"):
            read(YAML, f"vcr-gen: 1\nevents:\n- a: {word}\nend:\n  events: 1\n".encode())
