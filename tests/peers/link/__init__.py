"""Two programs that ask each other: the Protocols, as a package of a user."""
