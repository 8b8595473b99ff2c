from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from sfumato.errors import ParameterError
from sfumato.models import KAnonymity, TCloseness
from sfumato.settings import catalogue
from sfumato.settings.params import Declared, Setting, param


@dataclass(frozen=True, kw_only=True)
class Sample(Declared):
    """Something with one setting of every type.

    And a second paragraph.
    """

    k: int = param(doc="a count", at_least=1)
    share: float = param(0.5, doc="a share", above=0, at_most=1)
    way: Literal["up", "down"] = param("up", doc="a direction")
    on: bool = param(False, doc="a switch")
    names: tuple[str, ...] = param((), doc="names")
    limit: int | None = param(None, doc="a limit", at_most=9)
    where: Path | str = param("here", doc="a place")
    table: Mapping[str, Any] | None = param(None, doc="a table")
    inside: tuple[Declared, ...] = param((), doc="other things")
    undeclared: int = 7


@dataclass(frozen=True, kw_only=True)
class TwoWords3D(Declared):
    """A name to take apart."""


def bounded() -> list[tuple[type[Declared], Setting, object]]:
    """Every bound that anything on offer declares, with a value just beyond it."""
    found: list[tuple[type[Declared], Setting, object]] = []
    for kind in catalogue.kinds():
        for entry in catalogue.entries(kind):
            for setting in entry.thing.settings():
                beyond = {"at_least": -1, "above": 0, "at_most": 1}
                found += [
                    (entry.thing, setting, getattr(setting, bound) + step)
                    for bound, step in beyond.items()
                    if getattr(setting, bound) is not None
                ]
    return found


def fitting(setting: Setting) -> object:
    """Some value that a setting accepts."""
    candidates = (1, 2, 0.5, "", "x", True, ("x",), (KAnonymity(k=1),), (("x",),), {}, Path("x"))
    return next(value for value in candidates if setting.accepts(value))


@pytest.mark.parametrize(("thing", "setting", "value"), bounded())
def test_every_declared_bound_is_kept(thing: type[Declared], setting: Setting, value: object) -> None:
    others = {other.name: fitting(other) for other in thing.settings() if other.required}
    with pytest.raises(ParameterError) as caught:
        thing(**{**others, setting.name: value})
    expected = f"{setting.name!r} of {thing.__name__} must be {setting.allowed}; got {value!r}."
    assert str(caught.value) == expected


def test_some_bounds_are_declared() -> None:
    assert ("KAnonymity", "k", 0) in [(thing.__name__, setting.name, value) for thing, setting, value in bounded()]


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (-3, "-3"), (2.0, "2.0"), (True, "True"), ("5", "'5'"), (None, "None")]
)
def test_the_message_of_k(value: object, shown: str) -> None:
    with pytest.raises(ParameterError) as caught:
        KAnonymity(k=value)  # type: ignore[arg-type]
    assert str(caught.value) == f"'k' of KAnonymity must be int >= 1; got {shown}."


@pytest.mark.parametrize(
    "given",
    [
        {"share": 0}, {"share": 1.01}, {"share": nan}, {"share": inf}, {"share": True}, {"share": "1"},
        {"way": "left"}, {"way": 1}, {"on": 1}, {"on": "true"},
        {"names": "abc"}, {"names": (1,)}, {"names": {"a"}},
        {"limit": 10}, {"limit": 1.0}, {"limit": False},
        {"where": 7}, {"table": ["a"]}, {"inside": (1,)}, {"inside": KAnonymity(k=1)},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"'{next(iter(given))}' of Sample must be .*; got "):
        Sample(k=1, **given)


@pytest.mark.parametrize(
    "given",
    [
        {"share": 1}, {"share": 1e-9}, {"way": "down"}, {"on": True}, {"names": ("a", "b")}, {"limit": None},
        {"limit": 9}, {"limit": -100}, {"where": Path("x")}, {"table": {"a": 1}}, {"inside": (KAnonymity(k=1),)},
    ],
)  # fmt: skip
def test_what_fits_is_taken(given: dict[str, Any]) -> None:
    made = Sample(k=1, **given)
    assert {name: getattr(made, name) for name in given} == given


def test_a_list_becomes_a_tuple() -> None:
    assert Sample(k=1, names=["a", "b"]).names == ("a", "b")  # type: ignore[arg-type]


def test_numbers_of_other_libraries_become_plain() -> None:
    model = KAnonymity(k=np.int64(3))
    assert (type(model.k), model.to_dict()) == (int, {"name": "k_anonymity", "k": 3})
    assert type(TCloseness(t=Fraction(1, 4)).t) is float


def test_values_of_a_message_are_never_those_of_containers() -> None:
    with pytest.raises(ParameterError, match="got tuple") as caught:
        Sample(k=1, names=("secret", 5))  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Sample(k=1).k = 2  # type: ignore[misc]


def test_what_is_declared_can_be_listed() -> None:
    names = [setting.name for setting in Sample.settings()]
    assert names == ["k", "share", "way", "on", "names", "limit", "where", "table", "inside"]
    allowed = {setting.name: setting.allowed for setting in Sample.settings()}
    assert allowed["k"] == "int >= 1"
    assert allowed["share"] == "number > 0 and <= 1"
    assert allowed["way"] == "one of 'up', 'down'"
    assert allowed["on"] == "true or false"
    assert allowed["names"] == "a list of text"
    assert allowed["limit"] == "int <= 9"
    assert allowed["table"] == "a table"
    assert [setting.required for setting in Sample.settings()] == [True] + [False] * 8


@pytest.mark.parametrize(
    ("thing", "name"), [(KAnonymity, "k_anonymity"), (Sample, "sample"), (TwoWords3D, "two_words_3_d")]
)
def test_catalogue_names(thing: type[Declared], name: str) -> None:
    assert thing.name() == name


def test_summary_is_the_first_paragraph() -> None:
    assert Sample.summary() == "Something with one setting of every type."


def test_build_refuses_unknown_and_missing_settings() -> None:
    with pytest.raises(ParameterError, match=r"sample has no setting 'shrae'; did you mean 'share'?"):
        Sample.build({"k": 1, "shrae": 1})
    with pytest.raises(ParameterError, match=r"sample needs k \(a count\)"):
        Sample.build({"share": 1})
    assert Sample.build({"k": 3}) == Sample(k=3)


def test_settings_written_as_text() -> None:
    given = {"k": "3", "share": "0.25", "way": "down", "on": "True", "names": "a+b", "limit": "4", "where": "there"}
    assert Sample.parse(given) == Sample(
        k=3, share=0.25, way="down", on=True, names=("a", "b"), limit=4, where=Path("there")
    )


@pytest.mark.parametrize(
    ("name", "text"), [("k", "3.0"), ("k", "many"), ("share", "half"), ("on", "yes"), ("way", "left")]
)
def test_text_that_does_not_fit_is_refused(name: str, text: str) -> None:
    with pytest.raises(ParameterError, match=f"'{name}' of Sample must be .*; got '{text}'"):
        Sample.parse({"k": "1", name: text})


def test_saved_and_rebuilt() -> None:
    made = Sample(k=3, names=("a",), where=Path("x") / "y", inside=(KAnonymity(k=2),))
    saved = made.to_dict()
    assert saved == {
        "name": "sample", "k": 3, "names": ["a"], "where": str(Path("x") / "y"),
        "inside": [{"name": "k_anonymity", "k": 2}],
    }  # fmt: skip
    plain = Sample(k=3, share=0.25, names=("a",))
    assert Sample.build({key: value for key, value in plain.to_dict().items() if key != "name"}) == plain


def test_shown_as_written() -> None:
    assert str(Sample(k=3, share=0.25)) == "sample(k=3, share=0.25)"


def test_a_misspelled_fact_is_refused_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"sets 'kept_by_suppresing', .*'kept_by_suppressing'.* ClassVar"):

        class Misspelled(KAnonymity):
            kept_by_suppresing = False


def test_facts_of_a_class_are_its_own_if_they_are_annotated() -> None:
    class Own(KAnonymity):
        rounds: ClassVar[int] = 3
        better = "higher"
        _private = 5

    assert (Own.rounds, Own.better, Own._private) == (3, "higher", 5)


@pytest.mark.parametrize("doc", ["", " "])
def test_a_setting_without_a_description_is_refused(doc: str) -> None:
    with pytest.raises(TypeError, match="needs a `doc`"):
        param(3, doc=doc)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: KAnonymity(5), "KAnonymity takes its settings by name: write KAnonymity(k=5)."),  # type: ignore[call-arg]
        (lambda: KAnonymity(5, "a", 3), "KAnonymity takes its settings by name: write KAnonymity(k=...)."),  # type: ignore[call-arg]
        (lambda: KAnonymity(K=5), "KAnonymity has no setting 'K'; did you mean 'k'?"),  # type: ignore[call-arg]
        (KAnonymity, "KAnonymity needs k: write KAnonymity(k=...)."),  # type: ignore[call-arg]
        (lambda: TwoWords3D(k=1), "TwoWords3D has no setting 'k'; it has none."),  # type: ignore[call-arg]
    ],
)
def test_settings_that_do_not_fit_by_name(wrong: Callable[[], Declared], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        wrong()
    assert str(caught.value) == said


def test_copies_and_pickles_have_the_same_settings() -> None:
    made = Sample(k=3, names=("a",), undeclared=9)
    for again in (copy.copy(made), copy.deepcopy(made), *(pickle.loads(pickle.dumps(made, n)) for n in range(6))):
        assert again == made
        assert (again.k, again.names, again.undeclared) == (3, ("a",), 9)
