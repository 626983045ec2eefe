"""What a person sees: the `c4` command, the terminal board and the web page."""
