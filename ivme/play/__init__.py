"""`ivme play`: a page for teaching, live from the real engine, served on loopback only."""

from ivme.play.demo import Demo
from ivme.play.server import PlayServer

__all__ = ["Demo", "PlayServer"]
