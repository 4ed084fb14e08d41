# The front door; Meson and ninja do the work.
PREFIX ?= /usr/local
BUILD ?= build
export PATH := /usr/bin:$(PATH)

.PHONY: all demo test install bench format
all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	scripts/setup
	meson setup $(BUILD) --prefix $(PREFIX)

demo: all
	scripts/demo $(BUILD)

test: all
	meson test -C $(BUILD) --print-errorlogs

bench: all
	ninja -C $(BUILD) bench

install: all
	meson configure $(BUILD) --prefix $(abspath $(PREFIX))
	meson install -C $(BUILD)

format:
	scripts/format --write
