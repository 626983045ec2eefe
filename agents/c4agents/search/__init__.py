"""Search to a depth: plain minimax, alpha-beta, their agents, and pictures of their trees."""
