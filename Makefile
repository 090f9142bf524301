# Shortcuts for common commands. The build itself uses CMake: see CMakeLists.txt and
# CMakePresets.json.
#
#   make run      install what is missing, build, show this machine
#   make check    install what is missing, build all configurations, run all tests
#   make check-quick   a part of it that takes a minute, for use after each change
#   make coverage coverage of the tests by folder
#   make bench    run the benchmarks, compared with a minimal program in the same run
#   make bench-against BUILD=DIR   compare with another build of tt_smi
#   make bench-peers PEERS=DIR     compare with DIR/nvtop and DIR/tt-toplike
#   make bench-fleet MACHINES=N    measure the cost of a simulated fleet in Prometheus and VictoriaMetrics
#   make bench-docs BUILD=DIR      measure the tables of docs/benchmarks.md again
#   make install  install below PREFIX (default /usr/local)
#   make uninstall   remove what make install installed there

PREFIX ?= /usr/local
BUILD  := build

.PHONY: all run check check-quick coverage bench bench-build bench-against bench-peers bench-fleet bench-docs install uninstall clean

all:
	@scripts/install-packages build
	@[ -e $(BUILD)/build.ninja ] || [ -e $(BUILD)/Makefile ] || cmake --preset release >/dev/null
	@cmake --build $(BUILD) -j "$$(nproc)"

run: all
	@scripts/run $(BUILD)

check:
	@scripts/install-packages
	@scripts/check

check-quick:
	@scripts/install-packages
	@scripts/check --quick

coverage:
	@scripts/install-packages
	@scripts/coverage

bench-build:
	@scripts/install-packages
	@cmake --preset full >/dev/null
	@cmake --build --preset full

bench: bench-build
	@scripts/bench build-full

bench-against: bench-build
	@python3 bench/compare.py --only "$(ROWS)" --against "$(BUILD)" build-full

bench-peers: bench-build
	@python3 bench/compare.py --only "$(ROWS)" --peers "$(PEERS)" build-full

bench-fleet: bench-build
	@python3 bench/fleet.py --machines "$(or $(MACHINES),100)" --write docs/benchmarks.md build-full

bench-docs: bench-build
	@python3 bench/record.py docs/benchmarks.md "$(BUILD)" build-full >build-full/benchmarks.md
	@mv build-full/benchmarks.md docs/benchmarks.md

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

uninstall: all
	@scripts/uninstall $(BUILD) $(PREFIX)

clean:
	@rm -rf $(BUILD) $(BUILD)-*
