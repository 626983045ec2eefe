"""Bots, search, the perfect solver, the policy network and the arena."""
