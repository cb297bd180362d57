# Every target is complete on a fresh Debian 12 machine that has the Swift toolchain and root or sudo.

# Seconds that each fuzz target runs.
SECONDS ?= 60
# Packets of the benchmark's captures; the second one shows that memory does not grow.
PACKETS ?= 2000000
MORE_PACKETS ?= 10000000

# Packets of `make python-bench`.
PYTHON_PACKETS ?= 2000000

# Captures of `make fleet-bench`.
FLEET ?= 2000

# Set where the release programs have just been built: each call of SwiftPM plans anew, and takes a minute.
BUILT ?=

# Places that `make mutants` changes, and the seed of their choice.
MUTANTS ?= 160
SEED ?= 1

# Seconds that `make soak` runs.
SOAK ?= 3600

# Where `make install` installs.
PREFIX ?= /usr/local

# Where `make crash` stops a sync, a gateway and a publisher.
POINTS ?= 400

# Runs a command in a guest whose kernel has Bluetooth.
BTVM ?= ../shared/tools/btvm

BUILD_PACKAGES = pkg-config zlib1g-dev libpcap-dev libbluetooth-dev libyaml-dev libsqlite3-dev libmosquitto-dev \
	libcurl4-openssl-dev libedit-dev libbsd-dev libmbedtls-dev libmd-dev libncurses-dev
# Not with the others: all of a list are installed or none.
BROWSER_PACKAGES = chromium
OFFICE_PACKAGES = libreoffice-calc-nogui
TEST_PACKAGES = tshark tcpdump python3-venv bluez-test-tools valgrind mosquitto mosquitto-clients libarchive13 zip xz-utils \
	p7zip-full
COMMIT := $(shell git describe --always --abbrev=8 --exclude='*' --dirty=+ 2>/dev/null)
STATIC = $(CURDIR)/.build/static
# Evaluated in each recipe: the first one builds the compiler of profiles for all.
PROFILES = GATTBENCH_PROFILE_COMPILER=$$(scripts/profile-compiler)
RELEASE = PKG_CONFIG_PATH=$(STATIC)/pkgconfig GATTBENCH_TUNED=1 GATTBENCH_COMMIT=$(COMMIT) $(PROFILES) swift build -c release

.PHONY: help demo samples debug-program program build test mutants interop-vm live-vm lint format fuzz instructions crash soak template documentation bench golden clean install uninstall deb tarball release package-test web-pages web-api-test browser-test wheel python-test python-bench static packages test-packages tests fleet-bench store-bench web-bench

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The debug program: it is built in a fraction of the time, and fast enough for these.
demo: debug-program ## Emulate a puck and its app, a people counter and its gateway; decode, check, report; no hardware needed
	@.build/debug/gattbench demo --out .build/demo

samples: debug-program ## Decode the sample captures and print their contents
	@scripts/samples

debug-program: packages
	$(PROFILES) swift build --product gattbench

# Without the HTTP libraries, which take minutes to build.
program: packages static
	$(RELEASE) --product gattbench

# The plan of a build of one product, as program makes it, names all products of dependencies: it is not reused here.
build: packages static ## Build the release programs: .build/release/gattbench, gattbench-full, -capture and -benchmarks
	$(if $(BUILT),,$(RELEASE) --disable-build-manifest-caching)
	@cc -O2 -Wall -Wextra -Werror packaging/capture/main.c -o .build/release/gattbench-capture

install: build ## Install the program, manual pages and completions in PREFIX (PREFIX=/usr/local DESTDIR=)
	@scripts/install-program $(PREFIX) $(DESTDIR)

uninstall: ## Remove what install installed
	@scripts/install-program --remove $(PREFIX) $(DESTDIR)

tarball: build ## Make archives that need glibc 2.36 alone, of gattbench and of the analyzer: .build/dist/gattbench-VERSION-…
	@scripts/install-packages binutils
	@scripts/tarball .build/dist

release: tarball deb ## Make all files of a release in .build/dist, without their checksums
	@cp .build/gattbench_*.deb .build/gattbench-dbgsym_*.deb .build/dist

deb: build ## Make a Debian package: .build/gattbench_VERSION_ARCHITECTURE.deb
	@scripts/install-packages debhelper
	@scripts/deb

package-test: export COMPRESSION = 1
package-test: deb ## Install the package on a new Debian 12 in a folder, use it there and remove it
	@scripts/install-packages --optional debootstrap lintian
	@scripts/package-test

wheel: build ## Make the Python package with the program in it: .build/wheels/gattbench-VERSION-py3-none-….whl
	@scripts/install-packages python3-venv
	@scripts/wheel

python-test: wheel ## Install the Python package in an environment of its own and run its tests
	@scripts/install-packages --optional default-jre-headless
	@scripts/python-test

python-bench: wheel test-packages ## Measure the Python package beside pyshark (PYTHON_PACKETS=2000000)
	@scripts/python-bench $(PYTHON_PACKETS)

fleet-bench: wheel ## Measure a fleet of captures on Spark with one worker and two (FLEET=2000)
	@scripts/install-packages --optional default-jre-headless
	@scripts/fleet-bench $(FLEET)

test: tests ## Build and run all tests, or those of some modules (MODULES="Bluetooth Host"); Bluetooth tests run in a guest (BTVM=../shared/tools/btvm)
	@$(if $(MODULES),:,scripts/install-packages --optional $(BROWSER_PACKAGES))
	@BTVM=$(BTVM) MODULES="$(MODULES)" $(if $(BUILT),CONFIGURATION=release) scripts/test

# With BUILT, the tests take the modules of the release programs.
tests: packages test-packages
	$(if $(MODULES),GATTBENCH_TESTS="$(MODULES)") $(if $(BUILT),$(RELEASE),$(PROFILES) swift build) --build-tests

mutants: packages ## Change the code in MUTANTS places and write to docs/mutants.md which changes no test notices (MUTANTS=160 SEED=1)
	@scripts/mutants --count $(MUTANTS) --seed $(SEED) --page docs/mutants.md

interop-vm: program test-packages ## Test an emulated puck, a device on BlueZ and an app on BlueZ in a guest with Bluetooth (BTVM=../shared/tools/btvm)
	@BTVM=$(BTVM) scripts/interop-vm

live-vm: program test-packages ## Test live capture in a guest with Bluetooth (BTVM=../shared/tools/btvm FLOOD=60)
	@BTVM=$(BTVM) scripts/live-vm

golden: packages ## Rewrite generated files: captures/ with its expected outputs, pages and tables of docs/
	$(PROFILES) GATTBENCH_REWRITE_GOLDEN=1 swift test --disable-xctest \
		--filter '^CapturesFolderTests\.|CorePagesTests|RealCapturesTests|DeviceRulesPageTests|AquavateTests\.MutationTests|thePageSays'

lint: ## Check the style of all Swift files
	@scripts/lint Sources Plugins Templates Tests Package.swift

format: ## Format all Swift files
	swift format format -i -r Sources Plugins Templates Tests Package.swift

fuzz: packages ## Fuzz every entry point for SECONDS each (SECONDS=60; TARGETS="pcap filter" for some)
	@Tests/Fuzz/run $(SECONDS) $(TARGETS)

web-pages: ## Embed the pages of Sources/Web/Pages anew in gattbench-full
	@scripts/web-pages

browser-test: build ## Test the pages of gattbench web in Chromium
	@scripts/install-packages --optional $(BROWSER_PACKAGES)
	@scripts/browser-test .build/release/gattbench-full

web-api-test: packages ## Check gattbench-full against docs/web-api.yaml with schemathesis (EXAMPLES=50 for each operation)
	@scripts/web-api-test

crash: build ## Stop a sync, a gateway and a publisher at POINTS of their writes and show that nothing is lost (POINTS=400, or all)
	@Tests/Crash/run $(if $(filter all,$(POINTS)),--all,--sample $(POINTS)) .build/release/gattbench

soak: build ## Check live traffic with random addresses for an hour; fails unless its memory is flat (SOAK=3600)
	@scripts/soak --seconds $(SOAK) .build/release/gattbench

template: packages ## Build the templates of packages outside this repository and run their tests and programs
	@scripts/templates

documentation: packages ## Build the reference of the modules that other packages import, in .build/documentation
	$(if $(BUILT),,$(PROFILES) swift build --target PluginKit && $(PROFILES) swift build --target Captures)
	@$(if $(BUILT),CONFIGURATION=release) scripts/documentation

instructions: build test-packages ## Count instructions per packet and compare them with the thresholds (REWRITE=1 replaces the thresholds)
	@scripts/instructions $(if $(REWRITE),--rewrite)

bench: build test-packages ## Measure speed and memory beside tshark (PACKETS=2000000 MORE_PACKETS=10000000)
	@.build/release/gattbench-benchmarks .build/release/gattbench $(PACKETS) $(MORE_PACKETS)

store-bench: build test-packages ## Measure a gateway, reports, a publisher and a sync beside their limits
	@scripts/store-bench .build/release/gattbench

web-bench: build ## Measure the server of the pages on a large capture beside its limits
	@scripts/web-bench

clean: ## Remove everything that was built
	rm -rf .build

static: packages
	@scripts/static-libraries $(STATIC)

packages:
	@scripts/install-packages $(BUILD_PACKAGES)

test-packages:
	@scripts/install-packages --optional $(TEST_PACKAGES)
	@scripts/install-packages --optional $(OFFICE_PACKAGES)
	@scripts/install-bumble
