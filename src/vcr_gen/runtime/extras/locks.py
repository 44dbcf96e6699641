"""The application's own locks, for the time of a session.

A test names the objects that have them. Proxies take the place of their locks until the session is
closed, and ask the session before a lock is taken. Nothing is patched globally, and the application
takes its locks as it always did.
"""

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any, Final, Protocol, TypeAlias, final

from vcr_gen.errors import UsageError

__all__ = ["Acquire", "LockGate", "LockRun", "Locks"]

Acquire: TypeAlias = Callable[[bool, float], bool]
"""Really takes a lock: whether to block, and for how long at most."""

_LOCKS: Final = (type(threading.Lock()), type(threading.RLock()))
_MODULES: Final = (threading.__name__, queue.__name__)
"""The modules of classes that are built of locks: conditions, semaphores, events, queues."""


class LockGate(Protocol):
    """What the session decides about a lock."""

    runs: "dict[str, LockRun]"
    """The strand that took each lock last."""

    def know(self, name: str) -> None:
        """Watch a lock from now on."""

    def take(self, name: str, acquire: Acquire, blocking: bool, timeout: float) -> bool:
        """Take a lock in its turn; returns whether it was taken."""


@dataclass(slots=True)
class LockRun:
    """The strand that took a lock last, and how often in a row."""

    strand: str = ""
    times: int = 0


@final
class Locks:
    """The locks that a session watches, and how they are put back."""

    def __init__(self, gate: Callable[[], LockGate]) -> None:
        self._gate = gate
        self._proxies: dict[int, _Proxy] = {}
        self._undo: list[Callable[[], None]] = []
        self._names: dict[str, int] = {}

    def watch(self, owner: object) -> None:
        """Watch every lock that an object, a class or a module has in its attributes."""
        if isinstance(owner, _LOCKS):
            raise UsageError("a lock cannot be watched by itself: name the object that has it")
        name = _name_of(owner)
        if not self._watch_in(owner, name):
            raise UsageError(f"{name} has no locks in its attributes that could be watched")

    def restore(self) -> None:
        """Put every lock back where it was."""
        while self._undo:
            self._undo.pop()()
        self._proxies.clear()

    def _watch_in(self, owner: Any, name: str) -> int:
        found = self._watch_condition(owner, name) if isinstance(owner, threading.Condition) else 0
        for attribute, value in list(_attributes(owner)):
            if isinstance(value, _Proxy):
                found += 1  # another name for a lock that is watched already
            elif isinstance(value, _LOCKS):
                found += 1
                self._replace(owner, attribute, self._proxy(value, f"{name}.{attribute}"))
            elif _is_built_of_locks(value):
                found += self._watch_in(value, f"{name}.{attribute}")
        return found

    def _watch_condition(self, condition: Any, name: str) -> int:
        """Replace the methods that a condition has copied from its lock."""
        lock = condition._lock
        proxy = lock if isinstance(lock, _Proxy) else self._proxy(lock, name)
        for attribute, value in proxy.for_condition().items():
            self._replace(condition, attribute, value)
        return 1

    def _proxy(self, lock: Any, name: str) -> "_Proxy":
        proxy = self._proxies.get(id(lock))
        if proxy is None:
            count = self._names[name] = self._names.get(name, 0) + 1
            numbered = name if count == 1 else f"{name}~{count}"
            proxy = self._proxies[id(lock)] = _Proxy(numbered, lock, self._gate)
            self._gate().know(numbered)
        return proxy

    def _replace(self, owner: Any, attribute: str, value: object) -> None:
        own = vars(owner) if hasattr(owner, "__dict__") else {}
        inherited = attribute not in own and attribute not in _slots(owner)
        before = None if inherited else getattr(owner, attribute)

        def undo() -> None:
            if getattr(owner, attribute, None) != value:
                return  # the application has replaced it meanwhile
            if inherited:
                delattr(owner, attribute)
            else:
                _set(owner, attribute, before)

        _set(owner, attribute, value)
        self._undo.append(undo)


@final
class _Proxy:
    """Takes the place of a lock, and asks the session before it is taken."""

    def __init__(self, name: str, real: Any, gate: Callable[[], LockGate]) -> None:
        self._name = name
        self._real = real
        self._gate = gate
        self._is_reentrant = hasattr(real, "_is_owned")

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self._is_reentrant and self._real._is_owned():
            return bool(self._real.acquire(blocking, timeout))
        return self._gate().take(self._name, self._real.acquire, blocking, timeout)

    def release(self) -> None:
        self._real.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._real.release()

    def locked(self) -> bool:
        return bool(self._real.locked())

    def for_condition(self) -> dict[str, object]:
        """The attributes that a condition copies from its lock."""
        return {
            "_lock": self,
            "acquire": self.acquire,
            "release": self.release,
            "_is_owned": self._is_owned,
            "_release_save": self._release_save,
            "_acquire_restore": self._acquire_restore,
        }

    def _is_owned(self) -> bool:
        return bool(self._real._is_owned() if self._is_reentrant else self._real.locked())

    def _release_save(self) -> Any:
        if self._is_reentrant:
            return self._real._release_save()
        return self._real.release()

    def _acquire_restore(self, state: Any) -> None:
        def restore(_: bool, __: float) -> bool:
            self._real._acquire_restore(state)
            return True

        acquire = restore if self._is_reentrant else self._real.acquire
        self._gate().take(self._name, acquire, True, -1)

    def _at_fork_reinit(self) -> None:
        self._real._at_fork_reinit()


def _attributes(owner: Any) -> Iterator[tuple[str, object]]:
    yield from getattr(owner, "__dict__", {}).items()
    for name in _slots(owner):
        if hasattr(owner, name):
            yield name, getattr(owner, name)


def _slots(owner: object) -> tuple[str, ...]:
    kinds = () if isinstance(owner, type) else type(owner).__mro__
    found = [kind.__dict__.get("__slots__", ()) for kind in kinds]
    names = [name for slots in found for name in ([slots] if isinstance(slots, str) else slots)]
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _set(owner: Any, attribute: str, value: object) -> None:
    if isinstance(owner, type | ModuleType):
        setattr(owner, attribute, value)
    else:  # also where the application's class forbids it: a frozen dataclass
        object.__setattr__(owner, attribute, value)


def _is_built_of_locks(value: object) -> bool:
    return type(value).__module__ in _MODULES and not isinstance(
        value, threading.Thread | threading.local | type | ModuleType
    )


def _name_of(owner: object) -> str:
    if isinstance(owner, ModuleType):
        return owner.__name__
    return owner.__qualname__ if isinstance(owner, type) else type(owner).__qualname__
