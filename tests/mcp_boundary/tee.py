"""Runs a command and keeps what is said to it and by it: `tee.py FOLDER COMMAND ...`."""

import os
import subprocess
import sys
import threading

folder, *command = sys.argv[1:]
process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def copy(source: int, target: int, name: str) -> None:
    with open(os.path.join(folder, name), "wb", buffering=0) as kept:
        while piece := os.read(source, 65536):
            kept.write(piece)
            os.write(target, piece)


def to_server() -> None:
    copy(0, process.stdin.fileno(), "said.to")
    process.stdin.close()


threading.Thread(target=to_server, daemon=True).start()
copy(process.stdout.fileno(), 1, "said.by")
sys.exit(process.wait())
