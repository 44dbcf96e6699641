"""The tape: its events, how they are written, stored and read again."""
