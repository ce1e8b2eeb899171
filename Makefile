# `make demo` and `make test` do all set-up. They need Python 3.11 or later.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# a scanner of web security, in an environment of its own because it needs many packages
SCANNER := $(VENV)/scanner/bin/wapiti
SAMPLE := sample_reports/redo-disk.awr-11.2.txt
# worker processes of the test run; 0 uses a single process
JOBS ?= auto

.PHONY: demo quick test slow whole record record-diff attack fuzz mutants nightly lint format coverage cold bench bench-pay release site catalogue samples docs lock clean

demo: $(VENV)/.installed
	$(BIN)/awrlens analyze $(SAMPLE)

# a worker that is done takes over tests of another
PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -p no:schemathesis
# compiled modules are kept: otherwise every process that a test starts compiles awrlens again
quick test slow whole nightly bench-pay: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.developer
	$(PYTEST) -m "not outside" --ignore-glob="*/test_serve*.py"

# the tests for the everyday: a sample of each kind, no invented examples, nothing that takes long, no module that
# starts servers or writes stores of many reports
QUICK = -m "not (corpus or every or outside or properties or slow)" \
	$(patsubst %,--ignore-glob="*/test_%*.py",fleet serve store watch)
quick: $(VENV)/.developer
	$(PYTEST) $(QUICK)

# what `make test` leaves out: servers, browsers, the wheel, other programs, many processes, growth of time and memory
slow: $(VENV)/.developer
	$(PYTEST) -m outside

# both, by the same workers: while one waits for a server, the others go on
whole: $(VENV)/.developer
	$(PYTEST)

# what awrlens says of every report, and to the commands of tests/record.toml, as digests that the tests compare
record: $(VENV)/.developer
	$(BIN)/python tests/records.py renew

# the lines of it that are not those of the commit BASE; CASE is a part of the name of a report or command
BASE ?= HEAD
CASE ?=
record-diff: $(VENV)/.developer
	$(BIN)/python tests/records.py diff --base '$(BASE)' --case '$(CASE)'

# test INPUTS mutated samples, starting with number START; REPLAY=NUMBER repeats one and shows what fails
INPUTS ?= 20000
START ?= 0
FUZZ_JOBS ?= 1
FUZZ_LOG ?= out/fuzz.jsonl
fuzz: $(VENV)/.developer
	mkdir -p $(dir $(FUZZ_LOG))
	$(BIN)/python tools/fuzz.py $(if $(REPLAY),--replay $(REPLAY),--inputs $(INPUTS) --start $(START) --jobs $(FUZZ_JOBS) --log $(FUZZ_LOG))

# attack every report of a folder by class, with an independent reading as the oracle (docs/fuzzing.md)
CORPUS ?= ../shared/corpus
attack: $(VENV)/.developer
	$(BIN)/python tools/attack.py $(CORPUS)

# change the logic in MUTANTS places, one at a time, and see whether a test fails; SEED chooses the places
MUTANTS ?= 100
SEED ?= 1
mutants: $(VENV)/.developer
	$(BIN)/python tools/mutants.py --count $(MUTANTS) --seed $(SEED)

# test properties with many more random examples, kill 200 ingests, scan the server's pages for weaknesses, test another
# million mutated samples every day
nightly: $(VENV)/.developer $(SCANNER)
	AWRLENS_EXAMPLES=nightly $(PYTEST) -m "nightly or properties"
	$(PYTEST) $(wildcard tests/test_*.py)
	AWRLENS_EXAMPLES=nightly $(PYTEST) $(patsubst %,tests/test_%.py,store_survives store_cluster store_memory \
	  serve_faults trend_page attacks cut_and_mixed_texts redact metamorphic store_judging recovery_agrees \
	  saved_pages whole_figures round_trip locales around_lines corpus_compare compare_agreement address_space \
	  commands refusals claims_disabled advisor bad_input consistency corpus_reading simulation simulation_documents)
	AWRLENS_WAPITI=$(SCANNER) $(PYTEST) -n 0 tests/test_serve_scanner.py
	$(MAKE) fuzz INPUTS=1000000 START=$$(( $$(date +%s) / 86400 * 1000000 )) FUZZ_JOBS=$$(nproc)

lint: $(VENV)/.developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/grammar.py --check
	$(BIN)/python sample_reports/generate.py --check
	$(BIN)/python tools/docs.py --check

format: $(VENV)/.developer
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# code that the tests do not execute, including subprocesses
coverage: $(VENV)/.developer
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# statements that nothing in the record exercises, the module with the most of them last: each needs a report, a sample or
# a document, or it goes
cold: $(VENV)/.developer
	$(BIN)/coverage run --rcfile=/dev/null --source=awrlens --data-file=out/cold.coverage tests/records.py renew
	$(BIN)/coverage report --rcfile=/dev/null --data-file=out/cold.coverage --skip-covered --sort=miss --show-missing

bench: $(VENV)/.developer
	$(BIN)/python benchmarks/bench.py

# CPU instructions for our samples, compared with the commit that benchmarks/against.py names: 2 % more fail
bench-pay: $(VENV)/.developer
	$(BIN)/python benchmarks/against.py pay

# the documentation as a site, in out/site; a dead link fails, which --quiet would switch off
site: $(VENV)/.developer
	$(BIN)/python tools/docs.py --check
	$(BIN)/mkdocs build --clean

# a wheel that two builds give, the licenses and known vulnerabilities of what it needs, a bill of
# materials, checksums, the site; AUDIT=--require-audit fails if the service of advisories cannot be reached;
# with AWRLENS_BASE_URL, where the files of this version can be read, the metadata has links (tools/metadata.py)
AUDIT ?=
release: site
	$(BIN)/python tools/release.py --output dist $(AUDIT)

# generated files that are committed
catalogue: $(VENV)/.installed
	$(BIN)/python tools/grammar.py
samples: $(VENV)/.installed
	$(BIN)/python sample_reports/generate.py
docs: $(VENV)/.installed
	$(BIN)/python tools/docs.py
lock: $(VENV)/.developer
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --no-emit-trusted-host --strip-extras --no-header --allow-unsafe \
	  --extra cluster --extra mcp --extra oidc --extra otel --extra parquet --extra postgres --extra s3 --extra store --extra web \
	  --output-file requirements-dev.lock pyproject.toml requirements-dev.in
	for extra in "" web; do echo hatchling | $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --no-emit-trusted-host --strip-extras --no-header --no-annotate --allow-unsafe \
	  --constraint requirements-dev.lock $${extra:+--extra $$extra} \
	  --output-file requirements$${extra:+-$$extra}.lock pyproject.toml -; done

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "awrlens needs Python 3.11 or later: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing awrlens into $(VENV) (once, about a minute)"
	@$(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --editable .
	$(BIN)/python -m compileall -q awrlens
	touch $@

$(VENV)/.developer: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing what the tests need into $(VENV) (once, about a minute)"
	@$(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@echo "Installing awrlens itself"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q awrlens
	touch $@ $(VENV)/.installed

$(SCANNER): | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/scanner
	$(VENV)/scanner/bin/python -m pip install --quiet --disable-pip-version-check wapiti3
	touch $@

clean:
	rm -rf $(VENV) dist build out .coverage* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
