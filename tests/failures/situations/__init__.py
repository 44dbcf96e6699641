"""Every way in which a replay can fail, each in a few lines: what was recorded, what happens now.

A situation raises the error that a user would see; `expected/<name>.txt` has its text. Each module
here has the situations of one topic, and is found because it lies here.
"""

import importlib
import pkgutil

from situations.staging import SITUATIONS, TAPE

__all__ = ["SITUATIONS", "TAPE"]

for _topic in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_topic.name}")
