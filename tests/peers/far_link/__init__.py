"""The far end of `link`: the same boundaries, seen by the server."""
