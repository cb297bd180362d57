// swift-tools-version: 6.2
import PackageDescription

/// What a module needs: our own modules by name, libraries as products.
struct Module {
    var name: String
    var needs: [Target.Dependency] = []
}

let hummingbird: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
]
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// From the bottom up: a module may need only those above its line.
let modules: [Module] = [
    Module(name: "Bytes"),
    Module(name: "BluetoothTypes", needs: ["Bytes", "CAssignedNumbers"]),
    Module(name: "LinkLayer", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "HCI", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "L2CAP", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "ATT", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "SMP", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "GAP", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "GATT", needs: ["ATT", "BluetoothTypes", "Bytes"]),
    Module(name: "BluetoothCrypto", needs: ["BluetoothTypes", "Bytes", "CMbedTLS"]),
    Module(name: "Radio", needs: ["BluetoothCrypto", "BluetoothTypes", "Bytes", "HCI", "LinkLayer"]),
    Module(
        name: "Host",
        needs: ["ATT", "BluetoothCrypto", "BluetoothTypes", "Bytes", "GAP", "GATT", "HCI", "L2CAP", "SMP"]),
    Module(name: "Captures", needs: ["Bytes", "CZlib"]),
    Module(name: "Profile", needs: ["ATT", "BluetoothTypes", "Bytes", "CYAML", "GAP", "GATT"]),
    Module(name: "ProfileTools", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "PluginKit", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "Plots", needs: ["Bytes", "PluginKit"]),
    Module(
        name: "Emulation",
        needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "HCI", "Host", "PluginKit", "Profile", "Radio"]),
    Module(name: "Transports", needs: ["Bytes", "Captures", "CBluetooth", "CPcap", "HCI", "Radio"]),
    Module(
        name: "Conversation",
        needs: [
            "ATT", "BluetoothCrypto", "BluetoothTypes", "Bytes", "Captures", "GAP", "GATT", "HCI", "L2CAP", "LinkLayer",
            "PluginKit", "Profile", "SMP",
        ]),
    Module(
        name: "Dissection",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conversation", "GAP", "GATT", "HCI", "L2CAP", "LinkLayer",
            "PluginKit", "Profile", "SMP",
        ]),
    Module(
        name: "Conformance",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conversation", "Dissection", "GAP", "GATT", "HCI", "L2CAP",
            "LinkLayer",
            "PluginKit", "Profile", "SMP",
        ]),
    Module(
        name: "Output",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "Dissection", "GATT",
            "PluginKit", "Profile",
        ]),
    Module(
        name: "DeviceTesting",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "Emulation", "GATT", "HCI",
            "Host", "L2CAP", "PluginKit", "Profile", "Transports",
        ]),
    Module(
        name: "TestKit",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "Dissection", "GAP", "GATT",
            "HCI", "L2CAP",
            "LinkLayer", "PluginKit", "Profile", "ProfileTools", "SMP",
        ]),
]

/// The device plugins, each in Plugins/<name>: this list and `Workbench/BuiltInPlugins.swift` are all that knows them.
let plugins = ["Aquavate", "BatteryTrace", "LifeCount", "StandardServices"]

/// Their folders of scenarios and of tests.
let pluginFolders = [
    "Aquavate": ["Scenarios", "Tests"], "BatteryTrace": ["Scenarios", "Tests"], "LifeCount": ["Scenarios", "Tests"],
]

/// Files of plugins that travel inside the binary, as bytes in code.
let pluginData = ["BatteryTrace": ["Devices/batteries.json"], "LifeCount": ["Cloud/firestore.rules"]]

/// Unit tests, each in Tests/<module>Tests, with what they need beside that module and TestKit; plugins have theirs too.
let unitTests: [Module] = [
    Module(name: "ATT", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "BluetoothCrypto", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "BluetoothTypes", needs: ["Bytes"]),
    Module(name: "Bytes"),
    Module(name: "Captures", needs: ["Bytes"]),
    Module(
        name: "Cloud",
        needs: ["Bytes", "PluginKit", "Profile", "Store", "Workbench"]),
    Module(
        name: "Conformance",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conversation", "GAP", "GATT", "HCI", "L2CAP", "LinkLayer",
            "Output", "PluginKit", "Profile", "Workbench",
        ]),
    Module(
        name: "Conversation",
        needs: [
            "ATT", "BluetoothCrypto", "BluetoothTypes", "Bytes", "Captures", "Dissection", "GAP", "GATT", "HCI",
            "L2CAP", "LinkLayer", "PluginKit", "Profile", "SMP",
        ]),
    Module(
        name: "DeviceTesting",
        needs: [
            "BluetoothTypes", "Bytes", "Conformance", "Emulation", "GATT", "Output", "PluginKit", "Profile",
            "Transports", "Workbench",
        ]),
    Module(
        name: "Dissection",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Conversation", "GAP", "GATT", "HCI", "L2CAP",
        ]),
    Module(
        name: "Emulation",
        needs: ["BluetoothTypes", "Bytes", "GAP", "GATT", "HCI", "Host", "PluginKit", "Profile", "Radio"]),
    Module(name: "GAP", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "GATT", needs: ["ATT", "BluetoothTypes", "Bytes"]),
    Module(name: "HCI", needs: ["BluetoothTypes", "Bytes"]),
    Module(
        name: "Host",
        needs: ["ATT", "BluetoothCrypto", "BluetoothTypes", "Bytes", "GAP", "GATT", "HCI", "L2CAP", "Radio", "SMP"]),
    Module(name: "L2CAP", needs: ["Bytes"]),
    Module(name: "LinkLayer", needs: ["BluetoothTypes", "Bytes"]),
    Module(
        name: "Output",
        needs: ["Bytes", "Captures", "Conformance", "Conversation", "Dissection", "PluginKit", "Profile", "Workbench"]),
    Module(name: "Plots", needs: ["Bytes", "PluginKit"]),
    Module(name: "PluginKit", needs: ["BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "Profile", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "ProfileTools"]),
    Module(name: "ProfileTools", needs: ["BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "Radio", needs: ["BluetoothCrypto", "BluetoothTypes", "Bytes", "HCI", "Transports"]),
    Module(name: "SMP", needs: ["BluetoothTypes", "Bytes"]),
    Module(
        name: "Store",
        needs: [
            "Aquavate", "ATT", "BatteryTrace", "Bytes", "Emulation", "LifeCount", "PluginKit", "Profile", "Transports",
            "Workbench",
        ]),
    Module(name: "Transports", needs: ["BluetoothTypes", "Bytes", "Captures", "HCI", "Radio"]),
    Module(
        name: "Web",
        needs: [
            "ATT", "BluetoothTypes", "Bytes", "Captures", "Cloud", "Conformance", "Conversation", "Dissection", "GAP",
            "HCI", "Output", "PluginKit", "Profile", "SMP", "Workbench",
        ]),
    Module(
        name: "Workbench",
        needs: [
            "ATT", "BatteryTrace", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "Dissection",
            "Emulation",
            "GAP", "GATT", "Output", "PluginKit", "Profile", "ProfileTools", "Radio", "Transports",
        ]),
]

/// The modules whose tests are built, as `GATTBENCH_TESTS="ATT Host"` names them; all of them without it. Building a few
/// test targets and linking them takes seconds, all of them minutes.
let chosenTests = Context.environment["GATTBENCH_TESTS"].map {
    Set($0.split(separator: " ").map { "\($0)Tests" })
}

/// Whether release builds are tuned for speed, as our own are: the Makefile and scripts set `GATTBENCH_TUNED`. SwiftPM
/// refuses a dependency with unsafe flags, so the package has none without it.
let isTuned = Context.environment["GATTBENCH_TUNED"] != nil

/// Whether the fuzz targets are built.
let isFuzzed = Context.environment["GATTBENCH_FUZZ"] != nil

/// Decoding calls through five modules for every frame: tuned builds inline across them, and leave out the run-time
/// exclusivity checks that debug builds and fuzz targets make.
let tuning = SwiftSetting.unsafeFlags(
    ["-cross-module-optimization"] + (isFuzzed ? [] : ["-enforce-exclusivity=unchecked"]),
    .when(configuration: .release))

/// Modules that are compiled for size in tuned builds: what happens once per run or per action of somebody, not per packet.
let small: Set = ["Cloud", "DeviceTesting", "GattbenchCommands", "Plots", "ProfileTools", "Store", "Web"]

/// How tuned programs are linked: they need glibc alone. Nobody links with a program, so it exports nothing.
/// FoundationEssentials does not name the libraries it is made of.
let linking = LinkerSetting.unsafeFlags(
    [
        "-use-ld=lld", "-static-stdlib", "-Xclang-linker", "-static-libgcc", "-Xlinker", "--no-export-dynamic",
        "-l_FoundationCollections", "-l_FoundationCShims",
    ], .when(configuration: .release))

/// What tests see the internals of, in tuned builds too, so that the tests of a release take the modules of its programs.
let testable: Set = [
    "Aquavate", "BatteryTrace", "BluetoothTypes", "Conversation", "Dissection", "Emulation", "LifeCount", "Plots",
    "Profile", "ProfileTools", "Radio", "Transports", "Web", "Workbench", "profile-compiler",
]

/// The commit for `--version`, which the Makefile sets.
let commit = Context.environment["GATTBENCH_COMMIT"].map { CSetting.define("GATTBENCH_COMMIT", to: "\"\($0)\"") }

/// libFuzzer's side of the fuzz targets; it links only with -sanitize=fuzzer, as Tests/Fuzz/run builds it.
let fuzzDriver: [Target] =
    isFuzzed
    ? [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "gattbench-fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Tests/Fuzz/Driver"),
    ] : []

let package = Package(
    name: "gattbench",
    products: [
        .executable(name: "gattbench", targets: ["gattbench"]),
        .executable(name: "gattbench-full", targets: ["gattbench-full"]),
        // For plugins in other packages: what a plugin imports, what compiles its profile, and the command line that its
        // package builds into a gattbench of its own.
        .library(
            name: "PluginKit", targets: ["PluginKit", "Profile", "GATT", "ATT", "GAP", "BluetoothTypes", "Bytes"]),
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
        .target(name: "CCurl"),
        .target(name: "CMosquitto"),
        .target(name: "CBuild", cSettings: commit.map { [$0] } ?? []),
        .target(name: "CAssignedNumbers", exclude: ["appearances.tsv", "companies.tsv", "uuids16.tsv"]),
    ]
        + modules.map {
            .target(name: $0.name, dependencies: $0.needs)
        }
        + plugins.map {
            .target(
                name: $0, dependencies: ["ATT", "BluetoothTypes", "Bytes", "Plots", "PluginKit", "Profile"],
                path: "Plugins/\($0)",
                exclude: ["README.md", "profile.yaml"] + (pluginFolders[$0] ?? []),
                resources: (pluginData[$0] ?? []).map { .embedInCode($0) },
                // As in a package of its own, a plugin sees what is public.
                packageAccess: false, plugins: ["CompileProfile"])
        }
        + [
            .executableTarget(name: "profile-compiler", dependencies: ["Profile"]),
            .plugin(
                name: "CompileProfile", capability: .buildTool(), dependencies: ["profile-compiler"],
                path: "scripts/CompileProfile"),
        ]
        + [
            .target(
                name: "Workbench",
                dependencies: [
                    "ATT", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "DeviceTesting",
                    "Dissection", "Emulation", "GAP",
                    "GATT", "HCI", "Host", "L2CAP", "LinkLayer", "Output", "PluginKit", "Profile", "ProfileTools",
                    "Radio", "SMP", "Transports",
                ] + plugins.map { .init(stringLiteral: $0) }),
            .target(
                name: "Store", dependencies: ["Bytes", "CSQLite", "Captures", "PluginKit", "Profile", "Workbench"]),
            .target(
                name: "GattbenchCommands",
                dependencies: [
                    "BluetoothTypes", "Bytes", "CBuild", "CEdit", "Captures", "Conformance", "Conversation",
                    "DeviceTesting",
                    "Dissection", "Emulation", "GATT", "Host", "Output", "PluginKit", "Profile", "ProfileTools",
                    "Radio", "Store", "Transports", "Workbench", argumentParser,
                ]),
            .executableTarget(name: "gattbench", dependencies: ["GattbenchCommands"]),
            // A program of its own for what needs libraries that are slow to build (docs/decisions/0032).
            .target(
                name: "Cloud",
                dependencies: [
                    "BluetoothCrypto", "Bytes", "CCurl", "CMosquitto", "Captures", "PluginKit", "Profile", "Store",
                    "Workbench",
                ]),
            .target(name: "CWebPages"),
            .target(
                name: "Web",
                dependencies: [
                    "ATT", "BluetoothCrypto", "BluetoothTypes", "Bytes", "CWebPages", "Captures", "Conformance",
                    "Conversation", "Dissection", "Emulation", "GATT", "Output", "Plots", "PluginKit", "Profile",
                    "Transports",
                    "Workbench",
                ] + hummingbird,
                exclude: ["Pages"]),
            .executableTarget(
                name: "gattbench-full", dependencies: ["Cloud", "GattbenchCommands", "Web", "Workbench"]),
        ]
        + [
            .executableTarget(
                name: "gattbench-benchmarks",
                dependencies: [
                    "ATT", "BluetoothTypes", "Bytes", "Captures", "Conversation", "Dissection", "Emulation", "GAP",
                    "GATT", "HCI",
                    "L2CAP",
                    "PluginKit", "Profile", "Radio", "TestKit", "Transports", "Workbench",
                ],
                path: "Tests/Benchmarks", exclude: ["Devices/bumble_speed.py", "Thresholds"]),
            .target(
                name: "FuzzTargets",
                dependencies: [
                    "ATT", "BatteryTrace", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation",
                    "DeviceTesting", "Dissection", "Emulation", "GAP",
                    "GATT", "HCI", "Host", "L2CAP", "LinkLayer", "Output", "PluginKit", "Profile", "ProfileTools",
                    "Radio", "SMP", "TestKit", "Transports", "Web", "Workbench",
                ],
                path: "Tests/Fuzz/Targets"),
            .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestKit"]),
        ] + fuzzDriver
        + unitTests.map {
            .testTarget(
                name: "\($0.name)Tests", dependencies: [.init(stringLiteral: $0.name), "TestKit"] + $0.needs,
                exclude: ["Host": ["Security/Recordings"], "Cloud": ["firestore_double.py"]][$0.name] ?? [])
        }
        + [
            .testTarget(name: "ProfileCompilerTests", dependencies: ["Profile", "profile-compiler", "TestKit"]),
            .testTarget(
                name: "CapturesFolderTests",
                dependencies: [
                    "ATT", "BatteryTrace", "BluetoothTypes", "Bytes", "Captures", "Conversation", "Dissection",
                    "Emulation", "GAP",
                    "GATT", "HCI", "Host", "L2CAP", "LinkLayer", "PluginKit", "Profile", "Radio", "SMP", "TestKit",
                    "Workbench",
                ]),
            .testTarget(
                name: "InteropTests",
                dependencies: [
                    "ATT", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "DeviceTesting",
                    "Dissection", "Emulation", "GAP",
                    "GATT", "HCI", "Host", "Output", "PluginKit", "Profile", "Radio", "SMP", "TestKit", "Transports",
                    "Workbench",
                ],
                exclude: [
                    "known-differences.tsv", "bumble_app.py", "bumble_client.py", "bumble_eatt.py", "bumble_ends.py",
                    "bumble_lock.py", "bumble_pair.py", "bumble_peer.py", "bumble_scan.py", "bumble_thermostat.py",
                    "bumble_thermostat.yaml", "thermostat.yaml",
                ]),
        ]
        + plugins.map {
            .testTarget(
                name: "\($0)Tests",
                dependencies: [
                    "ATT", "BluetoothTypes", "Bytes", "Captures", "Conformance", "GAP", "GATT", "HCI", "L2CAP",
                    "LinkLayer", "Output", "PluginKit", "Profile", "SMP", "TestKit", .init(stringLiteral: $0),
                ])
        },
    swiftLanguageModes: [.v6],
    // For #embed.
    cLanguageStandard: .c2x
)

if let chosenTests {
    package.targets.removeAll { $0.type == .test && !chosenTests.contains($0.name) }
}

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .enableExperimentalFeature("Lifetimes"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
    if target.type != .test {
        target.swiftSettings! += [.strictMemorySafety(), .treatAllWarnings(as: .error)]
        if isTuned { target.swiftSettings!.append(tuning) }
        for (modules, flag) in [(small, "-Osize"), (testable, "-enable-testing")]
        where isTuned && modules.contains(target.name) {
            target.swiftSettings!.append(.unsafeFlags([flag], .when(configuration: .release)))
        }
    } else if isTuned {
        target.swiftSettings!.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
    }
    if isTuned, ["gattbench", "gattbench-full"].contains(target.name) { target.linkerSettings = [linking] }
}
