"""Rules about what user data does with disks and with /etc/fstab."""

from __future__ import annotations

import textwrap

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule

DNS = "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com"


def launches(*lines: str, kind: str = "trn2.48xlarge", start: str = "#!/bin/bash") -> str:
    script = textwrap.indent("\n".join([start, *lines]), " " * 12)
    return (
        "Resources:\n  Nodes:\n    Type: AWS::EC2::LaunchTemplate\n    Properties:\n"
        f"      LaunchTemplateData:\n        InstanceType: {kind}\n"
        f"        UserData:\n          Fn::Base64: |\n{script}\n"
    )


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("mkfs.xfs /dev/nvme1n1", "/dev/nvme1n1"),
        ("mkfs -t ext4 -F /dev/nvme1n1", "/dev/nvme1n1"),
        ("sudo mkfs.ext4 -E nodiscard /dev/nvme2n1 && mount /dev/nvme2n1 /x", "/dev/nvme2n1"),
        (
            "mdadm --create /dev/md0 --level=0 --raid-devices=2 /dev/nvme1n1 /dev/nvme2n1",
            "/dev/nvme1n1 and /dev/nvme2n1",
        ),
        (
            "yes | mdadm --verbose -C /dev/md0 -l 0 -n 4 \\\n  /dev/nvme1n1 /dev/nvme2n1",
            "/dev/nvme1n1 and /dev/nvme2n1",
        ),
        ("mdadm --create /dev/md0 -l0 -n4 /dev/nvme[1-4]n1", "/dev/nvme[1-4]n1"),
        ("pvcreate /dev/nvme1n1", "/dev/nvme1n1"),
        ("vgcreate local /dev/nvme*n1", "/dev/nvme*n1"),
    ],
)
def test_disks_that_are_named_may_be_volumes(line, names):
    (found,) = of_rule("TRN392", judge_template(launches(line)))
    assert f"of {names}, which may be an EBS volume: trn2.48xlarge has 4 disks" in found.message
    assert found.path.endswith("UserData")


@pytest.mark.parametrize(
    "line",
    [
        "mkfs.xfs /dev/md0",
        "mkfs.xfs $DISK",
        "mount /dev/nvme1n1 /local",
        "mkfs.ext4 /dev/nvme1n1p1",
        "# mkfs.xfs /dev/nvme1n1",
        "echo mkfs; mount /dev/nvme1n1 /local",
        "mdadm --detail /dev/nvme1n1",
        "mkfs.xfs /dev/nvme1n10",
        'grep -q "Instance Storage" /sys/block/nvme1n1/device/model && mkfs.xfs /dev/nvme1n1',
        "lsblk -o NAME,MODEL\nmkfs.xfs /dev/nvme1n1",
        "blkid /dev/nvme1n1 || mkfs.xfs /dev/nvme1n1",
        "ebsnvme-id /dev/nvme1n1 || mkfs.xfs /dev/nvme1n1",
        'test -z "$(lsblk -n -o FSTYPE /dev/nvme1n1)" && mkfs.xfs /dev/nvme1n1',
        "lsblk -n -f /dev/nvme1n1 | grep -q xfs || mkfs.xfs /dev/nvme1n1",
        "file -s /dev/nvme1n1 | grep -q ': data$' && mkfs.xfs /dev/nvme1n1",
    ],
)
def test_disks_that_are_asked_first_or_not_named_are_quiet(line):
    assert not of_rule("TRN392", judge_template(launches(line)))


def test_one_disk_is_told_as_one():
    (found,) = of_rule(
        "TRN392", judge_template(launches("mkfs.xfs /dev/nvme1n1", kind="trn2.3xlarge"))
    )
    assert found.message.endswith("trn2.3xlarge has 1 disk of the instance store beside it")


@pytest.mark.parametrize("kind", ["inf2.48xlarge", "m7i.large"])
def test_types_without_an_instance_store_are_quiet(kind):
    assert not of_rule("TRN392", judge_template(launches("mkfs.xfs /dev/nvme1n1", kind=kind)))


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("defaults,relatime,flock", 1),
        ("defaults,flock,nofail", 1),
        ("noatime,flock,x-systemd.automount", 1),
        ("defaults,noatime,flock,_netdev", 0),
        ("defaults,_netdev,nofail", 0),
        ("noauto,flock", 0),
        ("$OPTIONS", 0),
        ("defaults,${MORE}", 0),
    ],
)
def test_lustre_in_fstab(options, wanted):
    line = f'echo "{DNS}@tcp:/abcdefgh /fsx lustre {options} 0 0" | tee -a /etc/fstab'
    found = of_rule("TRN393", judge_template(launches(line)))
    assert len(found) == wanted
    elsewhere = line.replace("/etc/fstab", "/root/notes")
    assert not of_rule("TRN393", judge_template(launches(elsewhere)))
    assert not found or "mounts Lustre at /fsx by /etc/fstab without _netdev" in found[0].message


@pytest.mark.parametrize(
    "line",
    [
        f"mount -t lustre -o relatime,flock {DNS}@tcp:/abcdefgh /fsx",
        f"# {DNS}@tcp:/abcdefgh /fsx lustre defaults 0 0",
        f"echo {DNS}@tcp:/abcdefgh /fsx lustre",
        "echo fs.example.com:/ /home nfs4 defaults 0 0 >>/etc/fstab",
    ],
)
def test_what_is_no_line_of_lustre_in_fstab(line):
    assert not of_rule("TRN393", judge_template(launches(line)))


@pytest.mark.parametrize(
    "line",
    [
        'echo "$DNS@tcp:/$NAME $MOUNT lustre defaults,flock 0 0" >>/etc/fstab',
        "echo '${FSX_DNS}@tcp:/${FSX_NAME}  /fsx  lustre  defaults,flock  0  0' >> /etc/fstab",
    ],
)
def test_names_that_the_shell_fills_in_hide_no_missing_option(line):
    assert len(of_rule("TRN393", judge_template(launches(line)))) == 1


def test_a_line_with_references_of_the_template_is_read():
    template = launches("X").replace(
        "Fn::Base64: |\n            #!/bin/bash\n            X",
        'Fn::Base64:\n            Fn::Sub: "#!/bin/bash\\necho ${Fs.DNSName}@tcp:/'
        '${Fs.LustreMountName} /fsx lustre defaults 0 0 >>/etc/fstab"',
    )
    template += "  Fs:\n    Type: AWS::FSx::FileSystem\n    Properties: {FileSystemType: LUSTRE}\n"
    assert len(of_rule("TRN393", judge_template(template))) == 1


def test_a_cloud_config_that_lists_mounts_is_not_misread():
    line = f'mounts: [["{DNS}@tcp:/abcdefgh", /fsx, lustre, "defaults,flock", "0", "0"]]'
    assert not of_rule("TRN393", judge_template(launches(line, start="#cloud-config")))
