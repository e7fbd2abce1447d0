"""The engine as it is passes the battery; tests/planted has what the battery finds."""

from tests.agreement.battery import battery


def test_the_engine_passes() -> None:
    battery()
