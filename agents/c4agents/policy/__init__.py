"""The policy network: what it sees, what it is, its weights on disk, and the agent that plays with it."""
