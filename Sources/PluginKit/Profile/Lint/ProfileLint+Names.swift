// Names that lead elsewhere in the file.
extension ProfileLint {
    /// The characteristics of a name, in the services of a dialect; none, and a finding, where there is no such.
    @discardableResult
    mutating func checkCharacteristic(
        _ name: String, in dialect: String? = nil, of owner: String, at place: SourcePlace
    ) -> [CharacteristicDefinition] {
        let all = profile.services.flatMap(\.characteristics)
        let found = services(of: dialect).flatMap(\.characteristics).filter { $0.name == name }
        if found.isEmpty {
            let isElsewhere = all.contains { $0.name == name }
            let meant = isElsewhere ? "" : Advice.meant(name, among: all.map(\.name))
            let of = isElsewhere ? dialect.map { " in \($0)" } ?? "" : ""
            add(.unknownName, [owner], "\(owner): there is no characteristic \"\(name)\"\(of)\(meant)", at: place)
        }
        return found
    }

    /// Whether there is a type of a name; if not, that is a finding.
    @discardableResult
    mutating func checkType(_ name: String, of owner: String, at place: SourcePlace) -> Bool {
        if types[name] != nil { return true }
        let meant = Advice.meant(name, among: types.allNames)
        add(.unknownName, [owner], "\(owner): there is no type \"\(name)\"\(meant)", at: place)
        return false
    }

    /// A field that must be in one of several types.
    mutating func checkField(_ path: String, in possible: [String], of owner: String, at place: SourcePlace) {
        guard !possible.isEmpty, !possible.contains(where: { types.target(of: path, in: $0) != nil }) else { return }
        let first = String(path.prefix { $0 != "." })
        let known = possible.flatMap(types.names)
        let meant = known.contains(first) ? "" : Advice.meant(first, among: known)
        let names = Advice.list(possible)
        add(.unknownName, [owner], "\(owner): there is no field \"\(path)\" in \(names)\(meant)", at: place)
    }

    /// The types that a characteristic's values may have in an operation; all operations for nil.
    func possibleTypes(_ characteristics: [CharacteristicDefinition], _ operation: OperationKind?) -> [String] {
        let choices = characteristics.flatMap { characteristic in
            operation.map { characteristic.readings[$0].map { [$0] } ?? [] } ?? Array(characteristic.readings.values)
        }
        return choices.flatMap(\.alternatives).map(\.type).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// An event's characteristic must be there, and so must the fields of its condition; gives the types of its values.
    @discardableResult
    mutating func checkEvent(_ event: EventPattern, in dialect: String?, of owner: String) -> [String] {
        let found = checkCharacteristic(event.characteristic, in: dialect, of: owner, at: event.place)
        let types = event.isConfiguration ? [] : possibleTypes(found, event.operation)
        if let condition = event.condition { checkFields(of: condition, in: types, of: owner) }
        return types
    }

    /// The fields that an expression names must be in one of several types.
    mutating func checkFields(of expression: Expression, in possible: [String], of owner: String) {
        for path in expression.fields { checkField(path, in: possible, of: owner, at: expression.place) }
        for name in expression.characteristics { checkCharacteristic(name, of: owner, at: expression.place) }
    }
}
