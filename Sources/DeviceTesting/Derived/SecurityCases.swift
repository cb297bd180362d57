import Bluetooth
import Profile

/// Access to attributes that require encryption, on an unencrypted connection (Vol 3, Part C, 10.3.1).
enum SecurityCases {
    private static let source = "Vol 3, Part C, 10.3.1"

    /// Errors that request encryption or a longer key (Vol 3, Part F, 3.4.1.1).
    private static let refusals: [ATT.ErrorCode] = [
        .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort,
        .insufficientAuthorization,
    ]

    static func all(of device: TestedDevice) -> [TestCase] {
        let secured = device.characteristics.filter { $0.security != .open }
        if secured.isEmpty { return [] }
        return secured.map { refused($0) } + [
            TestCase(
                "security.open", "What needs no security can be read without encryption.", source: source,
                tags: ["security"]
            ) { tester in
                try tester.connectInTheOpen()
                for definition in tester.device.characteristics
                where definition.security == .open && definition.properties.contains(.read) {
                    guard let handle = try? tester.handle(of: definition.name) else { continue }
                    tester.coverage.add(.read, of: definition.name)
                    if case .failure(let code) = try tester.read(handle) {
                        tester.fail(
                            expected: "\(definition.name) without encryption, as the profile says", observed: code.words
                        )
                    }
                }
            }
        ]
    }

    private static func refused(_ definition: CharacteristicDefinition) -> TestCase {
        let name = definition.name
        return TestCase(
            "security.\(name)", "\(name) is refused on a connection that is not encrypted.", source: source,
            tags: ["security", name]
        ) { tester in
            try tester.connectInTheOpen()
            let handle = try tester.handle(of: name)
            if definition.properties.contains(.read) {
                tester.coverage.add(.readRefused, of: name)
                try tester.expectError(
                    refusals, to: ATT.encode(ATT.ReadRequest(handle: handle)), about: handle,
                    "a read of \(name) without encryption")
            }
            if definition.properties.contains(.write) {
                let value =
                    WriteCases.vectors(of: definition, tester.device).first
                    ?? Array(repeating: 0, count: definition.length?.lowerBound ?? 1)
                tester.coverage.add(.writeRefused, of: name)
                try tester.expectError(
                    refusals, to: ATT.encode(ATT.WriteRequest(handle: handle, value: Array(value.prefix(20)))),
                    about: handle, "a write of \(name) without encryption")
            }
        }
    }
}

extension LowerTester {
    /// Connects and discovers without pairing.
    fileprivate func connectInTheOpen() throws {
        try disconnect()
        try openLink()
        if table == nil { try discover() }
        if isEncrypted { throw TestStop.notApplicable("the device encrypts every connection by itself") }
    }
}
