"""Writes the golden files anew: `python tests/gen/update_golden.py`, then read the diff."""

import shutil

from gen_projects import GOLDEN, REJECTED, golden_files, messages


def main() -> None:
    """Replace every expectation by what is generated now."""
    files = golden_files()
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for name, text in files.items():
        path = GOLDEN / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for folder in sorted(REJECTED.iterdir()):
        (folder / "messages.txt").write_text(messages(folder), encoding="utf-8")


if __name__ == "__main__":
    main()
