// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "kettle",
    dependencies: [
        // A checkout of gattbench, or its URL with a version.
        .package(name: "gattbench", path: "../..")
    ],
    targets: [
        .target(
            name: "Kettle", dependencies: [.product(name: "PluginKit", package: "gattbench")],
            exclude: ["profile.yaml"], plugins: [.plugin(name: "CompileProfile", package: "gattbench")]),
        .executableTarget(
            name: "kettlebench",
            dependencies: ["Kettle", .product(name: "GattbenchCommands", package: "gattbench")]),
        .testTarget(
            name: "KettleTests", dependencies: ["Kettle", .product(name: "PluginKit", package: "gattbench")]),
    ],
    swiftLanguageModes: [.v6]
)
