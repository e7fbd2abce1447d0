"""The engine passes the battery; tests/planted checks that it finds planted bugs."""

from tests.agreement.battery import battery


def test_the_engine_passes() -> None:
    battery()
