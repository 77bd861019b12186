# Two commands do everything on a fresh machine: `make demo` and `make test`.
# uv is used if it is there, plain venv and pip if not. PYTHON chooses the interpreter (3.11 or newer).

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

ifdef UV
INSTALL := VIRTUAL_ENV=$(VENV) uv pip install --quiet
MAKE_VENV := uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
else
INSTALL := $(RUN)/python -m pip install --quiet --no-compile --disable-pip-version-check
MAKE_VENV := $(PYTHON) -m venv $(VENV)
endif

# Tests start the package in hundreds of processes: without byte code each would compile all of its source anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test docs gallery long lint unit browser bench generated clean

demo: $(VENV)/.installed-views,data
	$(RUN)/unmoored demo

# the linters beside the tests, whose two workers do not fill two cores at their beginning and end
test: $(VENV)/.installed-test
	$(MAKE) --no-print-directory -j 2 lint unit

# Kills, damage and hostile files by the hundred, and the parameters marked `long`: minutes, not part of `make test`.
long: $(VENV)/.installed-test
	$(RUN)/pytest tests/long -n auto --dist worksteal
	$(RUN)/pytest -m long -n auto --dist worksteal

lint: $(VENV)/.installed-test
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/pyright

unit: $(VENV)/.installed-test browser
	$(RUN)/pytest -n auto --dist worksteal

# The browser tests drive Debian's chromium; this installs it if it is missing and says so if it cannot.
browser: $(VENV)/.installed-test
	$(RUN)/python tests/views/ensure_chromium.py

bench: $(VENV)/.installed-bench
	$(RUN)/unmoored bench -o out/bench.json

# the site, from the pages in docs/: a broken link or a missing reference ends it; out/site/index.html is its first page
docs: $(VENV)/.installed-docs
	$(RUN)/sphinx-build -W --keep-going -q docs out/site

# a film of every scenario and example, and the page that shows them
gallery: $(VENV)/.installed-test
	$(RUN)/python docs/gallery/make_gallery.py

# names, reference page and schemas, which tests compare with the code
generated: $(VENV)/.installed-test
	$(RUN)/python -m tests.repo.regenerate

clean:
	rm -rf $(VENV) build dist out .pytest_cache .ruff_cache

$(VENV)/.installed-%: pyproject.toml | $(RUN)/python
	$(INSTALL) -e ".[$*]"
	@touch $@

$(RUN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "unmoored needs Python 3.11 or newer, found " + sys.version.split()[0])'
	$(MAKE_VENV)
