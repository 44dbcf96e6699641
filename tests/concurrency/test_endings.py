"""Real programs that wait for ever once the divergence has ended a thread of theirs: all end."""

import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

LIMIT = 30.0
"""Seconds in which a program ends that would never do so by itself, on a busy machine."""

START = """
import asyncio, concurrent.futures, multiprocessing, queue, signal, sys, threading, time
from vcr_world.ports import VcrWorld
from world.real import RealWorld
from vcr_gen import Cassette

TAPE = sys.argv[1]

def open_tape(mode):
    return Cassette(TAPE, mode, patience=0.2)

def in_thread(function, *arguments, daemon=True):
    thread = threading.Thread(target=function, args=arguments, daemon=daemon)
    thread.start()
    return thread

def asked(world, key):
    answers = queue.Queue()
    in_thread(lambda: answers.put(world.peek(key)))
    return answers

async def told_by_a_thread(world, key):
    loop = asyncio.get_running_loop()
    answer = loop.create_future()
    in_thread(lambda: loop.call_soon_threadsafe(answer.set_result, world.peek(key)))
    await answer
"""

END = """
session("all", "a")
print("recorded", flush=True)
session("none", "b")
"""

IN_A_LOOP = """
def session(mode, key):
    async def main():
        with open_tape(mode) as cassette:
            world = VcrWorld.attach(cassette, RealWorld)
            await world.fetch("first")
            await program(world, key)
    asyncio.run(main())
"""

OUTSIDE = """
def session(mode, key):
    with open_tape(mode) as cassette:
        program(VcrWorld.attach(cassette, RealWorld), key)
"""

ASYNCHRONOUS = {
    "a queue in a coroutine": """
        async def program(world, key):
            asked(world, key).get()
        """,
    "a queue in another task than the cassette's": """
        async def program(world, key):
            async def other():
                asked(world, key).get()
            await asyncio.create_task(other())
        """,
    "the result of a future of its own": """
        async def program(world, key):
            answer = concurrent.futures.Future()
            in_thread(lambda: answer.set_result(world.peek(key)))
            answer.result()
        """,
    "concurrent.futures.wait": """
        async def program(world, key):
            answer = concurrent.futures.Future()
            in_thread(lambda: answer.set_result(world.peek(key)))
            concurrent.futures.wait([answer])
        """,
    "a callback of the loop that the loop's own handler swallows": """
        async def program(world, key):
            done = asyncio.Event()
            def call_back():
                asked(world, key).get()
                done.set()
            asyncio.get_running_loop().call_soon(call_back)
            await done.wait()
        """,
    "a lock that a thread took with it": """
        async def program(world, key):
            lock, taken = threading.Lock(), threading.Event()
            def work():
                lock.acquire()
                taken.set()
                world.peek(key)
                lock.release()
            in_thread(work)
            taken.wait()
            lock.acquire()
        """,
    "a queue, again and again, whatever comes": """
        async def program(world, key):
            answers = asked(world, key)
            while True:
                try:
                    answers.get()
                    return
                except BaseException:
                    pass
        """,
}

SYNCHRONOUS = {
    "a loop that has nothing of the session": """
        def program(world, key):
            asyncio.run(told_by_a_thread(world, key))
        """,
    "a simple queue": """
        def program(world, key):
            answers = queue.SimpleQueue()
            in_thread(lambda: answers.put(world.peek(key)))
            answers.get()
        """,
    "a queue, where the program has a handler for Ctrl-C": """
        def program(world, key):
            signal.signal(signal.SIGINT, lambda *_: None)
            asked(world, key).get()
        """,
    "a process that never hears of it": """
        def answer(pipe):
            pipe.send(pipe.recv())

        def program(world, key):
            ours, theirs = multiprocessing.get_context("fork").Pipe()
            process = multiprocessing.get_context("fork").Process(
                target=answer, args=(theirs,), daemon=True)
            process.start()
            in_thread(lambda: ours.send(world.peek(key)))
            process.join()
        """,
    "a sleep of its own, again and again": """
        def program(world, key):
            answers = asked(world, key)
            while answers.empty():
                try:
                    time.sleep(0.01)
                except BaseException:
                    pass
        """,
    "nothing: it looks again and again, whatever comes": """
        def program(world, key):
            answers = asked(world, key)
            while True:
                try:
                    answers.get_nowait()
                    break
                except BaseException:
                    continue
        """,
    "an answer that it asks for again and again, whatever comes": """
        def program(world, key):
            while True:
                try:
                    world.peek(key)
                    break
                except BaseException:
                    pass
        """,
    "the same at every level": """
        def again(function):
            while True:
                try:
                    return function()
                except BaseException:
                    pass

        def program(world, key):
            answers = asked(world, key)
            again(lambda: again(lambda: again(answers.get)))
        """,
    "uvloop, which has nothing of the session": """
        def program(world, key):
            import uvloop
            uvloop.run(told_by_a_thread(world, key))
        """,
    "a task of uvloop that is blocked": """
        def program(world, key):
            import uvloop
            async def main():
                await world.fetch("first")
                asked(world, key).get()
            uvloop.run(main())
        """,
    "a task of trio that is blocked": """
        def program(world, key):
            import trio
            async def main():
                asked(world, key).get()
            trio.run(main)
        """,
    "trio, which has nothing of the session": """
        def program(world, key):
            import trio
            async def main():
                token, done = trio.lowlevel.current_trio_token(), trio.Event()
                def work():
                    world.peek(key)
                    token.run_sync_soon(done.set)
                in_thread(work)
                await done.wait()
            trio.run(main)
        """,
}

_RAISED = r"call last\):\n  File .*, in <module>\n"
"""The main thread ended with a traceback."""

NOT_ENDED = {
    "a thread that waits itself": (
        IN_A_LOOP,
        """
        async def program(world, key):
            in_thread(lambda: asked(world, key).get(), daemon=False).join()
        """,
        _RAISED,
    ),
    "a pool whose jobs wait for each other": (
        OUTSIDE,
        """
        def program(world, key):
            answers = queue.Queue()
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                pool.submit(answers.get)
                pool.submit(lambda: answers.put(world.peek(key)))
        """,
        _RAISED,
    ),
    "a loop in another thread that waits for a thread": (
        OUTSIDE,
        """
        def program(world, key):
            async def main():
                asked(world, key).get()
            in_thread(asyncio.run, main(), daemon=False).join()
        """,
        _RAISED,
    ),
    "a thread that it leaves behind": (
        OUTSIDE,
        """
        def program(world, key):
            work = queue.Queue()
            in_thread(work.get, daemon=False)
            work.put(world.peek(key))
        """,
        _RAISED,
    ),
    "a thread that has the whole session": (
        OUTSIDE,
        """
        def program(world, key):
            asked(world, key).get()

        def session(mode, key):
            def whole():
                with open_tape(mode) as cassette:
                    program(VcrWorld.attach(cassette, RealWorld), key)
            in_thread(whole, daemon=False).join()
            if mode == "none":
                sys.exit(1)
        """,
        "in whole\n",
    ),
}
"""Programs whose stuck thread is not the main one, and may keep the process alive.

Each with what it has reported by then.
"""


def run(program: str, tape: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program of its own, with the wrappers of this one, and end it after a while."""
    return subprocess.run(
        command(program, tape),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def command(program: str, tape: Path) -> list[str]:
    file = tape.with_suffix(".py")
    file.write_text(program, encoding="utf-8")
    return [sys.executable, "-W", "ignore", str(file), str(tape)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def ends(session: str, program: str, tape: Path) -> None:
    ended = run(f"{START}{session}{textwrap.dedent(program)}{END}", tape)
    assert ended.stdout == "recorded\n", ended.stderr
    assert ended.returncode == 1, ended.stderr
    assert "DivergenceError: World.peek was called with different arguments" in ended.stderr
    assert "KeyboardInterrupt" not in ended.stderr


@pytest.mark.parametrize("program", ASYNCHRONOUS.values(), ids=ASYNCHRONOUS)
def test_a_loop_that_is_blocked_by_a_wait_for(program: str, tape: Path) -> None:
    ends(IN_A_LOOP, program, tape)


@pytest.mark.parametrize("program", SYNCHRONOUS.values(), ids=SYNCHRONOUS)
def test_a_program_that_waits_for(program: str, tape: Path) -> None:
    ends(OUTSIDE, program, tape)


@pytest.mark.parametrize(("session", "program", "reported"), NOT_ENDED.values(), ids=NOT_ENDED)
def test_a_process_that_its_own_thread_keeps_alive_has_reported_it(
    session: str, program: str, reported: str, tape: Path
) -> None:
    text = f"{START}{session}{textwrap.dedent(program)}{END}"
    said = tape.with_suffix(".txt")
    with (
        said.open("w") as stderr,
        subprocess.Popen(command(text, tape), env=environment(), stderr=stderr) as process,
    ):
        until = time.monotonic() + LIMIT
        try:
            while not re.search(reported, said.read_text("utf-8")):
                assert time.monotonic() < until, said.read_text("utf-8")
                time.sleep(0.05)
        finally:
            process.kill()
