// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reader",
    dependencies: [
        // A checkout of gattbench, or its URL with a version.
        .package(name: "gattbench", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "reader",
            dependencies: [
                .product(name: "Bluetooth", package: "gattbench"), .product(name: "Captures", package: "gattbench"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
