"""`trnkit prices refresh` in one process: what is asked, taken, and written; what is not."""

from datetime import date

import pytest

from tests.aws_server.price_list import product_rows
from tests.trnkit.operations.preflight.fake_account import FakeAccount, Refusal
from trnkit.catalog.price_book import PriceBook
from trnkit.config.prices_file import load_prices_file
from trnkit.errors import UnreadableInputError, UsageError
from trnkit.layout.price_book import book_of
from trnkit.operations.price_refresh.refreshing import refresh_prices

TODAY = date(2026, 12, 24)
BY_HAND = """\
version: 1
date: 2026-11-30
source: Agreement
discount: {percent: 10}
"""
LIST = """\
# Written by `trnkit prices refresh`: AWS's list prices, in US dollars, of the first tier.
list_prices:
  read: 2026-01-01
  regions: [us-east-2]
  prices:
    - {item: ebs-gp3-storage, region: us-east-2, usd: 0.5}
"""


@pytest.fixture(autouse=True)
def credentials(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


def rows(asked, region):
    is_instance = any(entry["Field"] == "instanceType" for entry in asked["Filters"])
    return {"FormatVersion": "aws_v1", "PriceList": [] if is_instance else product_rows(asked)}


def refresh(path=None, *, answer=rows, regions=("us-east-2",), **more):
    account = FakeAccount({"GetProducts": answer})
    output = None if path is None else str(path)
    done = refresh_prices(regions, today=TODAY, output=output, session=account, **more)
    return done, account


def test_products_of_one_question_are_asked_for_once():
    done, account = refresh()
    asked = [one for one in account.asked if one[1] == "GetProducts"]
    assert {region for _, _, region in asked} == {"us-east-1"}
    items = {one.asked.item for one in done.prices if " " not in one.asked.item}
    assert len(asked) < len(items)
    assert not done.unanswered
    assert not done.written


def test_nothing_but_the_price_list_is_asked():
    _, account = refresh()
    assert {(service, name) for service, name, _ in account.asked} == {("pricing", "GetProducts")}


def test_prices_are_compared_with_the_catalogue_alone(tmp_path):
    done, _ = refresh(tmp_path / "prices.yaml", regions=("us-east-1",))
    by_item = {one.asked.item: one for one in done.prices}
    gp3 = by_item["ebs-gp3-storage"]
    known = PriceBook().service("ebs-gp3-storage", "us-east-1")
    assert (gp3.known, gp3.outcome) == (known, "changed")
    assert gp3.percent == pytest.approx((0.09 / known.low - 1) * 100)
    assert by_item["ebs-gp3-throughput"].asked.usd == 0.04
    assert by_item["nat-gateway-data"].outcome == "odd"
    assert by_item["efs-archive-read"].outcome == "not listed"
    assert by_item["s3-get-requests"].outcome == "several prices"
    assert by_item["dynamodb-storage"].asked.usd == 0.25, "the first tier that costs anything"
    assert by_item["trn1.32xlarge on-demand"].outcome == "not listed"


def test_a_price_within_what_other_regions_have_is_new_here(tmp_path):
    done, _ = refresh(regions=("eu-west-3",), instance_types=("trn2.48xlarge",))
    by_item = {one.asked.item: one for one in done.prices}
    gp3 = by_item["ebs-gp3-storage"]
    assert (gp3.outcome, gp3.known.basis, gp3.percent) == ("new", "other regions", None)
    assert by_item["trn2.48xlarge on-demand"].outcome == "not listed"


def test_the_list_of_a_file_counts_in_its_book(tmp_path):
    path = tmp_path / "prices.yaml"
    done, _ = refresh(path)
    assert done.written
    file = load_prices_file(path)
    assert (file.list_prices.read, file.prices, file.discount) == ("2026-12-24", (), None)
    price = book_of(file).service("ebs-gp3-storage", "us-east-2")
    assert (price.low, price.date, price.basis) == (0.09, "2026-12-24", "file")
    assert "1e-" not in path.read_text(), "small prices are written in digits"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(BY_HAND, "", id="no list yet"),
        pytest.param(BY_HAND.rstrip("\n"), "", id="no line break at the end"),
        pytest.param(BY_HAND + "\n" + LIST, "", id="a list at the end"),
        pytest.param(
            BY_HAND.replace("discount: {percent: 10}\n", "") + LIST,
            "\n# Of annex B.\ndiscount: {percent: 10}\n# The end.\n",
            id="a key with a comment below it",
        ),
        pytest.param("# A comment.\n---\n" + BY_HAND, "", id="a document with its mark"),
        pytest.param(BY_HAND.replace("\n", "\r\n"), "", id="line breaks of Windows"),
    ],
)
def test_what_people_wrote_stays(tmp_path, before, after):
    path = tmp_path / "prices.yaml"
    path.write_bytes((before + after).encode())
    done, _ = refresh(path)
    assert done.written
    text = path.read_bytes().decode()
    by_hand, _, _ = before.partition("# Written by")
    assert text.startswith(by_hand)
    assert text.endswith(after)
    file = load_prices_file(path)
    assert (file.discount.percent, file.source) == (10, "Agreement")
    assert "0.5}" not in text, "the old list is gone"
    again, _ = refresh(path)
    assert not again.written
    assert path.read_bytes().decode() == text


@pytest.mark.parametrize(
    "text",
    [
        "{version: 1, date: 2026-11-30, source: x, discount: {percent: 3}}\n",
        BY_HAND + "...\n",
    ],
    ids=["braces", "an end of the document"],
)
def test_a_file_in_which_the_list_has_no_place_is_left_alone(tmp_path, text):
    path = tmp_path / "prices.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match="cannot be replaced"):
        refresh(path)
    assert path.read_text() == text


def test_a_list_that_people_changed_is_written_anew(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(BY_HAND + LIST.replace("# Written", "# Once written"))
    refresh(path)
    assert "# Once written" in path.read_text(), "a comment that is not ours stays"
    assert load_prices_file(path).list_prices.read == "2026-12-24"


def test_other_regions_of_a_list_are_not_lost(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text("version: 1\n" + LIST)
    with pytest.raises(UsageError, match="add --region us-east-2"):
        refresh(path, regions=("us-east-1",))
    done, _ = refresh(path, regions=("us-east-1", "us-east-2", "us-east-1"))
    assert done.regions == ("us-east-1", "us-east-2")
    assert load_prices_file(path).list_prices.regions == ("us-east-1", "us-east-2")


def test_one_refusal_is_enough_for_no_file(tmp_path):
    def answer(asked, region):
        if asked["ServiceCode"] == "AmazonFSx":
            return Refusal("AccessDeniedException", "no", status=400)
        return rows(asked, region)

    path = tmp_path / "prices.yaml"
    done, _ = refresh(path, answer=answer)
    (failure,) = done.unanswered
    assert failure.kind == "denied"
    assert "pricing:GetProducts" in failure.message
    assert not done.written
    assert not path.exists()
    assert any(one.asked.item == "ebs-gp3-storage" for one in done.prices)


def test_without_credentials_one_question_is_asked_and_not_all(tmp_path):
    def answer(asked, region):
        return Refusal("ExpiredTokenException", "expired", status=400)

    done, account = refresh(tmp_path / "prices.yaml", answer=answer, regions=("us-east-2",))
    assert [one.kind for one in done.unanswered] == ["expired"]
    assert len(account.asked) == 1


def test_a_region_without_a_single_price_is_no_answer(tmp_path):
    path = tmp_path / "prices.yaml"
    done, _ = refresh(path, regions=("us-east-2", "cn-north-1"))
    assert [one.region for one in done.unanswered] == ["cn-north-1"]
    assert not path.exists()


@pytest.mark.parametrize("name", ["Ohio", "us-esat-1", "", "us-east-2 "])
def test_what_is_no_region_is_not_asked_about(name):
    with pytest.raises(UsageError, match="is no Region"):
        refresh(regions=(name,))


@pytest.mark.parametrize("name", ["trn2", "", "TRN2.48xlarge", "a.b; rm"])
def test_what_is_no_instance_type_is_not_asked_about(name):
    with pytest.raises(UsageError, match="is no instance type"):
        refresh(instance_types=(name,))


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("", UsageError),
        ("missing/prices.yaml", UsageError),
        (".", UsageError),
        ("/dev/null", UsageError),
        ("a\0b", UnreadableInputError),
    ],
)
def test_a_place_that_cannot_be_written_is_said_before_aws_is_asked(
    tmp_path, monkeypatch, path, error
):
    monkeypatch.chdir(tmp_path)
    account = FakeAccount({"GetProducts": rows})
    with pytest.raises(error):
        refresh_prices(("us-east-2",), today=TODAY, output=path, session=account)
    assert account.asked == []


def test_a_symbolic_link_is_kept_and_its_file_written(tmp_path):
    (tmp_path / "real.yaml").write_text(BY_HAND)
    (tmp_path / "prices.yaml").symlink_to("real.yaml")
    refresh(tmp_path / "prices.yaml")
    assert (tmp_path / "prices.yaml").is_symlink()
    assert load_prices_file(tmp_path / "real.yaml").list_prices is not None


def test_what_somebody_writes_meanwhile_stays(tmp_path):
    path = tmp_path / "prices.yaml"
    path.write_text(BY_HAND)

    def answer(asked, region):
        path.write_text(BY_HAND.replace("percent: 10", "percent: 11"))
        return rows(asked, region)

    done, _ = refresh(path, answer=answer)
    assert done.written
    assert load_prices_file(path).discount.percent == 11
