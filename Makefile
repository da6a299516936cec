# `make run` and `make test` set up the environment on first use; `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard assets/languages/*.po))

# Debian packages for OpenGL without a window, for the window, and for the tests of the window.
GL := libegl1 libgl1 libgl1-mesa-dri
DESKTOP := libxrandr2 libxinerama1 libxcursor1 libxi6
DISPLAY_SERVER := xvfb xauth
# To run it on the Windows API: Wine, a compiler for what Wine does not have, and tools to look at windows.
WINE := wine wine64 gcc-mingw-w64-x86-64-win32 mingw-w64-tools binutils-mingw-w64-x86-64 procps xdotool imagemagick
VENV := $(shell $(PYTHON) -c 'import ensurepip' 2>/dev/null || echo python3-venv ca-certificates)

.NOTPARALLEL:
.PHONY: help run test test-long windows fuzz referees lint format pages pictures manual lock clean packages-run packages-test texts

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: packages-run $(CATALOGUES) ## open the window on the sample, or on ARGS="open PATH"; without a display write preview.png
	@MSHVIEW_PREVIEW=preview.png $(BIN)/python -m viewer $(ARGS)

test: packages-test $(CATALOGUES) ## run the tests, a worker per core; ARGS goes to pytest: "-n 0 --pdb" is one process
	@$(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal $(ARGS)

test-long: packages-test $(CATALOGUES) ## run the tests whole, before a release: the long ones, every random example, every file of the corpora
	@MSHVIEW_TESTS=whole $(BIN)/python -m pytest -m "" --timeout 1800 --numprocesses auto --maxprocesses 8 --dist worksteal $(ARGS)

windows: packages-test $(CATALOGUES) ## try the program on the Windows API, under Wine, and run the tests there; ARGS goes to pytest
	@sh .ci/packages $(WINE)
	@$(BIN)/python packaging/wine/environment.py build/windows
	@$(BIN)/python packaging/wine/smoke.py build/windows
	@packaging/wine/test build/windows $(ARGS)

MINUTES ?= 10
fuzz: packages-test $(CATALOGUES) ## attack the program with mutants for MINUTES=10; ARGS goes to tests.fuzz
	@$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(ARGS)

referees: packages-test $(READY) ## install other programs and let them judge exported files; ARGS goes to tests.referees
	@command -v npm >/dev/null || sh .ci/packages nodejs npm
	@sh .ci/packages chromium-headless-shell assimp-testmodels assimp-utils
	@$(PYTHON) -m venv .referees/blender
	@.referees/blender/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/referees/blender/requirements.txt
	@$(PYTHON) -m venv .referees/browser
	@.referees/browser/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/referees/browser/requirements.txt
	@$(PYTHON) -m venv .referees/trimesh
	@.referees/trimesh/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/referees/trimesh/requirements.txt
	@$(PYTHON) -m venv .referees/kaitai
	@.referees/kaitai/bin/python -m pip install --quiet --disable-pip-version-check --requirement tests/referees/kaitai/requirements.txt
	@cp tests/referees/node/package.json .referees/
	@npm install --prefix .referees --no-package-lock --no-audit --no-fund --silent
	@$(BIN)/python -m tests.referees $(ARGS)

lint: $(READY) ## style, format, types and layer contracts
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(READY) ## fix style and format automatically
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

texts: $(READY) ## bring the catalogues of other languages up to date, and list what is missing
	@$(BIN)/python assets/languages/make.py
	@$(MAKE) --no-print-directory $(CATALOGUES)

pages: $(READY) ## write the pages of the manual that follow from the program
	@$(BIN)/python -m docs.make

pictures: packages-test $(READY) ## take the pictures of the manual in the program
	@$(BIN)/python -m docs.make.pictures

manual: pages ## write the manual as pages for a browser, to build/manual
	@$(PYTHON) -m venv build/mkdocs
	@build/mkdocs/bin/python -m pip install --quiet --disable-pip-version-check mkdocs-material
	@NO_MKDOCS_2_WARNING=1 build/mkdocs/bin/mkdocs build --quiet --strict --config-file packaging/mkdocs.yml

COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --quiet --no-header --no-annotate
lock: $(READY) ## resolve the dependencies into requirements.lock, and those of the bundle into packaging/requirements.lock
	@$(BIN)/python -m pip install --quiet uv
	@$(COMPILE) --extra dev --upgrade -o requirements.lock
	@sed '/--hash/d; s/ *\\$$//' requirements.lock > build-versions.txt
	@$(COMPILE) --extra bundle --upgrade --constraint build-versions.txt -o packaging/requirements.lock
	@rm build-versions.txt

clean: ## remove everything that was set up and built
	rm -rf .venv .referees build dist preview.png .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache fuzz-failures

packages-run:
	@sh .ci/packages $(VENV) $(GL) $(DESKTOP)

packages-test:
	@sh .ci/packages $(VENV) $(GL) $(DISPLAY_SERVER)

%.mo: %.po | $(READY)
	@$(BIN)/pybabel --quiet compile --input-file $< --output-file $@

$(READY): requirements.lock pyproject.toml
	@sh .ci/packages $(VENV)
	@$(PYTHON) -c 'import sys; sys.exit("mshview: needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@echo "mshview: setting up .venv"
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
