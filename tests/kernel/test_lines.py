"""Lines in the arena are dicts, and give back what they take."""

from random import Random

import pytest

import ivme

pytestmark = pytest.mark.skipif(
    ivme.kernel != "compiled", reason="the compact storage belongs to the compiled kernel"
)

LARGE = (1, 1, 1, 2, -5, (1 << 31) - 1, 1 << 31, -(1 << 31), 1 << 61, -(1 << 90))


@pytest.mark.parametrize("domain", [3, 20, 300])
@pytest.mark.parametrize("choices", [LARGE[:3], LARGE], ids=["ones", "large"])
def test_a_line_is_a_dict(domain: int, choices: tuple[int, ...], rng: Random) -> None:
    """Entries come, change and go, in two lines at once; multiples are added, and the gaps closed."""
    from ivme.kernel.storage.compact.lines import RECORD, Lines

    lines = Lines()
    for x in range(5):
        lines.reserve(x)
    places = RECORD, 2 * RECORD + 6
    models: list[dict[int, int]] = [{}, {}]
    for step in range(3000):
        which = rng.randrange(2)
        line, model, key = places[which], models[which], rng.randrange(1, domain)
        if rng.random() < 0.01:
            factor, other = rng.choice((1, -1, 3)), models[1 - which]
            before = len(model)
            for z, m in other.items():
                model[z] = model.get(z, 0) + factor * m
            models[which] = model = {z: m for z, m in model.items() if m}
            assert lines.add_multiple(line, places[1 - which], factor) == len(model) - before
        elif rng.random() < 0.01:
            assert lines.clear(line) == len(model)
            model.clear()
        elif rng.random() < 0.7 - 0.4 * (step // 500 % 2):
            m = rng.choice(choices)
            lines.change(line, key, m - model.get(key, 0))
            model[key] = m
        elif key in model:
            lines.drop(line, key)
            del model[key]
        assert lines.get(line, key) == model.get(key)
        assert lines.length(line) == len(model)
        if step % 50 == 0:
            for place, expected in zip(places, models, strict=True):
                assert dict(lines.items(place)) == expected
                assert sorted(lines.keys(place)) == sorted(expected)
                assert lines.damage(place) == ""
    for place in places:
        lines.clear(place)
    assert lines.used == 0
    assert lines.beyond == {}


def test_an_arena_of_gaps_is_compacted() -> None:
    from ivme.kernel.storage.compact.lines import RECORD, Lines

    lines = Lines()
    for x in range(200):
        lines.reserve(x)
        for key in range(1, 41):
            lines.add(RECORD * x, key, x + 1)
    for x in range(200):
        if x % 20:
            lines.clear(RECORD * x)
    before = len(lines.cells)
    lines.compact()
    assert 4 * len(lines.cells) < before
    for x in range(0, 200, 20):
        assert dict(lines.items(RECORD * x)) == dict.fromkeys(range(1, 41), x + 1)
        lines.clear(RECORD * x)
    assert lines.used == 0
