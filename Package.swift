// swift-tools-version: 6.2
import PackageDescription

/// What a module needs: our own modules by name, libraries as products.
struct Module {
    var name: String
    var needs: [Target.Dependency] = []
}

let crypto: [Target.Dependency] = [
    .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"),
]
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
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
    Module(name: "BluetoothCrypto", needs: ["BluetoothTypes", "Bytes"] + crypto),
    Module(name: "Radio", needs: ["BluetoothCrypto", "BluetoothTypes", "Bytes", "HCI", "LinkLayer"]),
    Module(
        name: "Host",
        needs: ["ATT", "BluetoothCrypto", "BluetoothTypes", "Bytes", "GAP", "GATT", "HCI", "L2CAP", "SMP"]),
    Module(name: "Captures", needs: ["Bytes", "CZlib"]),
    Module(name: "Profile", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", yams]),
    Module(name: "ProfileTools", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "PluginKit", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
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
    "Aquavate": ["Scenarios", "Tests"], "BatteryTrace": ["Tests"], "LifeCount": ["Scenarios", "Tests"],
]

/// Files of plugins that travel inside the binary, as bytes in code.
let pluginData = ["BatteryTrace": ["Devices/batteries.json"]]

/// Unit tests, each in Tests/<module>Tests, with what they need beside that module and TestKit; plugins have theirs too.
let unitTests: [Module] = [
    Module(name: "ATT", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "BluetoothCrypto", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "BluetoothTypes", needs: ["Bytes"]),
    Module(name: "Bytes"),
    Module(name: "Captures", needs: ["Bytes"]),
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
    Module(name: "PluginKit", needs: ["BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "Profile", needs: ["ATT", "BluetoothTypes", "Bytes", "GAP", "GATT", "ProfileTools"]),
    Module(name: "ProfileTools", needs: ["BluetoothTypes", "Bytes", "GAP", "GATT", "Profile"]),
    Module(name: "Radio", needs: ["BluetoothCrypto", "BluetoothTypes", "Bytes", "HCI", "Transports"]),
    Module(name: "SMP", needs: ["BluetoothTypes", "Bytes"]),
    Module(name: "Transports", needs: ["BluetoothTypes", "Bytes", "Captures", "HCI", "Radio"]),
    Module(
        name: "Workbench",
        needs: [
            "ATT", "BatteryTrace", "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "Dissection",
            "Emulation",
            "GAP", "GATT", "Output", "PluginKit", "Profile", "ProfileTools", "Radio", "Transports", yams,
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

/// Decoding calls through five modules for every frame: tuned builds inline across them, and leave out the run-time
/// exclusivity checks that debug builds and tests make. Generic types are not looked up by their names, for which a program
/// that starts goes through all its conformances.
let tuning = SwiftSetting.unsafeFlags(
    [
        "-cross-module-optimization", "-enforce-exclusivity=unchecked", "-Xfrontend",
        "-disable-concrete-type-metadata-mangled-name-accessors",
    ], .when(configuration: .release))

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
        // For plugins in other packages: what a plugin imports, what compiles its profile, and the command line that its
        // package builds into a gattbench of its own.
        .library(
            name: "PluginKit", targets: ["PluginKit", "Profile", "GATT", "ATT", "GAP", "BluetoothTypes", "Bytes"]),
        .plugin(name: "CompileProfile", targets: ["CompileProfile"]),
        .library(name: "GattbenchCommands", targets: ["GattbenchCommands"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]),
        .systemLibrary(name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .target(name: "CAssignedNumbers", exclude: ["appearances.tsv", "companies.tsv", "uuids16.tsv"]),
    ]
        + modules.map {
            .target(name: $0.name, dependencies: $0.needs)
        }
        + plugins.map {
            .target(
                name: $0, dependencies: ["ATT", "BluetoothTypes", "Bytes", "PluginKit", "Profile"],
                path: "Plugins/\($0)",
                exclude: ["README.md", "profile.yaml"] + (pluginFolders[$0] ?? []),
                resources: (pluginData[$0] ?? []).map { .embedInCode($0) },
                plugins: ["CompileProfile"])
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
                name: "GattbenchCommands",
                dependencies: [
                    "BluetoothTypes", "Bytes", "Captures", "Conformance", "Conversation", "DeviceTesting", "Dissection",
                    "Emulation", "GATT", "Host", "Output", "PluginKit", "Profile", "ProfileTools", "Radio",
                    "Transports", "Workbench", argumentParser,
                ]),
            .executableTarget(name: "gattbench", dependencies: ["GattbenchCommands"]),
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
                    "Radio", "SMP", "TestKit", "Transports", "Workbench",
                ],
                path: "Tests/Fuzz/Targets"),
            .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestKit"]),
        ] + fuzzDriver
        + unitTests.map {
            .testTarget(
                name: "\($0.name)Tests", dependencies: [.init(stringLiteral: $0.name), "TestKit"] + $0.needs,
                exclude: $0.name == "Host" ? ["Security/Recordings"] : [])
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
                    "known-differences.tsv", "bumble_app.py", "bumble_client.py", "bumble_ends.py", "bumble_pair.py",
                    "bumble_peer.py",
                    "bumble_scan.py", "bumble_thermostat.py", "thermostat.yaml",
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
    }
}
