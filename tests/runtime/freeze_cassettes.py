"""Records a cassette of each session that has none among the frozen ones.

Run as `python tests/runtime/freeze_cassettes.py`.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def freeze() -> None:
    """Record what is not frozen yet, in both formats, with what the program saw."""
    from mutation_sessions import SESSIONS
    from test_frozen_cassettes import ENDINGS, frozen_path, in_words, seen_path

    for session in SESSIONS:
        for ending in ENDINGS:
            path = frozen_path(session, ending)
            if not path.exists():
                seen = json.dumps(in_words(session.record(path)), indent=1)
                seen_path(path).write_text(f"{seen}\n", "utf-8")


if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    from wrapping import wrap_package

    WRAPPERS = wrap_package(HERE / "sample")
    freeze()
