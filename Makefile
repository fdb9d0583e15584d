# Oriel. `make run` serves a desktop, `make demo` shows the main job end to end,
# `make test` runs all that CI runs.

.DEFAULT_GOAL := help
.PHONY: help run demo test build adapters tools fmt golden clean

ADAPTERS := generic gtk-dialogs mousepad featherpad gnome-calculator libreoffice-calc
WASM := $(ADAPTERS:%=bin/adapters/%.wasm)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## serve the desktop of $$DISPLAY, or a virtual one with sample applications
	@scripts/install build desktop samples ocr
	@$(MAKE) --no-print-directory build
	@exec bin/oriel serve --adapters bin/adapters --sample

demo: ## read, edit, answer a dialog; leaves demo/ and judges by the saved file
	@scripts/install build desktop samples ocr
	@$(MAKE) --no-print-directory build
	@go run ./cmd/demo --oriel bin/oriel --adapters bin/adapters --out demo

test: ## formatting, vet, staticcheck, unit, race and real-desktop tests
	@scripts/test

build: bin/oriel adapters ## the host and the first-party adapters, in bin/

GO_SOURCES := go.mod go.sum config.toml $(shell find . -name '*.go' -not -name '*_test.go')

bin/oriel: $(GO_SOURCES)
	go build -o $@ ./cmd/host

adapters: $(WASM) ## the first-party adapters only

bin/adapters/%.wasm: bin/oriel $(GO_SOURCES) plugins/%/adapter.toml
	@mkdir -p bin/adapters
	bin/oriel adapter build plugins/$* -o $@

tools: ## the pinned development tools, in bin/
	cd tools && go build -o ../bin/ honnef.co/go/tools/cmd/staticcheck mvdan.cc/gofumpt golang.org/x/tools/cmd/deadcode

fmt: tools ## format all Go code
	bin/gofumpt -w $$(git ls-files -co --exclude-standard '*.go')

clean: ## remove what was built
	rm -rf bin demo
