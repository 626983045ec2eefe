"""One module per ``c4`` command; the table of them is in :mod:`c4play.cli`."""
