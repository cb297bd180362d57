import Bluetooth
import Profile

// Services, characteristics and advertising: what they are, and what their values can be.
extension ProfileLint {
    /// The dialects that lint looks at one by one; a single nil where the profile has none.
    var dialects: [String?] { profile.header.dialects.isEmpty ? [nil] : profile.header.dialects.map(\.id) }

    /// Services that a dialect has.
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

    /// Values are read by the UUID alone, so that it must mean the same in all dialects.
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

    /// A dialect that somebody names must be one of the profile's.
    mutating func checkDialect(_ name: String?, of owner: String, at place: SourcePlace) {
        let known = profile.header.dialects.map(\.id)
        guard let name, !known.contains(name) else { return }
        add(
            .unknownName, [owner], "\(owner): there is no dialect \"\(name)\"\(Advice.meant(name, among: known))",
            at: place)
    }
}

extension CharacteristicDefinition {
    /// The types of its values with their conditions, by operation.
    fileprivate var reads: [OperationKind: [[String?]]] {
        readings.mapValues { $0.alternatives.map { [$0.condition?.text, $0.type] } }
    }
}

// MARK: - Values

extension ProfileLint {
    mutating func checkPayloads() {
        let characteristics = profile.services.flatMap(\.characteristics)
        for characteristic in characteristics {
            // Where all operations have one type, it is looked at once.
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

    /// Lengths that are said of a characteristic's values must be some that their types can have.
    mutating func checkLength(
        _ length: ClosedRange<Int>, of characteristic: CharacteristicDefinition, _ operations: [OperationKind],
        at place: SourcePlace
    ) {
        for operation in operations {
            let types = characteristic.readings[operation]?.alternatives.map(\.type) ?? []
            checkLength(length, of: characteristic.name, types, at: place)
        }
    }

    /// Lengths that are said of values must be some that one of their types can have.
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

    /// What is notified or indicated must fit into one PDU.
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
