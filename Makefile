# The front door; Meson and ninja do the work.
PREFIX ?= /usr/local
BUILD ?= build
# What `make test QUICK=1` leaves out: long runs, and programs and languages that are not this project's own.
FOREIGN = slow guest ocaml viewer
export PATH := /usr/bin:$(PATH)

.PHONY: all check demo test install bench format dist deb
all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	scripts/setup
	meson setup $(BUILD) --prefix $(PREFIX)

demo: all
	scripts/demo $(BUILD)

ifdef QUICK
test:
	scripts/setup --quick
	$(MAKE) all
	@meson test -C $(BUILD) --print-errorlogs $(FOREIGN:%=--no-suite %); status=$$?; \
	    echo "Left out: the suites $(FOREIGN) (make test runs them too)"; exit $$status
else
test:
	scripts/setup --tests
	$(MAKE) all
	meson test -C $(BUILD) --print-errorlogs
endif

# One test by its name, as `meson test -C build --list` has it: make check T="cli leaks.sh"
check: $(BUILD)/build.ninja
	$(if $(T),,$(error no test: name one with T="cli leaks.sh"))
	ninja -C $(BUILD)
	meson test -C $(BUILD) --no-rebuild --print-errorlogs "$(T)"

bench: all
	ninja -C $(BUILD) bench

install: all
	meson configure $(BUILD) --prefix $(abspath $(PREFIX))
	meson install -C $(BUILD)

format:
	scripts/format --write

# The source archive, and Debian packages made from it, in the current folder.
dist:
	scripts/dist

deb:
	scripts/deb
