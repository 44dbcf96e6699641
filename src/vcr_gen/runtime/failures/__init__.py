"""The messages of failures: what differs, where, why, and what to do about it."""
