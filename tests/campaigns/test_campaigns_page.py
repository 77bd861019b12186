"""The code and the file on the page about campaigns."""

import re
from pathlib import Path

import unmoored as um
from unmoored.campaigns.campaign_file import parse_campaign

PAGE = Path(__file__).parents[2] / "docs" / "campaigns.md"


def test_the_code_on_the_page_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    scope = {"folder": tmp_path}
    exec(code, scope)
    assert scope["results"].complete
    assert (tmp_path / "fan.png").exists()
    assert "payload.mass" in (tmp_path / "crane.html").read_text(encoding="utf-8")
    assert scope["run"].t[-1] == 1.0


def test_the_file_on_the_page_is_a_campaign():
    text = re.findall(r"```yaml\n(unmoored_campaign.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[0]
    campaign = parse_campaign(text)
    assert campaign.samples == 1000
    assert campaign.plan.channels[-1] == "tool.x"
    assert isinstance(campaign, um.Campaign)
