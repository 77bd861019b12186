"""The examples in the description of the format load."""

import re
from pathlib import Path

import pytest

from unmoored.model import JOINTS
from unmoored.model.files import format_yaml, parse_yaml
from unmoored.system.loading import built_in

PAGE = (Path(__file__).parents[3] / "docs" / "system-files.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split()[3])
def test_examples_load_and_round_trip(text):
    tree = parse_yaml(text, built_in=built_in)
    assert parse_yaml(format_yaml(tree)) == tree


def test_the_page_has_examples_and_names_every_joint():
    assert len(EXAMPLES) == 7
    assert all(f"`{kind}`" in PAGE for kind in JOINTS)
