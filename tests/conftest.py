"""Lets the tests below import the helpers that lie here, and interrupt what they start."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell ignores interrupts for what it runs in the background, and so would all below it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
