from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import pytest

from sfumato.errors import UsageError
from sfumato.settings.named_arguments import named_arguments


@named_arguments
def publish(data: str, model: str, extra: int = 0, *, quasi: Sequence[str], sensitive: Sequence[str] = ()) -> Any:
    """Publish."""
    return data, model, extra, quasi, sensitive


@named_arguments
def quiet(*, quasi: int = 0) -> int:
    return quasi


def test_a_call_that_fits_is_made() -> None:
    assert publish("a", "m", quasi=["x"]) == ("a", "m", 0, ["x"], ())
    assert publish("a", model="m", extra=2, quasi=["x"], sensitive=["y"]) == ("a", "m", 2, ["x"], ["y"])
    assert str(inspect.signature(publish)).startswith("(data: 'str', model: 'str', extra: 'int' = 0, *, quasi:")
    assert (publish.__doc__, quiet(quasi=3), quiet()) == ("Publish.", 3, 0)


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        (("a", "m"), {"quasi": [], "sensitiv": []}, "publish has no argument 'sensitiv'; did you mean 'sensitive'?"),
        (("a",), {"quasi": []}, "publish needs 'model'."),
        ((), {"model": "m"}, "publish needs 'data', 'quasi'."),
        (("a", "m", 1, ["x"]), {}, "publish: data and model and extra alone can be given without a name; write the "
         "others as quasi=..."),
    ],
)  # fmt: skip
def test_a_call_that_does_not_fit_is_refused(args: tuple[Any, ...], kwargs: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        publish(*args, **kwargs)
    assert str(caught.value) == said


def test_nothing_without_a_name() -> None:
    with pytest.raises(UsageError, match=r"^quiet: arguments have a name; write the others as quasi=\.\.\.$"):
        quiet(3)  # type: ignore[call-arg]


def test_an_error_inside_is_not_changed() -> None:
    @named_arguments
    def fails() -> None:
        raise TypeError("inside")

    with pytest.raises(TypeError, match=r"^inside$"):
        fails()
