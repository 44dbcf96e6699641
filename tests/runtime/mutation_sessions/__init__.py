"""Sessions that use every kind of call, as lists of independent steps.

A step takes the wrapper and returns what it saw. Steps can be dropped, repeated and swapped, and
each differs from its neighbours, so that every such change is a change of behaviour.
"""

from mutation_sessions.callbacks import CALLBACKS
from mutation_sessions.calls import CALLS
from mutation_sessions.files import FILES
from mutation_sessions.inbound import INBOUND
from mutation_sessions.kinds import Inbound, Outbound
from mutation_sessions.objects import OBJECTS
from mutation_sessions.streams import STREAMS
from mutation_sessions.threads import THREADS

SESSIONS: tuple[Outbound | Inbound, ...] = (
    *CALLS,
    *STREAMS,
    *OBJECTS,
    *CALLBACKS,
    *FILES,
    *THREADS,
    *INBOUND,
)
