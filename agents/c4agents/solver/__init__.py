"""The perfect solver: exact scores by search, the opening book, and the agent that plays by them."""

from c4agents.solver.agent import SolverAgent
from c4agents.solver.book import Book, BookError
from c4agents.solver.engine import SearchLimit
from c4agents.solver.solver import NO_SCORE, Solver

__all__ = ["NO_SCORE", "Book", "BookError", "SearchLimit", "Solver", "SolverAgent"]
