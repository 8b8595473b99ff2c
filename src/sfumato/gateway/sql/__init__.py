"""The query compiler: turns a user's SQL into SQL that reads masked relations only.

`reading` parses and limits the text, `compiling` is the entry point, and the other modules compile one kind of syntax
tree node each. Everything is an allowlist: a node, argument or conversion that is not listed is refused, because an
engine might read it differently or expose a value that the purpose hides.
"""
