"""Records a cassette of each concurrent program that has none among the frozen ones.

Run as `python tests/concurrency/freeze_programs.py`.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def freeze() -> None:
    """Record what is not frozen yet, with the log that the program had."""
    from concurrency.frozen_programs import IN_A_LOOP, IN_THREADS
    from concurrency.sessions import record
    from concurrency.test_frozen_programs import frozen_path, seen_path
    from concurrency.thread_sessions import session

    for program in (*IN_A_LOOP, *IN_THREADS):
        path = frozen_path(program)
        if not path.exists():
            in_loop = program in IN_A_LOOP
            log = record(path, program) if in_loop else session(path, "all", program)
            seen_path(path).write_text(f"{json.dumps(log, indent=1)}\n", "utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from wrapping import wrap_package

    WRAPPERS = wrap_package(HERE / "world")
    freeze()
