# A short front to CMake. Every target does all the set-up that a fresh Debian 12 machine needs.
PYTHON := /usr/bin/python3
JOBS ?= $(shell nproc)
# The time in packages, manual pages and the bill of materials: the same sources give the same bytes.
ifndef SOURCE_DATE_EPOCH
  export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
endif
SOURCES = $(shell git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp')
# Suites whose name begins with Slow run in test-all only.
FAST := --exclude-regex '(^|/)Slow'
RUN_TESTS := ctest --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: build demo reproduce reproduction docs test test-all test-browser test-asan test-asan-fast test-tsan test-python test-wheel coverage bench bench-build bench-peers bench-peers-environments format format-check lint clean build-mpi test-mpi test-slurm test-cluster-python test-r install install-r manual deb wheel sbom release test-packages lint-python lint-r bench-scale fuzz fuzz-readers

build: build/build.ninja
	@cmake --build build --parallel $(JOBS) --target program

# The paper's experiments; data are found by GGPM_DATA_DIR. docs/reproduction.md says how long it takes.
# What was computed is kept in build/reproduction and gone on with: REPRODUCE='--seconds 3600'.
REPRODUCE ?=
reproduce: build
	@mkdir -p build/reproduction && build/ggpm reproduce all -o build/reproduction $(REPRODUCE)

# The same, renewing docs/reproduction.md and its pages.
reproduction: build
	@mkdir -p build/reproduction && build/ggpm reproduce all -o build/reproduction --pages docs $(REPRODUCE)

demo: build
	@scripts/demo build/ggpm

# Command, library, headers, manual pages; R and C++ programs find them by pkg-config.
PREFIX ?= /usr/local
install: manual
	@cmake --install build --prefix $(PREFIX)

# The package of R, on the library in PREFIX: into the first library of R, or that of the user where he may not write there.
install-r: install
	@scripts/dependencies r
	@library=$$(Rscript -e 'path <- .libPaths()[1]; if (file.access(path, 2) != 0) dir.create(path <- path.expand(Sys.getenv("R_LIBS_USER")), FALSE, TRUE); cat(path)') && \
	  GGPM_HOME=$(abspath $(PREFIX)) MAKEFLAGS=-j$(JOBS) R CMD INSTALL --clean --library="$$library" r

manual: build
	@cmake --build build --target manual

# Packages for Debian in build/packages: ggpm, libggpm-dev, python3-ggpm. The same sources give the same bytes.
deb: manual
	@scripts/dependencies deb
	@scripts/sbom --notices compiled-in > build/copyright
	@cd build && cpack -G DEB -B packages >/dev/null
	@ls build/packages/*.deb

# Wheels for machines that have nothing but Python, in build/packages: one for each CPython >= 3.9 whose headers are here.
wheel: build
	@scripts/dependencies venv
	@PYTHON=$(PYTHON) scripts/wheel build/packages

sbom:
	@mkdir -p build/packages && scripts/sbom $(wildcard build/packages/ggpm-*.whl build/packages/*.deb) > build/packages/ggpm.spdx.json

# make release VERSION=0.2.0: checks, packages, changelog, commit and tag; publishes nothing.
release:
	@scripts/release '$(VERSION)' .ci/run 'make test-r test-wheel' 'make deb wheel sbom'

# Every wheel with its Python, and packages in a bare root: needs root, debootstrap and the network.
test-packages: deb wheel
	@scripts/dependencies bare
	@tests/packages/wheels build/packages
	@tests/packages/bare build/packages

test: build/build.ninja runtime
	@cmake --build build --parallel $(JOBS)
	@$(RUN_TESTS) --test-dir build $(FAST)
	@$(MAKE) --no-print-directory test-python

test-all: build/build.ninja runtime
	@cmake --build build --parallel $(JOBS)
	@$(RUN_TESTS) --test-dir build
	@$(MAKE) --no-print-directory test-python SLOW=--slow
	@$(MAKE) --no-print-directory test-browser test-wheel test-asan test-tsan

# The pages of reports and comparisons in a real browser, which only this target needs. Exit code 77:
# there is one, and it cannot start here.
test-browser: build
	@scripts/dependencies browser
	@OPENBLAS_NUM_THREADS=1 $(PYTHON) tests/report/browser.py build/ggpm examples || \
	  { code=$$?; [ $$code -eq 77 ] && echo "test-browser: skipped" || exit $$code; }

# Many fits through joblib, Dask, Ray and Spark: needs the network.
test-cluster-python: build
	@scripts/dependencies venv pytest spark
	@PYTHON=$(PYTHON) tests/python/cluster

build-mpi: build/build.ninja
	@scripts/dependencies mpi
	@cmake -DGGPM_MPI=ON build >/dev/null && cmake --build build --parallel $(JOBS) --target ggpm_cli ggpm_mpi ggpm_scalapack

# Fits and a job array under a Slurm of this one machine, whose daemons it installs: needs root.
test-slurm: build-mpi
	@scripts/dependencies slurm
	@$(PYTHON) tests/mpi/slurm.py build/ggpm

# Fits on 1 to 8 ranks with Open MPI, then most of it with MPICH: both are installed, and ranks may be more than cores.
test-mpi: build-mpi
	@mpicxx.mpich -std=c++20 -O2 -fPIC -shared mpi/ggpm_mpi.cpp -o build/libggpm_mpich.so
	@mpicxx.mpich -std=c++20 -O2 -fPIC -shared mpi/ggpm_scalapack.cpp -lscalapack-mpich -o build/libggpm_scalapack_mpich.so
	@$(PYTHON) tests/mpi/ranks.py build/ggpm --mpirun mpirun.openmpi
	@for part in "--quick" "--only reading" "--only sentences" "--only scalapack" "--only kills"; do \
	  $(PYTHON) tests/mpi/ranks.py build/ggpm $$part --mpirun mpirun.mpich --component build/libggpm_mpich.so \
	    --scalapack build/libggpm_scalapack_mpich.so || exit 1; done

# The Python package as it was just built, once it has tests; SLOW=--slow: every family with every inference, too.
test-python:
	@if [ -d tests/python ]; then scripts/dependencies pytest && \
	  OPENBLAS_NUM_THREADS=1 PYTHONPATH=build/python $(PYTHON) -m pytest -q -n $(JOBS) $(SLOW) tests/python; fi

# The same tests with what pip builds and installs, and the newest packages beside it: needs the network.
test-wheel: dependencies
	@scripts/dependencies venv
	@PYTHON=$(PYTHON) tests/python/wheel

# The R package as a user gets it: R CMD check as CRAN runs it, without its questions to the internet.
test-r: build
	@scripts/dependencies r rcheck
	@tests/r/check build

test-asan test-tsan: test-%: dependencies runtime
	@cmake --preset $* >/dev/null
	@cmake --build --preset $* --parallel $(JOBS)
	@$(RUN_TESTS) --test-dir build-$* $(FAST)

# The part that fits into every run: the layers that read foreign input and touch raw memory. Matrices
# and their explicit inverses take minutes more there: test-asan has them.
FAST_ASAN := data kernel numeric text
test-asan-fast: dependencies
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --parallel $(JOBS) --target $(FAST_ASAN:%=test_%)
	@for layer in $(FAST_ASAN); do build-asan/tests/test_$$layer --gtest_brief=1 --gtest_filter='-*Slow*' || exit 1; done

# What reads foreign bytes, attacked by libFuzzer under both sanitizers, each target for so long: make fuzz
# SECONDS=600 FUZZ='csv kernel'. FUZZ empty: all; fuzz-readers: those that need the lower layers only.
SECONDS ?= 20
FUZZ ?=
FUZZ_READERS := csv kernel mean model_formula expression
fuzz:
	@scripts/dependencies build fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --parallel $(JOBS) --target $(if $(FUZZ),$(FUZZ:%=fuzz_%),fuzzers)
	@fuzz/run build-fuzz $(SECONDS) $(FUZZ)

fuzz-readers:
	@$(MAKE) --no-print-directory fuzz FUZZ='$(FUZZ_READERS)'

# The documentation as a site, build/docs/index.html; warnings are errors. Its blocks are run by test-python.
docs: build
	@scripts/dependencies docs
	@mkdir -p build/doxygen && doxygen docs/Doxyfile
	@$(PYTHON) -m sphinx -q -W --keep-going -b html docs build/docs
	@echo build/docs/index.html

# Lines and branches of src/ that the tests of C++ reach, in the terminal and in build-coverage/html.
coverage: dependencies runtime
	@scripts/dependencies coverage
	@cmake --preset coverage >/dev/null
	@cmake --build --preset coverage --parallel $(JOBS)
	@find build-coverage -name '*.gcda' -delete
	@$(RUN_TESTS) --test-dir build-coverage $(FAST)
	@scripts/coverage build-coverage

# No test runs these programs; that they compile is checked in every run of CI.
bench-build: build/build.ninja
	@cmake --build build --parallel $(JOBS) --target benchmarks

bench: bench-build
	@for program in build/bench/bench_*; do echo "== $$program"; $$program || exit 1; done

# Against other programs, on this machine: installs them into build/peers-env, measures for up to
# 20 minutes, writes docs/performance.md. What was measured before is kept: PEERS=--fresh forgets it.
PEERS ?=
bench-peers bench-peers-environments: build/build.ninja
	@scripts/dependencies pytest venv
	@cmake --build build --parallel $(JOBS) --target program bench_inference
	@$(PYTHON) bench/peers $(if $(filter %-environments,$@),--environments) $(PEERS)

# Large n beside other programs, on data whose truth is known; SCALE='--rows 1e4 --scenes S1 ...'.
SCALE ?=
bench-scale: build/build.ninja
	@scripts/dependencies pytest venv peers
	@cmake --build build --parallel $(JOBS) --target program
	@$(PYTHON) bench/scale $(SCALE)

format: tools
	@clang-format -i $(SOURCES)

format-check: tools
	@clang-format --dry-run -Werror $(SOURCES)

# clang-tidy cannot read headers that gcc has precompiled. SINCE=COMMIT: only what changed since.
SINCE ?=
lint: dependencies tools
	@scripts/dependencies fuzz mpi
	@cmake --preset release -B build-lint -DGGPM_BUILD_TESTS=OFF -DGGPM_BUILD_BENCH=OFF -DGGPM_FUZZ=ON \
	  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPython_EXECUTABLE=$(PYTHON) >/dev/null
	@scripts/lint build-lint $(JOBS) $(SINCE)

# ruff and mypy of PyPI, in an environment of their own; types of arrays are NumPy's.
lint-python:
	@scripts/dependencies python venv
	@[ -x build/lint-env/bin/mypy ] || { $(PYTHON) -m venv build/lint-env && \
	  build/lint-env/bin/pip --disable-pip-version-check --quiet install ruff mypy numpy; }
	@build/lint-env/bin/ruff check --quiet . $$(grep -lI '^#!.*python3' scripts/*) && build/lint-env/bin/mypy --no-error-summary

# lintr on the R package, as r/.lintr says.
lint-r:
	@scripts/dependencies rlint
	@cd r && Rscript -e 'found <- lintr::lint_package("."); print(found); quit(status = length(found) > 0)'

clean:
	rm -rf build build-debug build-asan build-tsan build-coverage build-lint build-fuzz

.PHONY: dependencies runtime tools
dependencies:
	@scripts/dependencies build python test bench
# What tests run besides what was built: a validator of JSON, a converter of pictures.
runtime:
	@scripts/dependencies run
tools:
	@scripts/dependencies tools

build/build.ninja: CMakePresets.json | dependencies
	@cmake --preset release -DPython_EXECUTABLE=$(PYTHON)
	@touch $@
