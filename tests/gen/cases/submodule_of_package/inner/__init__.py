from . import base as base
