import Bluetooth
import Profile

// Checks of services, characteristics and advertising, and of their values.
extension ProfileLint {
    /// The dialects to check separately; a single nil if the profile has none.
    var dialects: [String?] { profile.header.dialects.isEmpty ? [nil] : profile.header.dialects.map(\.id) }

    /// The services of a dialect.
    func services(of dialect: String?) -> [ServiceDefinition] {
        profile.services.filter { $0.dialect == nil || dialect == nil || $0.dialect == dialect }
    }

    mutating func checkAttributes() {
        for service in profile.services {
            checkDialect(service.dialect, of: service.name, at: service.place)
            for characteristic in service.characteristics {
                let sendsUpdates = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
                guard sendsUpdates, !characteristic.hasConfiguration else { continue }
                add(
                    .missingConfiguration, [characteristic.name],
                    "\(characteristic.name): clients cannot enable notifications without the descriptor 0x2902",
                    fix: "take out \"cccd: false\"", at: characteristic.place)
            }
        }
        for dialect in dialects {
            let services = services(of: dialect)
            checkDoubles(services.map { ($0.uuid, $0.name, $0.place) })
            checkDoubles(services.flatMap(\.characteristics).map { ($0.uuid, $0.name, $0.place) })
        }
        checkMeanings()
    }

    /// A UUID must have the same types in all dialects, because values are read by UUID alone.
    private mutating func checkMeanings() {
        var first: [UUID: (dialect: String, characteristic: CharacteristicDefinition)] = [:]
        for service in profile.services {
            guard let dialect = service.dialect else { continue }
            for characteristic in service.characteristics {
                guard let (other, meant) = first[characteristic.uuid] else {
                    first[characteristic.uuid] = (dialect, characteristic)
                    continue
                }
                guard other != dialect, meant.reads != characteristic.reads else { continue }
                add(
                    .duplicateUUID, [characteristic.name],
                    "\(characteristic.name): \(meant.name) of dialect \(other) in line \(meant.place.line) has the UUID "
                        + "\(characteristic.uuid) and other types, which are those that values are read as",
                    fix: "give both the same alternatives, told apart by \"when\"", at: characteristic.place)
            }
        }
    }

    private mutating func checkDoubles(_ attributes: [(uuid: UUID, name: String, place: SourcePlace)]) {
        var first: [UUID: (name: String, place: SourcePlace)] = [:]
        for attribute in attributes {
            if let other = first[attribute.uuid] {
                add(
                    .duplicateUUID, [attribute.name],
                    "\(attribute.name): \(other.name) in line \(other.place.line) has the UUID \(attribute.uuid) already",
                    at: attribute.place)
            } else {
                first[attribute.uuid] = (attribute.name, attribute.place)
            }
        }
    }

    /// A referenced dialect must exist.
    mutating func checkDialect(_ name: String?, of owner: String, at place: SourcePlace) {
        let known = profile.header.dialects.map(\.id)
        guard let name, !known.contains(name) else { return }
        add(
            .unknownName, [owner], "\(owner): there is no dialect \"\(name)\"\(Advice.meant(name, among: known))",
            at: place)
    }
}

extension CharacteristicDefinition {
    /// Types of the values with their conditions, by operation.
    fileprivate var reads: [OperationKind: [[String?]]] {
        readings.mapValues { $0.alternatives.map { [$0.condition?.text, $0.type] } }
    }
}

// MARK: - Values

extension ProfileLint {
    mutating func checkPayloads() {
        let characteristics = profile.services.flatMap(\.characteristics)
        for characteristic in characteristics {
            // If operations share their types, check them once.
            for choice in Self.unique(characteristic.readings) {
                checkAlternatives(choice, of: characteristic.name)
                checkRequests(
                    in: choice, to: characteristic.request, of: characteristic.name, at: characteristic.place)
            }
            if let length = characteristic.length {
                checkLength(length, of: characteristic, OperationKind.allCases, at: characteristic.place)
            }
            checkMTU(characteristic)
        }
        for descriptor in characteristics.flatMap(\.descriptors) + profile.descriptors {
            if let reading = descriptor.reading { checkAlternatives(reading, of: descriptor.name) }
        }
        for advertised in profile.advertising { checkAlternatives(advertised.reading, of: "advertising") }
    }

    private static func unique(_ readings: [OperationKind: PayloadChoice]) -> [PayloadChoice] {
        var places: Set<SourcePlace> = []
        return OperationKind.allCases.compactMap { readings[$0] }.filter { choice in
            choice.alternatives.first.map { places.insert($0.place).inserted } ?? false
        }
    }

    mutating func checkAlternatives(_ choice: PayloadChoice, of owner: String) {
        var conditions: [String: Int] = [:]
        var open: Int?
        for alternative in choice.alternatives {
            let line = alternative.place.line
            if let open {
                add(
                    .unreachableAlternative, [owner],
                    "\(owner): \(alternative.type) is never reached: the alternative in line \(open) has no condition",
                    fix: "put that one last", at: alternative.place)
            } else if let condition = alternative.condition {
                if let first = conditions[condition.text] {
                    add(
                        .unreachableAlternative, [owner],
                        "\(owner): \(alternative.type) is never reached: line \(first) has the same condition",
                        at: alternative.place)
                }
                conditions[condition.text] = conditions[condition.text] ?? line
                for name in condition.characteristics { checkCharacteristic(name, of: owner, at: condition.place) }
            } else {
                open = line
            }
        }
    }

    /// Lengths stated for a characteristic must be possible for its types.
    mutating func checkLength(
        _ length: ClosedRange<Int>, of characteristic: CharacteristicDefinition, _ operations: [OperationKind],
        at place: SourcePlace
    ) {
        for operation in operations {
            let types = characteristic.readings[operation]?.alternatives.map(\.type) ?? []
            checkLength(length, of: characteristic.name, types, at: place)
        }
    }

    /// Lengths stated for values must be possible for at least one of their types.
    mutating func checkLength(
        _ length: ClosedRange<Int>, of owner: String, _ types: [String], at place: SourcePlace
    ) {
        let ranges = types.compactMap { compiled?.types[$0]?.lengths }
        guard !ranges.isEmpty, !ranges.contains(where: { $0.overlaps(length) }) else { return }
        let possible = ranges.map(\.words).joined(separator: " or ")
        let names = types.joined(separator: " or ")
        add(
            .wrongLength, [owner], "\(owner): its length is \(length.words), but \(names) takes \(possible)", at: place)
    }

    /// Notifications and indications must fit into one PDU.
    private mutating func checkMTU(_ characteristic: CharacteristicDefinition) {
        guard let mtu = profile.header.mtu else { return }
        let operations: [(kind: OperationKind, property: GATT.Properties, word: String)] = [
            (.notify, .notify, "notification"), (.indicate, .indicate, "indication"),
        ]
        for operation in operations where characteristic.properties.contains(operation.property) {
            for alternative in characteristic.readings[operation.kind]?.alternatives ?? [] {
                guard var size = PayloadSize(types: types).largest(of: alternative.type) else { continue }
                if let length = characteristic.length { size = min(size, length.upperBound) }
                guard size > mtu - 3 else { continue }
                add(
                    .payloadExceedsMTU, [alternative.type, characteristic.name],
                    "\(characteristic.name): \(alternative.type) can take \(size) bytes, but with an ATT_MTU of \(mtu) a "
                        + "\(operation.word) carries \(mtu - 3)",
                    fix: "shorten it, give what counts in it a range, declare a larger mtu, or accept it with a reason",
                    at: characteristic.place)
            }
        }
    }
}
