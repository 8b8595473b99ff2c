"""The roles that a person gives to the columns of the reference files, written before any rule was tuned to them.

The first role is the person's. Where two careful persons may differ, the others that are accepted follow, and the
comment says why. `agreement` compares a proposal with them.
"""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.plan.proposals.proposal import Proposal

_ADULT = {
    "age": "quasi",
    "workclass": "quasi",
    # a weight of the sample: nearly unique, of no meaning to a reader, and the literature drops it
    "fnlwgt": "identifier quasi",
    "education": "quasi",
    "education-num": "quasi",
    "marital-status": "quasi",
    "occupation": "quasi",
    "relationship": "quasi",
    "race": "quasi",
    "sex": "quasi",
    "capital-gain": "sensitive",
    "capital-loss": "sensitive",
    "hours-per-week": "quasi",
    "native-country": "quasi",
    "salary-class": "sensitive",
}

# Amounts of companies and of tax returns: their holders and offices know them, so the sets are used with all columns as
# quasi-identifiers; a person who thinks of the amounts as secrets calls them sensitive.
_AMOUNT = "quasi sensitive"
_EIA = dict.fromkeys(
    (
        "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES", "OTHREVENUE", "OTHRSALES",
        "TOTREVENUE", "TOTSALES",
    ),
    _AMOUNT,
)  # fmt: skip

ROLES: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "adult/adult_train.csv",
            "adult/adult_test.csv",
            "adult/adult_train_complete.csv",
            "adult/adult_test_complete.csv",
            "adult/adult_all_complete.csv",
        ),
        _ADULT,
    ),
    "blood_transfusion.csv": {
        "recency_months": "quasi",
        "frequency_times": "quasi",
        "monetary_cc": "quasi",
        "time_months": "quasi",
        # what the analysis predicts; harmless to most persons
        "donated_march_2007": "plain target quasi sensitive",
    },
    # The names say nothing, so a person who does not know the form can only assume that others know what it asks.
    "crx/crx.csv": {
        **{f"A{number}": "quasi" for number in range(1, 16)},
        "A15": "quasi sensitive",  # looks like an amount
        "A16": "sensitive target plain quasi",  # the decision on the application
    },
    "german/german.csv": {
        "status": "sensitive quasi",  # codes of the balance of an account, which neither name nor values say
        "duration_months": "quasi sensitive",  # of the loan
        "credit_history": "sensitive",
        "purpose": "quasi sensitive",  # a new car is seen, a business plan is not
        "credit_amount": "sensitive",
        "savings": "sensitive",
        "employment_since": "quasi",
        "installment_rate": "sensitive quasi",  # a share of the income, in four classes
        "personal_status_sex": "quasi",
        "other_debtors": "sensitive",
        "residence_since": "quasi",
        "property": "quasi sensitive",  # a house is seen
        "age": "quasi",
        "other_installment_plans": "sensitive",
        "housing": "quasi",
        "existing_credits": "sensitive",
        "job": "quasi",
        "liable_people": "quasi",
        "telephone": "quasi plain",  # yes or none
        "foreign_worker": "quasi",
        "class": "sensitive target plain quasi",  # whether the loan was paid back: the name does not say so
    },
    "microaggregation/census_1080x13.csv": {
        "AFNLWGT": "identifier quasi",  # a weight of the sample
        **dict.fromkeys(
            (
                "AGI",
                "EMCONTRB",
                "FEDTAX",
                "PTOTVAL",
                "STATETAX",
                "TAXINC",
                "POTHVAL",
                "INTVAL",
                "PEARNVAL",
                "FICA",
                "WSALVAL",
                "ERNVAL",
            ),
            _AMOUNT,
        ),
    },
    "microaggregation/tarragona_834x13.csv": dict.fromkeys(
        (
            "FIXED.ASSETS",
            "CURRENT.ASSETS",
            "TREASURY",
            "UNCOMMITTED.FUNDS",
            "PAID.UP.CAPITAL",
            "SHORT.TERM.DEBT",
            "SALES",
            "LABOR.COSTS",
            "DEPRECIATION",
            "OPERATING.PROFIT",
            "FINANCIAL.OUTCOME",
            "GROSS.PROFIT",
            "NET.PROFIT",
        ),
        _AMOUNT,
    ),
    "microaggregation/eia_4092x11.csv": {"UTILITYID": "identifier person", **_EIA},
    "microaggregation/eia_4092x15.csv": {
        "UTILITYID": "identifier person",
        "UTILNAME": "identifier",
        "STATE": "quasi",
        "YEAR": "plain quasi",  # one value
        "MONTH": "quasi plain",
        **_EIA,
    },
    # the two ends of an edge are keys of persons
    "graphs/karate_club.csv": {"source": "identifier person", "target": "identifier person"},
    "graphs/polblogs.csv": {"source": "identifier person", "target": "identifier person"},
    "graphs/karate_club_nodes.csv": {"id": "identifier", "label": "identifier", "value": "plain"},
    # the value is the political leaning of a blog, which the file itself does not say
    "graphs/polblogs_nodes.csv": {"id": "identifier", "label": "identifier", "value": "sensitive"},
    "trajectories/geolife_movingpandas_demo.csv": {
        "X": "quasi",
        "Y": "quasi",
        "fid": "identifier",
        "id": "identifier",
        "sequence": "quasi identifier",  # the place of a point on its way, which orders the points in time
        "trajectory_id": "identifier person",
        "tracker": "person identifier",  # the device, and so its owner
        "t": "quasi",
    },
    # roads and crossings: nobody's data, but a person would not leave their numbers in
    "trajectories/oldenburg_edges.csv": {
        "id": "identifier",
        "from": "identifier quasi plain",
        "to": "identifier quasi plain",
        "length": "quasi plain",
    },
    "trajectories/oldenburg_nodes.csv": {"id": "identifier", "x": "quasi plain", "y": "quasi plain"},
}


def agreement(file: str, proposal: Proposal) -> tuple[int, int, int]:
    """How many columns have the person's first role, how many an accepted one, and how many there are."""
    expected = {name: roles.split() for name, roles in ROLES[file].items()}
    found = {column.name: str(column.role) for column in proposal.columns}
    first = sum(found[name] == roles[0] for name, roles in expected.items())
    accepted = sum(found[name] in roles for name, roles in expected.items())
    return first, accepted, len(expected)
