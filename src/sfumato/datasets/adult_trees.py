"""Taxonomy trees for the eight category columns of Adult, with the shapes that papers state.

Fung, Wang and Yu (2007) published only the numbers of leaves and levels of their trees; these trees have the same
shapes and the spelling of the data.
"""

from __future__ import annotations

from typing import Any

from sfumato.taxonomies.tree import Tree

_SCHOOL = {
    "Preschool": [],
    "Elementary": ["1st-4th", "5th-6th", "7th-8th"],
    "Secondary": {"Junior-Secondary": ["9th", "10th"], "Senior-Secondary": ["11th", "12th", "HS-grad"]},
}
_AFTER_SCHOOL = {
    "Some-college": [],
    "Associate": ["Assoc-acdm", "Assoc-voc"],
    "University": {"Bachelors": [], "Prof-school": [], "Graduate": ["Masters", "Doctorate"]},
}
_CARIBBEAN = ["Cuba", "Jamaica", "Haiti", "Dominican-Republic", "Puerto-Rico", "Trinadad&Tobago"]
_MAINLAND = ["Mexico", "Guatemala", "Honduras", "El-Salvador", "Nicaragua"]
_AMERICAS = {
    "North-America": ["United-States", "Canada", "Outlying-US(Guam-USVI-etc)"],
    "Central-America": {"Caribbean": _CARIBBEAN, "Mainland": _MAINLAND},
    "South-America": ["Columbia", "Ecuador", "Peru"],
}
_WESTERN = {
    "British-Isles": ["England", "Scotland", "Ireland"],
    "Continental-West": ["France", "Germany", "Holand-Netherlands"],
}
_EUROPE = {
    "Western-Europe": _WESTERN,
    "Southern-Europe": ["Greece", "Italy", "Portugal"],
    "Eastern-Europe": ["Poland", "Hungary", "Yugoslavia"],
}
_ASIA = {
    "East-Asia": ["China", "Hong", "Taiwan", "Japan", "South"],
    "Southeast-Asia": ["Philippines", "Vietnam", "Laos", "Cambodia", "Thailand"],
    "South-West-Asia": ["India", "Iran"],
}
_WORK = {
    "With-pay": {
        "Private": [],
        "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
        "Government": {"Federal-gov": [], "State-or-local": ["State-gov", "Local-gov"]},
    },
    "No-pay": ["Without-pay", "Never-worked"],
}
_WHITE_COLLAR = ["Exec-managerial", "Prof-specialty", "Sales", "Adm-clerical", "Tech-support"]
_BLUE_COLLAR = ["Craft-repair", "Machine-op-inspct", "Handlers-cleaners", "Transport-moving", "Farming-fishing"]
_SERVICE = ["Other-service", "Priv-house-serv", "Protective-serv", "Armed-Forces"]

BRANCHES: dict[str, dict[str, Any]] = {
    "education": {"Any-education": {"No-post-secondary": _SCHOOL, "Post-secondary": _AFTER_SCHOOL}},
    "marital-status": {
        "Any-status": {
            "Married": {"Spouse-present": ["Married-civ-spouse", "Married-AF-spouse"], "Married-spouse-absent": []},
            "Not-married": {"Was-married": ["Divorced", "Separated", "Widowed"], "Never-married": []},
        }
    },
    "workclass": {"Any-work": _WORK},
    "occupation": {"Any-occupation": {"White-collar": _WHITE_COLLAR, "Blue-collar": _BLUE_COLLAR, "Service": _SERVICE}},
    "relationship": {
        "Any-relationship": {
            "In-family": ["Husband", "Wife", "Own-child", "Other-relative"],
            "Outside-family": ["Not-in-family", "Unmarried"],
        }
    },
    "race": {
        "Any-race": {
            "Majority": ["White"],
            "Minority": ["Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
        }
    },
    "sex": {"Any-sex": ["Male", "Female"]},
    "native-country": {"Any-country": {"Americas": _AMERICAS, "Europe": _EUROPE, "Asia": _ASIA}},
}


def adult_trees() -> dict[str, Tree]:
    """A taxonomy tree for every category column.

    >>> sorted(adult_trees())[:3]
    ['education', 'marital-status', 'native-country']
    """
    return {name: Tree(branches=branches) for name, branches in BRANCHES.items()}
