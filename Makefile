GO      ?= go
# No program here has symbols, and no test needs them: without them the compiler takes a sixth less time. With the tag
# tinygo Arrow's library takes Go's own JSON, of which kcut calls nothing, instead of one that takes long to compile.
# What tests alone use of Arrow compiles in a third of the time if nothing is inlined.
export GOFLAGS += -tags=tinygo -gcflags=all=-dwarf=false '-gcflags=github.com/apache/arrow/go/v17/arrow/compute/...=-dwarf=false -l'
# The same program with a C compiler as without one, the one of releases; it starts 2 ms sooner.
export CGO_ENABLED = 0
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
DEMO    := build/demo
BEAM    := cmd/kcut-beam

.PHONY: build beam demo man release wheel wheels packages test-wheels test test-long test-browser test-readers test-sql test-dbt test-airflow test-stores test-engines screenshots race bench cells drafts lint fmt clean

# Build bin/kcut, without symbols, as releases are. They are built with -trimpath, too, for which all packages would be compiled once more.
# The compiler may take up to 1 GiB before it collects garbage, which makes it a sixth faster.
build: export GOGC = off
build: export GOMEMLIMIT = 1GiB
build:
	$(GO) build -ldflags '-s -w -X main.version=$(VERSION)' -o bin/kcut ./cmd/kcut

# Build bin/kcut-beam, which runs jobs on Apache Beam: a module of its own, whose first build takes a while (docs/dependencies.md).
beam: export GOGC = off
beam: export GOMEMLIMIT = 1GiB
beam:
	cd $(BEAM) && $(GO) build -ldflags '-s -w -X main.version=$(VERSION)' -o $(CURDIR)/bin/kcut-beam .

# Make people, anonymize them, and look at what came out.
demo: build
	rm -rf $(DEMO)
	mkdir -p $(DEMO)
	cp docs/demo/*.yaml $(DEMO)
	bin/kcut sample --rows 100000 $(DEMO)/people.parquet
	bin/kcut run $(DEMO)/people.yaml
	bin/kcut show $(DEMO)/release.parquet
	bin/kcut verify $(DEMO)/release.parquet

# Write the manual pages to build/man.
man: build
	mkdir -p build/man
	bin/kcut man build/man

# Build static programs for all systems into build/release, the same bytes every time.
release:
	GO='$(GO)' VERSION='$(VERSION)' .ci/release

# Build the Python wheel of this machine into build/wheels, with the program of make build.
wheel: build
	rm -rf build/wheels && mkdir -p build/wheels
	$(GO) run ./cmd/kcut/internal/wheel -version "$$(VERSION='$(VERSION)' .ci/version)" -time "$$(git log -1 --format=%ct)" \
		-out build/wheels $$($(GO) env GOOS)/$$($(GO) env GOARCH) bin/kcut

# Build Python wheels for all systems into build/wheels, the same bytes every time.
wheels:
	GO='$(GO)' VERSION='$(VERSION)' .ci/wheels

# Build deb and rpm packages into build/packages.
packages:
	GO='$(GO)' VERSION='$(VERSION)' .ci/packages

# Install this system's wheel into a fresh virtual environment, and run the Python of the documents. It takes Python and the network.
test-wheels:
	GO='$(GO)' VERSION='$(VERSION)' .ci/test-wheels

# The fast tests of the whole repository, with the module of kcut-beam. The heap may grow as it may in a run of kcut (spill.LimitHeap): to
# collect garbage as often as usual takes a quarter longer. What go test would vet, make lint does.
# What takes longest begins first: the others run at the same time. Without samples of what is allocated, which no test reads, each collection
# takes less time; with memory that the system takes back lazily, it need not give it again, page by page, in the next test.
test: export GOGC = 400
test: export GODEBUG = memprofilerate=0,madvdontneed=0
test:
	$(GO) test -vet=off -timeout 45m ./pipeline ./cmd/kcut ./...
	cd $(BEAM) && $(GO) test -vet=off -timeout 45m ./...

# The tests that take minutes, too.
test-long:
	KCUT_LONG=1 $(GO) test -timeout 150m ./...
	cd $(BEAM) && KCUT_LONG=1 $(GO) test -timeout 150m ./...

# Look at pages of releases in a headless Chromium (apt-get install chromium); skipped where there is none.
test-browser:
	KCUT_BROWSER=1 $(GO) test -count=1 -v -timeout 60m -run '^TestBrowser$$' ./cmd/kcut

# Have pyarrow, pandas, polars, DuckDB, fastparquet, DataFusion and Spark (where there is Java) read releases, with a Python that is
# set up in build.
READERS := build/readers/bin/python
test-readers: $(READERS)
	KCUT_READERS=$(CURDIR)/$(READERS) $(GO) test -count=1 -v -timeout 60m -run '^(TestReaders|TestNotebook)$$' ./cmd/kcut

$(READERS):
	python3 -m venv build/readers
	build/readers/bin/pip install -q pyarrow pandas polars duckdb || { rm -r build/readers; exit 1; }
	-build/readers/bin/pip install -q fastparquet datafusion pyspark

# Have DuckDB and Spark (which takes Java) run what kcut sql prints, and parse what it prints for others, with a Python that is set up in build.
# People are ROWS.
ENGINES := build/engines/bin/python
ROWS ?= 10000000
test-sql: $(ENGINES)
	KCUT_SQL=$(CURDIR)/$(ENGINES) KCUT_SQL_ROWS=$(ROWS) $(GO) test -count=1 -v -timeout 30m -run '^TestSQL$$' ./cmd/kcut

$(ENGINES):
	python3 -m venv build/engines
	build/engines/bin/pip install -q pyarrow duckdb sqlglot pyspark==4.0.1 || { rm -r build/engines; exit 1; }

# Have dbt with DuckDB count, mask and recount a model by a package of kcut, with a Python that is set up in build. dbt 1.12 and later
# download a part of theirs from elsewhere.
DBT := build/dbt/bin/dbt
test-dbt: $(DBT)
	KCUT_DBT=$(CURDIR)/$(dir $(DBT)) $(GO) test -count=1 -v -timeout 30m -run '^TestDBT$$' ./cmd/kcut

$(DBT):
	python3 -m venv build/dbt
	build/dbt/bin/pip install -q 'dbt-core<1.12' 'dbt-duckdb<1.11' || { rm -r build/dbt; exit 1; }

# Have Airflow run the DAG of examples/airflow, with a Python that is set up in build.
AIRFLOW := build/airflow/bin/airflow
test-airflow: $(AIRFLOW)
	KCUT_AIRFLOW=$(CURDIR)/$(dir $(AIRFLOW)) $(GO) test -count=1 -v -timeout 30m -run '^TestAirflow$$' ./cmd/kcut

$(AIRFLOW):
	python3 -m venv build/airflow
	build/airflow/bin/pip install -q 'apache-airflow<4' || { rm -r build/airflow; exit 1; }

# Run jobs from and to servers that speak as the clouds' stores do, which are set up in build with npm, Go and Python, and have the clouds'
# own clients read what they hold. What cannot be installed is skipped.
STORES := build/stores/bin/python
test-stores: $(STORES)
	KCUT_STORES=$(CURDIR)/build/stores $(GO) test -count=1 -v -timeout 30m -run '^TestStores$$' ./cmd/kcut

$(STORES): export GOFLAGS :=
$(STORES): export GOBIN := $(CURDIR)/build/stores/bin
$(STORES):
	-npm install --silent --no-audit --no-fund --prefix build/stores azurite@3.37.0
	-$(GO) install github.com/fsouza/fake-gcs-server@v1.56.1
	-$(GO) install github.com/versity/versitygw/cmd/versitygw@v1.8.0
	-$(GO) install github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c
	python3 -m venv build/stores
	build/stores/bin/pip install -q azure-storage-blob boto3 google-cloud-storage || rm -r build/stores

# Have Flink, with two task managers of which one is killed, and Spark run jobs of kcut-beam. It takes Java and Maven.
JARS := build/jars
test-engines: build $(JARS)/flink $(JARS)/spark
	cd $(BEAM) && KCUT_BEAM_JARS=$(CURDIR)/$(JARS) $(GO) test -count=1 -v -timeout 90m -run '^(TestEngines|TestKilledTaskManagers)$$' .

$(JARS)/%: $(BEAM)/testdata/%.xml
	mvn -q -f $< dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$@

# Take the pictures of docs/report again.
screenshots:
	KCUT_SCREENSHOTS=$(CURDIR)/docs/report $(GO) test -count=1 -v -run '^TestScreenshots$$' ./cmd/kcut

# The tests of what runs concurrently, with the race detector, which takes a C compiler. Without those
# that count what is allocated, since the detector allocates, too, without what has one goroutine, and
# without those that fail each operation of a store in turn. The sorter has its own tests.
# Two packages run at the same time, the longest ones first.
RACES := TestDividedCells|TestOrderOfTheRelease|TestProtectionsTogether|TestPartitionsResumed|TestUsage
RACES := $(RACES)|TestRefineStops|TestTIPSAgreesWithRecount/^shared
RACES := $(RACES)|TestSorterAgreesWithSort/^(50000|100000)
NORACES := Alloc|Resident|HeapGaps|HugePages|AgreesWithMap|AgreeWithMap|Fault
NORACES := $(NORACES)|OrderFails|^TestOrder$$|InStore|LongValues|Remote
race: export CGO_ENABLED = 1
race: export GOGC = 400
race:
	KCUT_CASES=9 $(GO) test -race -vet=off -timeout 20m -run '$(RACES)' \
		./pipeline ./partition/tips ./spill
	$(GO) test -race -vet=off -timeout 20m -skip '$(NORACES)' \
		./formats/dataset ./pipeline/count ./pipeline/masking ./partition ./internal/workers

# The table of docs/performance.md, and how the search scales. Minutes to half an hour.
bench:
	mkdir -p build
	KCUT_BENCH=$(CURDIR)/build/bench.md $(GO) test -timeout 2h -run '^$$' -bench '^BenchmarkTable$$' -benchtime 1x ./cmd/kcut/internal/bench
	cat build/bench.md
	$(GO) test -timeout 2h -run '^$$' -bench '^BenchmarkSpill$$' -benchtime 3x ./cmd/kcut/internal/bench
	$(GO) test -timeout 2h -run '^$$' -bench '^BenchmarkShapes$$' -benchtime 3x ./cmd/kcut/internal/bench
	$(GO) test -timeout 2h -run '^$$' -bench '^Benchmark(Adult|SearchSpilled)' -benchtime 5x ./engine/topdown

# The tables of docs/results.md on guided, auto and others, where the data of docs/cells is, and of the folder that
# KCUT_CELLS_FOLDER names. A quarter of an hour on two idle processors.
cells:
	mkdir -p build
	KCUT_CELLS=$(CURDIR)/build/cells.md $(GO) test -count=1 -timeout 2h -run '^TestCells$$' ./cmd/kcut
	cat build/cells.md

# The table of docs/results.md on what drafts keep, where the data of docs/cells is. Minutes.
drafts:
	mkdir -p build
	KCUT_DRAFTS=$(CURDIR)/build/drafts.md $(GO) test -count=1 -timeout 1h -run '^TestDrafts$$' ./cmd/kcut
	cat build/drafts.md

lint: export GOGC = 400
lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted: $$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	cd $(BEAM) && $(GO) vet ./...
	@if command -v golangci-lint >/dev/null; then golangci-lint run && cd $(BEAM) && golangci-lint run; fi
	GO='$(GO)' .ci/vulnerabilities

fmt:
	gofmt -w .

clean:
	rm -rf bin build
