"""The site: `make docs` builds it from the pages of this folder, strictly, into out/site.

Equations become MathML when the site is built, so that no page needs a script or the network to show them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

sys.path.insert(0, str(Path(__file__).parent))
from shown_where import with_places

_ROOT = Path(__file__).parents[1]
_VERSION = re.search(r'"(.+)"', (_ROOT / "src/unmoored/version.py").read_text(encoding="utf-8"))

project = "unmoored"
author = "the unmoored developers"
copyright = author
release = version = _VERSION[1] if _VERSION else "unknown"

extensions = ["myst_nb", "sphinx_copybutton"]
exclude_patterns = ["schema/*.md"]
html_theme = "furo"
html_title = "unmoored"
html_static_path = ["site_files"]
html_favicon = "site_files/mark.svg"
html_css_files = ["site.css"]
html_extra_path = ["schema"]
html_copy_source = False
templates_path: list[str] = []

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(latex2mathml.converter.convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def _displayed(writer: HTML5Translator, node: nodes.math_block) -> None:
    formula = latex2mathml.converter.convert(node.astext(), display="block")
    writer.body.append(f'<div class="equation">{formula}</div>\n')
    raise nodes.SkipNode


def _linked(app: Sphinx, name: str, source: list[str]) -> None:
    if name == "reference":
        source[0] = with_places(source[0])


#: an equation with the bracket before it or the marks behind it
_ONE = r"<math(?:(?!</math>).)*</math>"
_WITH_MARKS = re.compile(rf"\({_ONE}[.,;:)]*|{_ONE}[.,;:)]+", re.DOTALL)


def _with_breaks(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Long names in code may break after a dot, slash, colon or underscore, and nowhere else.

    No line begins with the full stop or the like behind an equation, and none ends with the bracket before one.
    """

    def broken(found: re.Match[str]) -> str:
        return (
            re.sub(r"((?:::|[._/])(?=[A-Za-z]))", r"\1<wbr/>", found[0]) if len(found[1]) > 12 else found[0]
        )

    if "body" in context:
        body = re.sub(r'(?<=<span class="pre">)([^<]*)(?=</span>)', broken, context["body"])
        context["body"] = _WITH_MARKS.sub(r'<span class="whole">\g<0></span>', body)


def setup(app: Sphinx) -> None:
    """Equations as MathML, in place of a script that would fetch fonts; links from the reference to examples."""
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    app.connect("html-page-context", _with_breaks)
    app.connect("source-read", _linked)


html_math_renderer = "mathml"
