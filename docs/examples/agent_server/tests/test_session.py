"""The recorded session, replayed: all of the server's own code runs, nothing else does.

`VCR_RECORD=1 pytest` records it again.
"""

import asyncio
import os
import shutil
from pathlib import Path

from session import run_session

PROJECT = Path(__file__).parent.parent


def test_the_server_still_does_what_was_recorded(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    if os.environ.get("VCR_RECORD"):
        shutil.copytree(PROJECT / "workspace", workspace)
    cassette = PROJECT / "cassettes" / "release.yaml"

    asyncio.run(run_session(cassette, workspace=workspace))
