"""Connect Four in the terminal: the board, the questions, the game, the replay."""
