# A short front to CMake. Every target does all the set-up that a fresh Debian 12 machine needs.
PYTHON := /usr/bin/python3
JOBS ?= $(shell nproc)
SOURCES = $(shell git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp')
# Suites whose name begins with Slow run in test-all only.
FAST := --exclude-regex '(^|/)Slow'
RUN_TESTS := ctest --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: build demo reproduce test test-all test-asan test-asan-fast test-tsan test-python test-wheel bench bench-peers bench-peers-environments format format-check lint clean

build: build/build.ninja
	@cmake --build build --parallel $(JOBS) --target program

# The paper's experiments; data are found by GGPM_DATA_DIR. docs/reproduction.md says how long it takes.
reproduce: build
	@mkdir -p build/reproduction && build/ggpm reproduce all -o build/reproduction

demo: build
	@scripts/demo build/ggpm

test: build/build.ninja runtime
	@cmake --build build --parallel $(JOBS)
	@$(RUN_TESTS) --test-dir build $(FAST)
	@$(MAKE) --no-print-directory test-python

test-all: build/build.ninja runtime
	@cmake --build build --parallel $(JOBS)
	@$(RUN_TESTS) --test-dir build
	@$(MAKE) --no-print-directory test-python test-wheel test-asan test-tsan

# The Python package as it was just built, once it has tests.
test-python:
	@if [ -d tests/python ]; then scripts/dependencies pytest && \
	  PYTHONPATH=build/python $(PYTHON) -m pytest -q tests/python; fi

# The same tests with what pip builds and installs, and the newest packages beside it: needs the network.
test-wheel: dependencies
	@scripts/dependencies venv
	@PYTHON=$(PYTHON) tests/python/wheel

test-asan test-tsan: test-%: dependencies runtime
