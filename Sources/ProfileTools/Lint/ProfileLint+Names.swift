import Bluetooth
import Profile

// Checks of references to names within the file.
extension ProfileLint {
    /// The characteristics with a name in a dialect's services; if there are none, adds a finding.
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

    /// The message with a name; if there is none, adds a finding and returns nil.
    @discardableResult
    mutating func checkMessage(_ name: String, of owner: String, at place: SourcePlace) -> MessageDefinition? {
        if let found = profile.messages.first(where: { $0.name == name }) { return found }
        let meant = Advice.meant(name, among: profile.messages.map(\.name))
        add(.unknownName, [owner], "\(owner): there is no message \"\(name)\"\(meant)", at: place)
        return nil
    }

    /// Whether a type exists; if not, adds a finding.
    @discardableResult
    mutating func checkType(_ name: String, of owner: String, at place: SourcePlace) -> Bool {
        if types[name] != nil { return true }
        let meant = Advice.meant(name, among: types.allNames)
        add(.unknownName, [owner], "\(owner): there is no type \"\(name)\"\(meant)", at: place)
        return false
    }

    /// Checks that at least one of several types has a field.
    mutating func checkField(_ path: String, in possible: [String], of owner: String, at place: SourcePlace) {
        guard !possible.isEmpty, !possible.contains(where: { types.target(of: path, in: $0) != nil }) else { return }
        let first = String(path.prefix { $0 != "." })
        let known = possible.flatMap(types.names)
        let meant = known.contains(first) ? "" : Advice.meant(first, among: known)
        let names = Advice.list(possible)
        add(.unknownName, [owner], "\(owner): there is no field \"\(path)\" in \(names)\(meant)", at: place)
    }

    /// The possible types of characteristics' values in an operation; nil for all operations.
    func possibleTypes(_ characteristics: [CharacteristicDefinition], _ operation: OperationKind?) -> [String] {
        let choices = characteristics.flatMap { characteristic in
            operation.map { characteristic.readings[$0].map { [$0] } ?? [] } ?? Array(characteristic.readings.values)
        }
        return choices.flatMap(\.alternatives).map(\.type).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Checks that an event's characteristic and the fields of its condition exist; returns the types of its values.
    /// `request` has the types of the request that the event answers, if the profile declares one.
    @discardableResult
    mutating func checkEvent(
        _ event: EventPattern, in dialect: String?, of owner: String, request: [String]? = nil
    ) -> [String] {
        var types: [String] = []
        var name: String?
        switch event.subject {
        case .advertisement: types = checkAdvertised(event, of: owner)
        case .message:
            let found = checkMessage(event.characteristic, of: owner, at: event.place)
            (types, name) = (found?.types ?? [], found?.request)
        case .value, .configuration:
            let found = checkCharacteristic(event.characteristic, in: dialect, of: owner, at: event.place)
            types = event.isConfiguration ? [] : possibleTypes(found, event.operation)
            name = found.lazy.compactMap(\.request).first
            checkOperation(of: event, found, of: owner)
        }
        if let condition = event.condition {
            checkFields(of: condition, in: types, of: owner)
            checkRequest(in: condition, request ?? requestTypes(name), of: owner)
        }
        return types
    }

    /// The possible types of the advertised data of an event; a type that the event names must be among them.
    private mutating func checkAdvertised(_ event: EventPattern, of owner: String) -> [String] {
        let types = profile.advertising.flatMap(\.reading.alternatives).map(\.type)
        if types.isEmpty {
            add(
                .unknownName, [owner], "\(owner): the profile reads nothing that is advertised",
                fix: "add a section \"advertising\"", at: event.place)
        }
        if event.characteristic.isEmpty { return types }
        if types.contains(event.characteristic) { return [event.characteristic] }
        if !types.isEmpty {
            let meant = Advice.meant(event.characteristic, among: types)
            add(
                .unknownName, [owner], "\(owner): no advertised data have the type \"\(event.characteristic)\"\(meant)",
                at: event.place)
        }
        return []
    }

    /// Checks that at least one of several types has the fields of an expression.
    mutating func checkFields(of expression: Expression, in possible: [String], of owner: String) {
        for path in expression.ownFields { checkField(path, in: possible, of: owner, at: expression.place) }
        for name in expression.characteristics { checkCharacteristic(name, of: owner, at: expression.place) }
        checkComparisons(of: expression, in: possible, of: owner)
    }
}

// MARK: - Requests

extension ProfileLint {
    /// The types of values written to a characteristic, or of a message; nil for a nil name.
    func requestTypes(_ name: String?) -> [String]? {
        guard let name else { return nil }
        if let message = profile.messages.first(where: { $0.name == name }) { return message.types }
        return possibleTypes(profile.services.flatMap(\.characteristics).filter { $0.name == name }, .write)
    }

    /// The types of the request that an event's values answer; nil if the profile declares none.
    func requestTypes(of event: EventPattern) -> [String]? {
        let name =
            event.isMessage
            ? profile.messages.first { $0.name == event.characteristic }?.request
            : profile.services.lazy.flatMap(\.characteristics).first { $0.name == event.characteristic }?.request
        return requestTypes(name)
    }

    /// Checks that at least one of several types has the request fields of an expression.
    mutating func checkRequest(in expression: Expression, _ possible: [String]?, of owner: String) {
        for path in expression.requestFields {
            if let possible {
                checkField(path, in: possible, of: owner, at: expression.place)
            } else {
                add(
                    .unknownName, [owner], "\(owner): request.\(path): the value answers no request",
                    fix: "name it by \"request\" of the characteristic or the message", at: expression.place)
            }
        }
    }

    /// Checks that the request which values answer exists, with the fields that conditions use.
    mutating func checkRequests(
        in choice: PayloadChoice, to request: String?, of owner: String, at place: SourcePlace
    ) {
        if let request {
            let known = profile.messages.map(\.name) + profile.services.flatMap(\.characteristics).map(\.name)
            if !known.contains(request) {
                let meant = Advice.meant(request, among: known)
                add(
                    .unknownName, [owner],
                    "\(owner): there is no characteristic or message \"\(request)\"\(meant)", at: place)
            }
        }
        for alternative in choice.alternatives {
            guard let condition = alternative.condition else { continue }
            checkRequest(in: condition, requestTypes(request), of: owner)
        }
    }
}
