// swift-tools-version: 6.2
import PackageDescription

/// Our modules from the bottom up, with what each needs; it may also import what those need.
let modules: KeyValuePairs = [
    "Bytes": "",
    "Bluetooth": "Bytes CAssignedNumbers",
    "BluetoothCrypto": "Bluetooth Bytes CMbedTLS",
    "Keys": "Bluetooth BluetoothCrypto Bytes",
    "Captures": "Bytes CZlib",
    "Archives": "Bytes CArchive Captures",
    "Profile": "Bluetooth Bytes CYAML",
    "ProfileTools": "Bluetooth Bytes CWiresharkLua Profile",
    "PluginKit": "Bluetooth Bytes Captures Profile",
    "Host": "Bluetooth BluetoothCrypto Bytes",
    "Radio": "Bluetooth BluetoothCrypto Bytes",
    "Emulation": "Bluetooth Bytes Host PluginKit Profile Radio",
    "Transports": "Bluetooth Bytes CBluetooth CPcap Captures Radio",
    "Conversation": "Bluetooth BluetoothCrypto Bytes Captures Keys PluginKit Profile",
    "Dissection": "Bluetooth Bytes Captures Conversation PluginKit Profile",
    "Redaction": "Bluetooth BluetoothCrypto Bytes Captures Conversation Dissection Keys PluginKit Profile",
    "Conformance": "Bluetooth Bytes Captures Conversation PluginKit Profile",
    "Causes": "Bluetooth BluetoothCrypto Bytes Captures Conformance Conversation PluginKit Profile",
    "Output": "Bluetooth Bytes Captures Causes Conformance Conversation Dissection PluginKit Profile",
    "DeviceTesting": "Bluetooth Bytes Captures Conformance Conversation Emulation Host PluginKit Profile Transports",
    "Workbench":
        "Archives Causes DeviceTesting Output ProfileTools Redaction Aquavate BatteryTrace LifeCount StandardServices",
    "Store": "Bytes CSQLite PluginKit Profile Workbench",
    "GattbenchCommands": "CBuild CEdit Store Workbench ArgumentParser",
    // For a program of their own, as they need libraries that are slow to build (docs/decisions/0032).
    "Cloud": "BluetoothCrypto Bytes CCurl CMosquitto PluginKit Profile Store Workbench",
    "Web": "BluetoothCrypto CWebPages Workbench Hummingbird HummingbirdCore HTTPTypes Logging NIOCore",
    // What tests share: that of bytes and PDUs alone, and all else.
    "PDUTestKit": "Bluetooth Bytes",
    "TestKit": "Conformance Dissection PDUTestKit ProfileTools",
]

/// The device plugins, each in Plugins/<name>: this list and `Workbench/BuiltInPlugins.swift` are all that knows them.
let plugins = ["Aquavate", "BatteryTrace", "LifeCount", "StandardServices"]

/// Their folders of scenarios and of tests.
let pluginFolders = [
    "Aquavate": ["Scenarios", "Tests"], "BatteryTrace": ["Scenarios", "Tests"], "LifeCount": ["Scenarios", "Tests"],
]

/// Files that travel inside the program, as bytes in code.
let embedded = [
    "BatteryTrace": ["Devices/batteries.json"], "LifeCount": ["Cloud/firestore.rules"],
    "PluginKit": ["Plots/page.html"], "Web": ["Report/report.css"],
]

/// Tests of a module in Tests/<module>Tests, and what they need beside the module and what that needs.
let unitTests: KeyValuePairs = [
    "Bytes": "PDUTestKit", "Bluetooth": "PDUTestKit", "BluetoothCrypto": "PDUTestKit", "Keys": "PDUTestKit",
    "Captures": "PDUTestKit", "Archives": "PDUTestKit",
    "Host": "PDUTestKit Radio", "Radio": "PDUTestKit Transports", "Emulation": "PDUTestKit", "Transports": "PDUTestKit",
    "Profile": "TestKit", "ProfileTools": "TestKit", "PluginKit": "TestKit", "Conversation": "TestKit",
    "Dissection": "TestKit", "Redaction": "TestKit", "Conformance": "TestKit Workbench", "Causes": "TestKit Workbench",
    "Output": "TestKit Workbench",
    "DeviceTesting": "TestKit Workbench", "Workbench": "TestKit", "Store": "TestKit", "Cloud": "TestKit",
    "Web": "Cloud TestKit", "Aquavate": "Output TestKit", "BatteryTrace": "Output TestKit",
    "LifeCount": "Output TestKit", "StandardServices": "TestKit",
    // Of no module alone.
    "profile-compiler": "PDUTestKit", "FuzzTargets": "PDUTestKit", "CapturesFolder": "TestKit Workbench",
    "Interop": "TestKit Workbench",
]

/// Products of libraries, by their packages.
let libraries = [
    "ArgumentParser": "swift-argument-parser", "Hummingbird": "hummingbird", "HummingbirdCore": "hummingbird",
    "HTTPTypes": "swift-http-types", "Logging": "swift-log", "NIOCore": "swift-nio",
]

func dependencies(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map(String.init).map { name in
        libraries[name].map { .product(name: name, package: $0) } ?? .init(stringLiteral: name)
    }
}

/// Whether release builds are optimized across modules and linked statically, as our own are: the Makefile and scripts set
/// `GATTBENCH_TUNED`. SwiftPM refuses a dependency with unsafe flags, so the package has none without it.
let isTuned = Context.environment["GATTBENCH_TUNED"] != nil

/// Modules that are compiled for size in tuned builds: what happens once per run or per action of somebody, not per packet.
let small: Set = ["Cloud", "DeviceTesting", "GattbenchCommands", "ProfileTools", "Store", "Web"]

/// What tests see the internals of, in tuned builds too, so that the tests of a release take the modules of its programs.
let testable: Set = [
    "Aquavate", "Archives", "BatteryTrace", "Bluetooth", "Conversation", "Dissection", "Emulation", "LifeCount",
    "PluginKit", "Profile", "ProfileTools", "Radio", "Redaction", "Store", "Transports", "Web", "Workbench",
    "profile-compiler",
]

/// Whether `scripts/profile-compiler` has built the compiler of profiles: SwiftPM would build it in each kind of build again.
let hasProfileCompiler = Context.environment["GATTBENCH_PROFILE_COMPILER"].map { !$0.isEmpty } ?? false

/// The commit for `--version`, which the Makefile sets.
let commit = Context.environment["GATTBENCH_COMMIT"].map { CSetting.define("GATTBENCH_COMMIT", to: "\"\($0)\"") }

/// libFuzzer's side of the fuzz targets; it links only with -sanitize=fuzzer, as Tests/Fuzz/run builds it.
let fuzzDriver: [Target] =
    Context.environment["GATTBENCH_FUZZ"] == nil
    ? []
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "gattbench-fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Tests/Fuzz/Driver"),
    ]

let package = Package(
    name: "gattbench",
    products: [
        .executable(name: "gattbench", targets: ["gattbench"]),
        .executable(name: "gattbench-full", targets: ["gattbench-full"]),
        // The libraries for other packages: PDUs, captures, and what a plugin imports.
        .library(name: "Bluetooth", targets: ["Bluetooth", "Bytes"]),
        .library(name: "Captures", targets: ["Captures", "Bytes"]),
        .library(name: "PluginKit", targets: ["PluginKit", "Profile", "Captures", "Bluetooth", "Bytes"]),
        // For plugins in other packages: what compiles a profile, and the command line that their package builds into a
        // gattbench of its own.
        .plugin(name: "CompileProfile", targets: ["CompileProfile"]),
        .library(name: "GattbenchCommands", targets: ["GattbenchCommands"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // Without its traits, it needs neither the whole of Foundation nor swift-configuration.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CMbedTLS", providers: [.apt(["libmbedtls-dev"])]),
        .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        .target(name: "CArchive"),
        .target(name: "CCurl"),
        .target(name: "CMosquitto"),
        .target(name: "CBuild", cSettings: commit.map { [$0] } ?? []),
        .target(name: "CAssignedNumbers", exclude: ["appearances.tsv", "companies.tsv", "uuids16.tsv"]),
        .target(name: "CWebPages"),
        .target(
            name: "CWiresharkLua",
            exclude: ["attributes", "checksums", "dissector", "expressions", "links", "messages", "values"].map {
                "\($0).lua"
            }),
        .executableTarget(name: "profile-compiler", dependencies: ["Profile"]),
        .plugin(
            name: "CompileProfile", capability: .buildTool(),
            dependencies: hasProfileCompiler ? [] : ["profile-compiler"], path: "scripts/CompileProfile"),
        .executableTarget(name: "gattbench", dependencies: ["GattbenchCommands"]),
        .executableTarget(name: "gattbench-full", dependencies: ["Cloud", "GattbenchCommands", "Web"]),
        .executableTarget(
            name: "gattbench-benchmarks", dependencies: ["TestKit", "Workbench"], path: "Tests/Benchmarks",
            exclude: ["Devices/bumble_speed.py", "Thresholds"]),
        .target(name: "FuzzTargets", dependencies: ["TestKit", "Web"], path: "Tests/Fuzz/Targets"),
    ]
        + modules.map { name, needs in
            .target(
                name: name, dependencies: dependencies(needs), exclude: name == "Web" ? ["Pages"] : [],
                resources: (embedded[name] ?? []).map { .embedInCode($0) })
        }
        + plugins.map {
            .target(
                name: $0, dependencies: ["Bluetooth", "Bytes", "PluginKit", "Profile"], path: "Plugins/\($0)",
                exclude: ["README.md", "profile.yaml"] + (pluginFolders[$0] ?? []),
                resources: (embedded[$0] ?? []).map { .embedInCode($0) },
                // As in a package of its own, a plugin sees what is public.
                packageAccess: false, plugins: ["CompileProfile"])
        } + fuzzDriver,
    swiftLanguageModes: [.v6],
    // For #embed.
    cLanguageStandard: .c2x
)

/// Files in folders of tests that are no sources.
let testData = [
    "Host": ["Security/Recordings"], "Cloud": ["firestore_double.py"],
    "Interop": [
        "known-differences.tsv", "air_decrypt.py", "bumble_app.py", "bumble_client.py", "bumble_eatt.py",
        "bumble_ends.py", "bumble_lock.py", "bumble_pair.py", "bumble_peer.py", "bumble_scan.py",
        "bumble_thermostat.py", "bumble_thermostat.yaml", "cryptography_vectors.py", "thermostat.yaml",
    ],
]
/// The modules whose tests are built, as `GATTBENCH_TESTS="Bluetooth Host"` names them; all of them without it. Building a
/// few test targets and linking them takes seconds, all of them minutes.
let chosenTests = Context.environment["GATTBENCH_TESTS"].map { Set($0.split(separator: " ").map(String.init)) }
for (name, needs) in unitTests {
    let folder = ["profile-compiler": "ProfileCompiler", "FuzzTargets": "Fuzz"][name] ?? name
    guard chosenTests?.contains(folder) ?? true else { continue }
    let isOfModule = package.targets.contains { $0.name == name }
    package.targets.append(
        .testTarget(
            name: "\(folder)Tests", dependencies: dependencies((isOfModule ? "\(name) " : "") + needs),
            exclude: testData[name] ?? []))
}

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .enableExperimentalFeature("Lifetimes"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    var flags: [String] = []
    if target.type == .test {
        flags = ["-Onone"]
    } else {
        target.swiftSettings! += [.strictMemorySafety(), .treatAllWarnings(as: .error)]
        // Decoding calls through five modules for every frame. Debug builds and fuzz targets check exclusivity at run time.
        flags.append("-cross-module-optimization")
        if fuzzDriver.isEmpty { flags.append("-enforce-exclusivity=unchecked") }
        if small.contains(target.name) { flags.append("-Osize") }
        if testable.contains(target.name) { flags.append("-enable-testing") }
    }
    guard isTuned else { continue }
    target.swiftSettings!.append(.unsafeFlags(flags, .when(configuration: .release)))
    if ["gattbench", "gattbench-full"].contains(target.name) {
        // Nobody links with a program, so it exports nothing. FoundationEssentials does not name the libraries it is made of.
        let linking = [
            "-use-ld=lld", "-static-stdlib", "-Xclang-linker", "-static-libgcc", "-Xlinker", "--no-export-dynamic",
            "-l_FoundationCollections", "-l_FoundationCShims",
        ]
        target.linkerSettings = [.unsafeFlags(linking, .when(configuration: .release))]
    }
}
