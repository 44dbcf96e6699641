from typing import Protocol

x = = 3
