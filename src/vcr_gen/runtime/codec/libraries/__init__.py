"""Values of well-known libraries, each stored by two functions.

A class can only occur once the program has imported its library, so nothing is imported here. A
package adds a library of its own with an entry point in the group `vcr_gen.codecs`: its name is the
top-level package of the classes, and it leads to a function like those in this package, which
returns the functions that store a class, or None.
"""
