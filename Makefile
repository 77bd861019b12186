# Two commands do everything on a fresh machine: `make demo` and `make test`.
# uv installs, in a fourth of pip's time: the system's own, or the one that pip brings; where it cannot, pip does.
# PYTHON chooses the interpreter (3.11 or newer).

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
PIP := $(RUN)/python -m pip --quiet --disable-pip-version-check
INDEX = $(or $(UV_DEFAULT_INDEX),$(UV_INDEX_URL),$(PIP_INDEX_URL),$(shell $(RUN)/python -m pip config get global.index-url 2>/dev/null))

INSTALL = install() { \
	VIRTUAL_ENV=$(VENV) $(if $(INDEX),UV_DEFAULT_INDEX=$(INDEX)) UV_HTTP_TIMEOUT=20 $(or $(UV),$(RUN)/uv) pip install --quiet "$$@" \
	|| { echo "uv could not install: pip does"; $(PIP) install --no-compile "$$@"; }; }; install

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
	@echo "installing unmoored with the extras $*"
	@$(INSTALL) -e ".[$*]"
	@touch $@

$(RUN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "unmoored needs Python 3.11 or newer, found " + sys.version.split()[0])'
ifdef UV
	uv venv --quiet --allow-existing --seed --python $(PYTHON) $(VENV)
else
	$(PYTHON) -m venv $(VENV)
	-@$(PIP) install uv
endif
