"""The generator: annotated Protocols in, wrappers out.

The rooms, in the order in which a run goes through them:

    settings      `[tool.vcr-gen]` becomes a `Config`
    sources       source text becomes modules and names; nothing is ever imported
    types         what annotations and defaults mean, and how another module can say the same
    protocols     finds Protocols and reads them into the model
    model         what was read, without syntax trees: all that the writing half knows
    wrappers      the model becomes views: what a generated module says, name by name
    rendering     views become text, by the templates, and are formatted
    output        text becomes files: what is ours, what must change, and the writing itself

Around them: `pipeline` goes through all of these in one pass, skips it when nothing has changed,
and compares wrappers on disk with their Protocols (`vcr-gen verify`); `rewrite` writes people's own
source: a Protocol taken from a class, a mark on a Protocol. Imports between rooms point one way,
and what writes never sees the parser (`.importlinter`).
"""
