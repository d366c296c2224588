"""User data in the ways it is written: what of it is known, and the parts that it has."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import base64
import gzip
import time
from typing import Any

import pytest

from tests.trnkit.rules.templates import nodes, template
from trnkit.rules import StackSet, Template
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.user_data import UNKNOWN_PART as GAP
from trnkit.rules.reading.user_data import user_data_parts, user_data_text

SCRIPT = "#!/bin/bash\necho hello\n"
SHELL, CONFIG = "text/x-shellscript", "text/cloud-config"


def encoded(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


def archive(*parts: tuple[str, str], boundary: str = "==B==", headers: str = "") -> str:
    body = "".join(
        f"--{boundary}\nContent-Type: {kind}\n{headers}\n{text}\n" for kind, text in parts
    )
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{boundary}"\n\n{body}--{boundary}--\n'


def value(raw: Any) -> Any:
    body = {
        **template(Nodes=nodes(None, UserData=raw)),
        "Parameters": {
            "Cluster": {"Type": "String"},
            "One": {"Type": "String", "AllowedValues": ["one"]},
        },
        "Conditions": {"Yes": {"Fn::Equals": ["1", "1"]}},
    }
    stack = Template("one", "one.yaml", body)
    StackSet([stack])
    return properties_of(stack.resources["Nodes"])["LaunchTemplateData"]["UserData"]


CLUSTER = {"Ref": "Cluster"}
TEXTS: list[tuple[str, Any, str | None]] = [
    ("literal", encoded(SCRIPT), SCRIPT),
    ("literal in lines", encoded(SCRIPT)[:9] + "\n" + encoded(SCRIPT)[9:], SCRIPT),
    ("gzip", encoded(gzip.compress(SCRIPT.encode())), SCRIPT),
    ("broken gzip", encoded(b"\x1f\x8b" + b"x" * 20), None),
    ("bomb", encoded(gzip.compress(b"0" * 50_000_000)), None),
    ("not base64", "#!/bin/sh", None),
    ("bytes", encoded(b"\xff\xfe\x00"), None),
    ("Base64", {"Fn::Base64": SCRIPT}, SCRIPT),
    ("Base64 of Sub", {"Fn::Base64": {"Fn::Sub": "a ${Cluster} ${One} ${!HOME}"}}, f"a {GAP} one ${{HOME}}"),
    ("Base64 of Sub with values", {"Fn::Base64": {"Fn::Sub": ["a ${x} ${Cluster}", {"x": "y"}]}}, f"a y {GAP}"),
    ("Base64 of Join", {"Fn::Base64": {"Fn::Join": ["\n", ["a", CLUSTER, {"Ref": "One"}]]}}, f"a\n{GAP}\none"),
    ("Base64 of If", {"Fn::Base64": {"Fn::If": ["Yes", {"Fn::Sub": "a${Cluster}"}, "b"]}}, f"a{GAP}"),
    ("If of Base64", {"Fn::If": ["Yes", {"Fn::Base64": SCRIPT}, "b"]}, SCRIPT),
    ("Join with If", {"Fn::Base64": {"Fn::Join": ["", ["a", {"Fn::If": ["Yes", CLUSTER, "b"]}]]}}, f"a{GAP}"),
    ("Base64 of nobody", {"Fn::Base64": CLUSTER}, GAP),
    ("parameter", CLUSTER, None),
    ("nothing", {"Ref": "AWS::NoValue"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "text"), [row[1:] for row in TEXTS], ids=[r[0] for r in TEXTS])
def test_the_known_text_is_read(raw: Any, text: str | None):
    assert user_data_text(value(raw)) == text


CLOUD = """#cloud-config
write_files:
  - path: /etc/one.sh
    content: |
      #!/bin/sh
      true
  - {path: /etc/two, encoding: b64, content: Mg==}
  - {path: /etc/three, encoding: gz+b64, content: broken}
  - content: no path
bootcmd: [[sh, -c, "a b"]]
runcmd:
  - mount ${Cluster}
  - [echo, 1, two]
"""
OF_CLOUD = [
    (SHELL, "sh -c a b", None, True),
    (SHELL, f"mount {GAP}\necho 1 two", None, True),
    (SHELL, "#!/bin/sh\ntrue\n", "/etc/one.sh", False),
    ("text/plain", "2", "/etc/two", False),
    ("", GAP, "/etc/three", False),
]
IN_BASE64 = "Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=a.sh\n"
PARTS: list[tuple[str, Any, list[tuple[str, str, str | None, bool]]]] = [
    ("script", {"Fn::Base64": SCRIPT}, [(SHELL, SCRIPT, None, True)]),
    ("plain", {"Fn::Base64": "hello"}, [("text/plain", "hello", None, False)]),
    ("not known", {"Fn::Base64": CLUSTER}, [("", GAP, None, False)]),
    ("nothing", CLUSTER, []),
    ("node config", {"Fn::Base64": "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig"}, [("application/node.eks.aws", "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig", None, False)]),
    ("archive", {"Fn::Base64": archive((f'{SHELL}; charset="us-ascii"', SCRIPT), ("application/node.eks.aws", "kind: NodeConfig"))}, [(SHELL, SCRIPT, None, True), ("application/node.eks.aws", "kind: NodeConfig", None, False)]),
    ("archive of Sub", {"Fn::Base64": {"Fn::Sub": archive((SHELL, "#!/bin/sh\njoin ${Cluster}"))}}, [(SHELL, f"#!/bin/sh\njoin {GAP}", None, True)]),
    ("archive, plain script", {"Fn::Base64": archive(("text/plain", SCRIPT))}, [(SHELL, SCRIPT, None, True)]),
    ("archive in base64", {"Fn::Base64": archive((SHELL, encoded(SCRIPT)), headers=IN_BASE64)}, [(SHELL, SCRIPT, "a.sh", True)]),
    ("archive with gzip in base64", {"Fn::Base64": archive((SHELL, encoded(gzip.compress(SCRIPT.encode()))), headers=IN_BASE64)}, [(SHELL, SCRIPT, "a.sh", True)]),
    ("archive without parts", {"Fn::Base64": "MIME-Version: 1.0\n\nhello"}, [("text/plain", "MIME-Version: 1.0\n\nhello", None, False)]),
    ("cloud-config", {"Fn::Base64": {"Fn::Sub": CLOUD}}, [(CONFIG, CLOUD.replace("${Cluster}", GAP), None, False), *OF_CLOUD]),
    ("cloud-config in an archive", {"Fn::Base64": archive((CONFIG, "#cloud-config\nruncmd: [a]"))}, [(CONFIG, "#cloud-config\nruncmd: [a]", None, False), (SHELL, "a", None, True)]),
    ("broken cloud-config", {"Fn::Base64": "#cloud-config\n{"}, [(CONFIG, "#cloud-config\n{", None, False)]),
    ("odd cloud-config", {"Fn::Base64": "#cloud-config\nruncmd: {a: 1}\nwrite_files: 3"}, [(CONFIG, "#cloud-config\nruncmd: {a: 1}\nwrite_files: 3", None, False)]),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "parts"), [row[1:] for row in PARTS], ids=[r[0] for r in PARTS])
def test_the_parts_are_told_apart(raw: Any, parts: list[tuple[str, str, str | None, bool]]):
    found = user_data_parts(value(raw))
    assert [(p.content_type, p.text, p.filename, p.is_run) for p in found] == parts


def deep_archive(levels: int) -> str:
    text = SCRIPT
    for level in range(levels):
        inner = f'multipart/mixed; boundary="{level - 1}"' if level else SHELL
        text = f"--{level}\nContent-Type: {inner}\n\n{text}\n--{level}--\n"
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{levels - 1}"\n\n{text}'


ALIASES = "\n".join(f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))
MERGED = "\n".join(f"x{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 30))


@pytest.mark.parametrize(
    "text",
    [
        deep_archive(900),
        f"#cloud-config\nx0: &a0 [x]\n{ALIASES}\nruncmd: [*a29, [*a29, *a28]]",
        f"#cloud-config\nx0: &a0 {{x: 1}}\n{MERGED}\nruncmd: [*a29]",
        "#cloud-config\n" + "[" * 20_000,
        "#cloud-config\nruncmd: [" + "9" * 9000 + "]",
    ],
    ids=["archives in archives", "aliases", "merges", "brackets", "number"],
)
def test_user_data_that_is_a_trap_ends_soon(text: str):
    begun = time.process_time()
    assert user_data_parts(value({"Fn::Base64": text}))[0].text
    assert time.process_time() - begun < 120


def test_text_of_other_alphabets_is_read_in_archives():
    """Half of a character, as JSON can hold it, is no more than a question mark."""
    data = value({"Fn::Base64": archive((SHELL, "#!/bin/sh\necho größe \ud800"))})
    assert [part.text for part in user_data_parts(data)] == ["#!/bin/sh\necho größe ?"]
