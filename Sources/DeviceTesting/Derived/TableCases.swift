import Bluetooth
import Bytes
import Profile

/// Compares the discovered attribute table with the profile.
enum TableCases {
    static func all(of device: TestedDevice) -> [TestCase] {
        let tags: Set = ["table"]
        var ordered = TestCase.connected(
            "table.order", "Services and characteristics have the order of the profile.", tags: tags
        ) { tester in
            try order(tester)
        }
        ordered.severity = .warning
        return [
            TestCase.connected(
                "table.discovery", "Responses to a discovery have increasing handles and whole declarations.",
                source: "Vol 3, Part G, 2.5.1 and 3.3.1", tags: tags
            ) { tester in
                for fault in tester.discoveryFaults {
                    tester.fail(expected: "declarations in the order of their handles", observed: fault)
                }
            },
            TestCase.connected(
                "table.services", "Discovery finds each service of the profile once.",
                source: "Vol 3, Part G, 4.4.1", tags: tags
            ) { tester in
                let table = tester.table ?? GATT.Table()
                for service in tester.device.services {
                    let count = table.services.count { $0.type == service.uuid }
                    if count == 0, service.isOptional { continue }
                    tester.expect(count == 1, "service \(service.name) once", observed: "\(count) times")
                }
            },
            TestCase.connected(
                "table.characteristics", "Each service has the characteristics of the profile once, and no others.",
                source: "Vol 3, Part G, 4.6.1", tags: tags
            ) { tester in
                try characteristics(tester)
            },
            TestCase.connected(
                "table.properties", "Each characteristic has the properties of the profile.",
                source: "Vol 3, Part G, 3.3.1.1", tags: tags
            ) { tester in
                let table = tester.table ?? GATT.Table()
                for definition in tester.device.characteristics {
                    guard let found = tester.device.characteristic(definition.name, in: table) else { continue }
                    tester.expect(
                        found.properties == definition.properties,
                        "\(definition.name) with \(definition.properties.words)", observed: found.properties.words)
                }
            },
            TestCase.connected(
                "table.descriptors",
                "A characteristic that notifies or indicates has a Client Characteristic Configuration; the profile's other descriptors are there.",
                source: "Vol 3, Part G, 3.3.3.3", tags: tags
            ) { tester in
                try descriptors(tester)
            },
            TestCase.connected(
                "table.by_uuid",
                "Discovery of a service by its UUID finds the handles that discovery of all services found.",
                source: "Vol 3, Part G, 4.4.2", tags: tags
            ) { tester in
                for service in tester.table?.services ?? [] { try findByUUID(service, tester) }
            },
            TestCase.connected(
                "table.again", "A second discovery on another connection finds the same attributes.",
                source: "Vol 3, Part G, 2.5.2", tags: tags
            ) { tester in
                let before = tester.table
                try tester.disconnect()
                try tester.openLink()
                try tester.discover()
                tester.expect(
                    before == tester.table, "the same table, as there was no Service Changed",
                    observed: "\(tester.table?.count ?? 0) attributes, not the \(before?.count ?? 0) of before")
            },
            ordered,
        ]
    }

    private static func characteristics(_ tester: LowerTester) throws {
        let table = tester.table ?? GATT.Table()
        for service in tester.device.services {
            for place in table.services where place.type == service.uuid {
                let found = table.characteristics.filter { (place.start...place.end).contains($0.declaration) }
                for definition in service.characteristics {
                    let count = found.count { $0.type == definition.uuid }
                    let wanted = service.characteristics.count { $0.uuid == definition.uuid }
                    if count == 0, definition.isOptional { continue }
                    tester.expect(
                        count == wanted, "\(definition.name) \(wanted == 1 ? "once" : "\(wanted) times")",
                        observed: "\(count) times")
                }
                let known = Set(service.characteristics.map(\.uuid))
                for other in found where !known.contains(other.type) {
                    tester.fail(
                        expected: "only characteristics of the profile in \(service.name)", observed: "\(other.type)")
                }
            }
        }
    }

    private static func descriptors(_ tester: LowerTester) throws {
        let table = tester.table ?? GATT.Table()
        for definition in tester.device.characteristics {
            guard let found = tester.device.characteristic(definition.name, in: table) else { continue }
            let sends = !definition.properties.isDisjoint(with: [.notify, .indicate])
            let has = table.configuration(of: found) != nil
            if sends, definition.hasConfiguration {
                tester.expect(has, "\(definition.name) with a Client Characteristic Configuration", observed: "none")
            } else if !sends {
                tester.expect(!has, "\(definition.name) without Client Characteristic Configuration", observed: "one")
            }
            let next = table.characteristics.first { $0.declaration > found.value }?.declaration ?? 0xFFFF
            let types = table.descriptors.filter { $0.handle > found.value && $0.handle < next }.map(\.type)
            for descriptor in definition.descriptors {
                tester.expect(
                    types.contains(descriptor.uuid), "\(definition.name) with descriptor \(descriptor.name)",
                    observed: "none")
            }
        }
    }

    private static func findByUUID(_ service: GATT.Table.Service, _ tester: LowerTester) throws {
        let request = ATT.FindByTypeValueRequest(
            start: 1, end: 0xFFFF, type: 0x2800, value: ByteWriter.bytes { $0.write(service.type) })
        let answer = try tester.ask(request)
        let response = answer.pdu as? ATT.FindByTypeValueResponse
        let isFound = response?.groups.contains { $0.handle == service.start && $0.end == service.end } ?? false
        // Discovery finds secondary services through includes; Find By Type Value finds only primary ones (Vol 3, Part
        // G, 4.4.2).
        if try !isFound && isSecondary(service, tester) { return }
        guard let response else {
            return tester.fail(expected: "service \(service.type) by its UUID", observed: answer.words)
        }
        tester.expect(
            isFound, "service \(service.type) at \(service.start) to \(service.end)",
            observed: response.groups.map { "\($0.handle) to \($0.end)" }.joined(separator: ", "),
            bytes: answer.bytes)
    }

    private static func isSecondary(_ service: GATT.Table.Service, _ tester: LowerTester) throws -> Bool {
        let answer = try tester.ask(ATT.FindInformationRequest(start: service.start, end: service.start))
        return (answer.pdu as? ATT.FindInformationResponse)?.entries.first?.type == .secondaryService
    }

    private static func order(_ tester: LowerTester) throws {
        let table = tester.table ?? GATT.Table()
        let names = tester.device.characteristics.map(\.name)
        let found = names.compactMap { name in
            tester.device.characteristic(name, in: table).map { (name: name, handle: $0.value) }
        }
        for (before, after) in zip(found, found.dropFirst()) {
            tester.expect(
                before.handle < after.handle, "\(before.name) before \(after.name)",
                observed: "\(before.handle) and \(after.handle)")
        }
    }
}

extension GATT.Properties {
    /// `read, notify`.
    package var words: String {
        let names: [(GATT.Properties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write without response"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "signed write"), (.extended, "extended"),
        ]
        let words = names.filter { contains($0.0) }.map(\.1)
        return words.isEmpty ? "no properties" : words.joined(separator: ", ")
    }
}
