from __future__ import annotations

import pytest

from trnkit.emulation.clients import clients_of
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.service_answers import in_words_of, properties_told, tags_told
from trnkit.emulation.services.model_constraints import check_request


@pytest.mark.parametrize(
    ("given", "told", "answer"),
    [
        ("300", 300, "300"),
        (60000, "60000", 60000),
        ("true", True, "true"),
        (300, 301, 301),
        ("a", "b", "b"),
        (None, "b", "b"),
        (["b", "a"], ["a", "b"], ["b", "a"]),
        (["a"], ["a", "b"], ["a", "b"]),
        (["a", "b"], ["a"], ["a"]),
        (["a", "b"], ["c", "a"], ["c", "a"]),
        ({"A": 1}, {"A": 1, "Default": 2}, {"A": 1}),
        ({"A": 1}, {}, {}),
        ([{"K": "2"}, {"K": "1"}], [{"K": 1, "D": 0}, {"K": 2, "D": 0}], [{"K": "2"}, {"K": "1"}]),
    ],
)
def test_only_differences_that_mean_nothing_are_taken_away(given, told, answer):
    assert in_words_of(given, told) == answer


def test_what_the_template_leaves_out_is_in_the_answer_and_what_nobody_tells_is_not():
    assert properties_told({"A": "1"}, {"A": 1, "B": 2, "C": None}) == {"A": "1", "B": 2}


def test_tags_of_aws_are_not_told():
    told = [{"Key": "aws:cloudformation:stack-name", "Value": "s"}, {"Key": "a", "Value": "1"}]
    assert tags_told([{"Key": "a", "Value": "1"}], told) == [{"Key": "a", "Value": "1"}]


def test_requests_have_the_types_of_the_services_model():
    budgets = clients_of(None, "us-east-1")("budgets")
    members = {
        "AccountId": 111122223333,
        "Budget": {
            "BudgetLimit": {"Amount": 60000, "Unit": "USD"},
            "CostFilters": '{"Service": ["Amazon FSx"]}',
            "CostTypes": {"IncludeTax": "false"},
            "AutoAdjustData": {"HistoricalOptions": {"BudgetAdjustmentPeriod": "3"}},
        },
        "NotificationsWithSubscribers": [{"Notification": {"Threshold": "80.5"}}],
        "ResourceTags": None,
    }
    assert request_of(budgets, "CreateBudget", members) == {
        "AccountId": "111122223333",
        "Budget": {
            "BudgetLimit": {"Amount": "60000", "Unit": "USD"},
            "CostFilters": {"Service": ["Amazon FSx"]},
            "CostTypes": {"IncludeTax": False},
            "AutoAdjustData": {"HistoricalOptions": {"BudgetAdjustmentPeriod": 3}},
        },
        "NotificationsWithSubscribers": [{"Notification": {"Threshold": 80.5}}],
    }


def test_values_that_do_not_convert_are_left_to_the_service():
    fsx = clients_of(None, "us-east-1")("fsx")
    members = {"StorageCapacity": "large", "Unknown": "1"}
    assert request_of(fsx, "CreateFileSystem", members) == members


def test_every_problem_of_a_request_is_told():
    from moto.core.exceptions import JsonRESTError

    request = {
        "FileSystemType": "LUSTRE",
        "SubnetIds": ["subnet-1"],
        "LustreConfiguration": {"PerUnitStorageThroughput": 2000, "DeploymentType": "X"},
    }
    with pytest.raises(JsonRESTError) as caught:
        check_request("fsx", "CreateFileSystem", request)
    assert caught.value.error_type == "ValidationException"
    assert caught.value.message.startswith("4 validation errors detected: ")
    assert "'lustreConfiguration.perUnitStorageThroughput'" in caught.value.message
    assert "'subnetIds.1.member'" in caught.value.message
