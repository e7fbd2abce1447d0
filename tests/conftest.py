"""Seeds and Hypothesis profiles for the whole test suite.

A run has one seed: IVME_SEED if it is set, else a random one. It is printed in pytest's header and seeds the
`rng` fixture, Python's global generator before each test, and Hypothesis: the same IVME_SEED repeats the run.
"""

import os
import random
import secrets
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, settings

from ivme_spec.queries import Query

# Worker processes and subprocesses inherit the seed.
SEED = int(os.environ.setdefault("IVME_SEED", str(secrets.randbits(32))))

# Not derandomized, not even in CI: the printed seed repeats a run.
settings.register_profile(
    "dev", settings.get_profile("default"), deadline=None, print_blob=True, derandomize=False, max_examples=50
)
settings.register_profile(
    "ci",
    settings.get_profile("dev"),
    database=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("nightly", settings.get_profile("ci"), max_examples=5_000, stateful_step_count=200)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") == "true" else "dev")
settings.load_profile(PROFILE)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Give Hypothesis our seed, unless --hypothesis-seed gave it one."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(SEED)


def kernel() -> tuple[str, str]:
    """The kernel that runs, and the reason."""
    try:
        import ivme
    except Exception as error:  # the tests of the specification run without it
        return "none", f"ivme does not import: {error}"
    return ivme.kernel, ivme.kernel_reason


def pytest_report_header() -> list[str]:
    return [
        f"seed: IVME_SEED={SEED}, hypothesis profile: {PROFILE}",
        "kernel: {} ({})".format(*kernel()).removesuffix(" ()"),
    ]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked `pure` to the run with the pure kernel: compiled classes cannot be patched."""
    if kernel()[0] == "compiled":
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("pure")])
        items[:] = [item for item in items if not item.get_closest_marker("pure")]


def pytest_make_parametrize_id(val: object) -> str | None:
    """Queries and ε by name in the ids of tests."""
    return val.slug if isinstance(val, Query) else str(val) if isinstance(val, Fraction) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    random.seed(f"global:{SEED}:{item.nodeid}")


@pytest.fixture(scope="session")
def seed() -> int:
    """The run's seed."""
    return SEED


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """The test's own generator, determined by the run's seed and the test's name."""
    return random.Random(f"{SEED}:{request.node.nodeid}")
