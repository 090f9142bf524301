# The few commands a person types. The build itself is CMake's: see
# CMakeLists.txt and CMakePresets.json.
#
#   make run      install what is missing, build, show this machine
#   make check    install what is missing, build in every way, run all tests
#   make check-quick   the part of it that is worth a minute after each change
#   make coverage how much of each folder the tests execute
#   make bench    figures side by side with a floor measured in the same run
#   make install  install below PREFIX (default /usr/local)

PREFIX ?= /usr/local
BUILD  := build

.PHONY: all run check check-quick coverage bench install clean

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

bench:
	@scripts/install-packages
	@cmake --preset full >/dev/null
	@cmake --build --preset full
	@scripts/bench $(BUILD)-full

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD) $(BUILD)-*
