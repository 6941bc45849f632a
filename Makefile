GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
DEMO    := build/demo

.PHONY: build demo test test-long bench lint fmt clean

# Build bin/kcut.
build:
	$(GO) build -ldflags '-X main.version=$(VERSION)' -o bin/kcut ./cmd/kcut

# Make people, anonymize them, and look at what came out.
demo: build
	rm -rf $(DEMO)
	mkdir -p $(DEMO)
	cp docs/demo/*.yaml $(DEMO)
	bin/kcut sample --rows 100000 $(DEMO)/people.parquet
	bin/kcut run $(DEMO)/people.yaml
	bin/kcut show $(DEMO)/release.parquet
	bin/kcut verify $(DEMO)/release.parquet

# The fast tests of the whole repository.
test:
	$(GO) test ./...

# The tests that take minutes, too.
test-long:
	KCUT_LONG=1 $(GO) test -timeout 60m ./...

bench:
	$(GO) test -run '^$$' -bench . ./...

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted: $$unformatted" >&2; exit 1; }
	$(GO) vet ./...

fmt:
	gofmt -w .

clean:
	rm -rf bin build
