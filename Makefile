# Every target is complete on a fresh Debian 12 machine that has the Swift toolchain and root or sudo.

# Seconds that each fuzz target runs.
SECONDS ?= 60
# Packets of the benchmark's captures; the second one shows that memory does not grow.
PACKETS ?= 2000000
MORE_PACKETS ?= 10000000

# Places that `make mutants` changes, and the seed of their choice.
MUTANTS ?= 160
SEED ?= 1

# Runs a command in a guest whose kernel has Bluetooth.
BTVM ?= ../shared/tools/btvm

BUILD_PACKAGES = pkg-config zlib1g-dev libpcap-dev libbluetooth-dev
TEST_PACKAGES = tshark python3-venv bluez-test-tools valgrind
RELEASE = GATTBENCH_TUNED=1 swift build -c release --static-swift-stdlib --product

.PHONY: help demo samples build test mutants interop-vm live-vm lint format fuzz instructions template documentation bench golden clean install install-tests

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## Emulate a device and its app, decode and check their traffic; no hardware needed
	@.build/release/gattbench demo --out .build/demo

samples: build ## Decode the sample captures and print their contents
	@scripts/samples

build: install ## Build the release program: .build/release/gattbench
	$(RELEASE) gattbench

test: install install-tests ## Build and run all tests, or those of some modules (MODULES="ATT Host"); Bluetooth tests run in a guest (BTVM=../shared/tools/btvm)
	@BTVM=$(BTVM) MODULES="$(MODULES)" scripts/test

mutants: install ## Change the code in MUTANTS places and write to docs/mutants.md which changes no test notices (MUTANTS=160 SEED=1)
	@scripts/mutants --count $(MUTANTS) --seed $(SEED) --page docs/mutants.md

interop-vm: build install-tests ## Test an emulated puck against BlueZ in a guest with Bluetooth (BTVM=../shared/tools/btvm)
	@BTVM=$(BTVM) scripts/interop-vm

live-vm: build install-tests ## Test live capture in a guest with Bluetooth (BTVM=../shared/tools/btvm FLOOD=60)
	@BTVM=$(BTVM) scripts/live-vm

golden: install ## Rewrite generated files: captures/ with its expected outputs, pages and tables of docs/
	GATTBENCH_REWRITE_GOLDEN=1 swift test --disable-xctest \
		--filter '^CapturesFolderTests\.|CorePagesTests|RealCapturesTests|DeviceRulesPageTests|AquavateTests\.MutationTests|thePageSays'

lint: ## Check the style of all Swift files
	@scripts/lint Sources Plugins Templates Tests Package.swift

format: ## Format all Swift files
	swift format format -i -r Sources Plugins Templates Tests Package.swift

fuzz: install ## Fuzz every entry point for SECONDS each (SECONDS=60; TARGETS="pcap filter" for some)
	@Tests/Fuzz/run $(SECONDS) $(TARGETS)

template: install ## Build the template of a plugin outside this repository and run its tests and its program
	@scripts/plugin-template

documentation: install ## Build the reference of the modules that a plugin imports, in .build/documentation
	@scripts/documentation

instructions: install install-tests ## Count instructions per packet and compare them with the thresholds (REWRITE=1 replaces the thresholds)
	$(RELEASE) gattbench
	$(RELEASE) gattbench-benchmarks
	@scripts/instructions $(if $(REWRITE),--rewrite)

bench: install install-tests ## Measure speed and memory beside tshark (PACKETS=2000000 MORE_PACKETS=10000000)
	$(RELEASE) gattbench
	$(RELEASE) gattbench-benchmarks
	@.build/release/gattbench-benchmarks .build/release/gattbench $(PACKETS) $(MORE_PACKETS)

clean: ## Remove everything that was built
	rm -rf .build

install:
	@scripts/install $(BUILD_PACKAGES)

install-tests:
	@scripts/install --optional $(TEST_PACKAGES)
	@scripts/install-bumble
