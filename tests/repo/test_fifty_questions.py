"""The page with fifty questions: its links lead to sections that name what the answers name."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def slug(heading):
    """The anchor that the site gives a heading: that of GitHub."""
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", heading.strip().lower()))


def section(page, anchor):
    """The text of a page from the heading with that anchor to the next one as high, or None."""
    text = re.sub(
        r"^```.*?^```", lambda m: m[0].replace("\n#", "\n "), page.read_text("utf-8"), flags=re.S | re.M
    )
    headings = [(m.start(), len(m[1]), slug(m[2])) for m in re.finditer(r"^(#+) (.*)$", text, re.M)]
    for k, (start, level, own) in enumerate(headings):
        if own == anchor:
            ends = [other for other, depth, _ in headings[k + 1 :] if depth <= level]
            return text[start : ends[0] if ends else len(text)]
    return None


def test_each_question_is_answered_where_its_link_leads():
    text = (DOCS / "fifty-questions.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+\?[^|]*) \| ([^|]+) \| \[[^]]+\]\(([^)#]+)#([^)]+)\) \|$", text, re.M)
    assert len(rows) == 50
    for question, answer, path, anchor in rows:
        found = section(DOCS / path, anchor)
        assert found is not None, f"{question} {path}#{anchor}"
        for name in re.findall(r"`([^`]+)`", answer):
            word = re.split(r"[=(]", name)[0].split(".")[-1]
            assert word in found, f"{path}#{anchor} does not name {word}"
