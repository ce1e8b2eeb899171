"""Records behave as named tuples, before and after they have a constructor of their own."""

from __future__ import annotations

import copy
import pickle
from typing import Any, get_type_hints

import pytest

from awrlens.lazy import NamedTuple


class Wait(NamedTuple):
    """A wait event."""

    name: str
    seconds: float = 0.0
    waits: int | None = None

    @property
    def each_s(self) -> float:
        """The average."""
        return self.seconds / (self.waits or 1)


def test_every_object_has_its_values_and_defaults() -> None:
    for _ in range(2):  # the first one makes the constructor
        assert Wait("log file sync", waits=2, seconds=3.0) == ("log file sync", 3.0, 2)
        assert Wait("log file sync") == ("log file sync", 0.0, None)
        assert Wait("log file sync", 3.0, 2).each_s == 1.5


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {}),
        (("a", 1.0, 2, 3), {}),
        (("a",), {"name": "b"}),
        (("a",), {"unknown": 1}),
        ((), {"seconds": 1.0, "unknown": 1}),
    ],
    ids=["none", "too many", "twice", "unknown", "unknown for another"],
)
def test_values_that_do_not_fit_are_an_error(
    values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    class Fresh(NamedTuple):
        name: str
        seconds: float = 0.0
        waits: int | None = None

    for made in (Fresh, Wait):  # without its constructor, and with it
        with pytest.raises(TypeError):
            made(*values, **named)


def test_a_record_is_replaced_copied_pickled_and_shown() -> None:
    wait = Wait("log file sync", 3.0, 2)

    assert wait._replace(waits=3) == ("log file sync", 3.0, 3)
    assert wait._asdict() == {"name": "log file sync", "seconds": 3.0, "waits": 2}
    assert list(get_type_hints(Wait)) == ["name", "seconds", "waits"]
    assert type(copy.copy(wait)) is Wait
    assert pickle.loads(pickle.dumps(wait)) == wait  # noqa: S301 - our own
    assert repr(wait) == "Wait(name='log file sync', seconds=3.0, waits=2)"
    with pytest.raises(ValueError, match="unknown"):
        wait._replace(unknown=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="3"):
        Wait._make(["log file sync"])
    with pytest.raises(AttributeError):
        wait.seconds = 1.0  # type: ignore[misc]
