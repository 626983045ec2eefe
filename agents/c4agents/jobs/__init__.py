"""Work in batches: here, on this machine's cores, or on a Ray cluster, with the same results in the same order."""

from c4agents.jobs.crew import Crew, Tally

__all__ = ["Crew", "Tally"]
