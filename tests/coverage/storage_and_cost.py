"""Kinds of mistakes with FSx for Lustre and budgets."""

from __future__ import annotations

from tests.coverage.mistake import Mistake

_LUSTRE = "constructs_lib/storage/test_lustre_file_system.py"
_STORAGE = "stacks/test_storage_stack.py"
_COST = "stacks/test_cost_stack.py"
_ALARM = "constructs_lib/cost/test_budget_alarm.py"

STORAGE = (
    Mistake(
        id="FSX-01",
        what="a capacity that FSx does not sell",
        rules=(
            "TRN301",
            "TRN330",
            "TRN351",
        ),
        tests=(f"{_LUSTRE}::test_fsx_01_15_capacity",),
    ),
    Mistake(
        id="FSX-02",
        what="a throughput of another deployment type",
        rules=(
            "TRN302",
            "TRN330",
            "TRN351",
        ),
        tests=(f"{_LUSTRE}::test_fsx_02_throughput_of_another_type",),
    ),
    Mistake(
        id="FSX-03",
        what="a persistent file system without throughput",
        rules=(
            "TRN330",
            "TRN351",
        ),
        tests=(f"{_LUSTRE}::test_fsx_03_16_throughput_and_version_are_always_written",),
    ),
    Mistake(
        id="FSX-04",
        what="import paths of the first generation on the second",
        rules=(
            "TRN331",
            "TRN355",
        ),
        tests=(f"{_LUSTRE}::test_fsx_04_08_no_old_style_s3_keys_and_no_backup_key_by_default",),
    ),
    Mistake(
        id="FSX-05",
        what="paths of an S3 link are malformed",
        rules=(
            "TRN305",
            "TRN334",
            "TRN355",
        ),
    ),
    Mistake(
        id="FSX-08",
        what="a backup retention, even 0, beside an S3 link",
        rules=(
            "TRN306",
            "TRN332",
            "TRN355",
            "TRN366",
        ),
        tests=(f"{_STORAGE}::test_fsx_08_with_links_the_backup_key_is_absent",),
    ),
    Mistake(
        id="FSX-09",
        what="Lustre's ports are not open, or too late",
        rules=(
            "TRN172",
            "TRN354",
            "TRN388",
        ),
        tests=(
            f"{_LUSTRE}::test_fsx_09_ports_among_servers_and_clients_both_ways",
            f"{_LUSTRE}::test_fsx_09_every_rule_exists_before_the_file_system",
        ),
    ),
    Mistake(
        id="FSX-10",
        what="a replacement or a deletion destroys data",
        rules=(
            "TRN353",
            "TRN389",
            "TRN390",
        ),
        tests=(
            f"{_STORAGE}::test_fsx_10_13_what_a_change_does_is_what_the_field_says",
            f"{_LUSTRE}::test_fsx_10_data_group_and_its_own_rules_are_kept_together",
        ),
    ),
    Mistake(
        id="FSX-12",
        what="EFA for a file system without what it takes",
        rules=(
            "TRN313",
            "TRN314",
            "TRN335",
            "TRN364",
        ),
        tests=(f"{_STORAGE}::test_fsx_12_only_nodes_that_can_set_lustre_up_for_efa",),
    ),
    Mistake(
        id="FSX-13",
        what="metadata operations cannot be added later",
        rules=("TRN312", "TRN361"),
        tests=(f"{_STORAGE}::test_fsx_10_13_what_a_change_does_is_what_the_field_says",),
    ),
    Mistake(
        id="FSX-14",
        what="several subnets, or another zone than the nodes'",
        rules=("TRN119", "TRN322", "TRN352", "TRN365"),
        tests=(f"{_LUSTRE}::test_fsx_14_exactly_one_subnet",),
    ),
    Mistake(
        id="FSX-15",
        what="a validator knows an upper limit that is none",
        tests=(f"{_LUSTRE}::test_fsx_01_15_capacity",),
        note="A mistake of validators; ours accept what FSx sells.",
    ),
    Mistake(
        id="FSX-16",
        what="the client is newer than the server's version",
        rules=(
            "TRN304",
            "TRN351",
            "TRN391",
        ),
        tests=(
            f"{_LUSTRE}::test_fsx_03_16_throughput_and_version_are_always_written",
            "constructs_lib/compute/node/test_boot_script.py"
            "::test_fsx_16_the_client_for_the_running_kernel_on_ubuntu",
            "constructs_lib/compute/node/test_boot_lustre_client.py"
            "::test_fsx_16_a_server_that_refuses_the_client_is_told_with_both_versions",
        ),
    ),
    Mistake(
        id="FSX-17",
        what="what is left and what is lost after a deletion",
        rules=(
            "TRN353",
            "TRN366",
        ),
        tests=(
            f"{_LUSTRE}::test_fsx_17_backups_carry_the_tags",
            f"{_STORAGE}::test_fsx_10_17_backups_can_be_switched_without_a_new_file_system",
        ),
        note="`trnkit rehearse` lists what a destroyed cluster keeps.",
    ),
)

COST = (
    Mistake(
        id="BUD-01",
        what="a tag filter of another format matches nothing",
        rules=(
            "TRN452",
            "TRN474",
        ),
        tests=("trnkit/layout/test_zones_and_tags.py::test_the_filter_of_a_tag",),
    ),
    Mistake(
        id="BUD-02",
        what="a service by the name of the console",
        rules=("TRN403", "TRN457"),
    ),
    Mistake(
        id="BUD-04",
        what="eleven addresses or two topics on a threshold",
        rules=("TRN401", "TRN402", "TRN451"),
        tests=(f"{_ALARM}::test_fails_when_no_alert_would_arrive",),
    ),
    Mistake(
        id="BUD-05",
        what="a topic's policy does not let Budgets publish",
        rules=(
            "TRN417",
            "TRN453",
            "TRN463",
            "TRN475",
            "TRN480",
            "TRN494",
        ),
        tests=(
            "stacks/test_guard_stack.py::test_bud_05_06_the_budgets_topic_and_key_let_alarms_in",
        ),
    ),
    Mistake(
        id="BUD-06",
        what="the key of an encrypted topic does not let Budgets in",
        rules=(
            "TRN454",
            "TRN464",
            "TRN475",
            "TRN494",
        ),
    ),
    Mistake(
        id="BUD-07",
        what="nobody subscribes to the topic",
        rules=("TRN415", "TRN416", "TRN439", "TRN465", "TRN466"),
        tests=(f"{_ALARM}::test_fails_when_no_alert_would_arrive",),
    ),
    Mistake(
        id="BUD-09",
        what="a filter expression without metrics, or beside filters",
        rules=("TRN455",),
    ),
    Mistake(
        id="BUD-10",
        what="a threshold twice; a tag that is not activated",
        rules=("TRN401", "TRN406", "TRN455"),
        tests=(
            f"{_COST}::test_bud_10_the_same_threshold_with_other_recipients_is_one_notification",
        ),
        note="Whether a tag is active only the payer's account tells.",
    ),
    Mistake(
        id="BUD-11",
        what="the cost tag is on the stack and not on the machines",
        rules=(
            "TRN405",
            "TRN452",
            "TRN478",
        ),
        tests=(
            "stacks/test_assembly.py"
            "::test_bud_11_the_budgets_tag_is_on_machines_volumes_interfaces_and_file_systems",
        ),
    ),
    Mistake(
        id="BUD-12",
        what="a budget on a tag does not see the fee of a Capacity Block",
        rules=("TRN220", "TRN469"),
    ),
    Mistake(
        id="BUD-13",
        what="the region has no budget resource type",
        rules=("TRN404", "TRN456", "TRN480"),
        tests=(
            "stacks/test_assembly.py::test_bud_13_cdk_07_the_budget_goes_where_budgets_exist",
            "stacks/test_guard_stack.py::test_bud_13_a_budget_in_another_region_shares_nothing",
        ),
    ),
    Mistake(
        id="BUD-14",
        what="a currency that is not the account's",
        rules=("TRN413", "TRN426", "TRN455"),
        tests=(f"{_COST}::test_bud_14_another_currency_when_it_is_confirmed",),
    ),
)
