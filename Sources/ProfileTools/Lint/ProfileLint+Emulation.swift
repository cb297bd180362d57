import Bluetooth
import Profile

// Checks of section `emulate`: whether the names it refers to exist and its values match their types.
extension ProfileLint {
    mutating func checkEmulation() {
        guard let emulation = profile.emulation else { return }
        for initial in emulation.values {
            check(initial.value, of: initial.characteristic, .read, at: initial.place)
        }
        for data in emulation.advertising { check(data) }
        for reaction in emulation.reactions {
            var asked: [String]?
            switch reaction.trigger {
            case .event(let event):
                asked = checkEvent(event, in: nil, of: "emulate")
                checkTrigger(event)
            case .subscribed(let name, _): checkCharacteristic(name, of: "emulate", at: reaction.place)
            case .timer, .connected, .disconnected: break
            }
            for action in reaction.actions {
                switch action {
                case .set(let name, let source): check(source, of: name, .read, request: asked, at: reaction.place)
                case .notify(let name, let source):
                    check(source, of: name, .notify, request: asked, at: reaction.place)
                case .send(let name, let source): check(source, message: name, request: asked, at: reaction.place)
                case .advertise(let data): check(data)
                case .error, .delay, .respond, .disconnect, .pair: break
                }
            }
        }
    }

    /// A virtual device recognizes only written messages with stream framing.
    private mutating func checkTrigger(_ event: EventPattern) {
        guard event.isMessage, let message = profile.messages.first(where: { $0.name == event.characteristic }) else {
            return
        }
        if case .stream = message.framing, message.operation == .write { return }
        add(
            .wrongValue, [message.name], "emulate: \(message.name) is not a message that a client writes in a stream",
            at: event.place)
    }

    /// A value of the emulation must match its characteristic's type.
    private mutating func check(
        _ source: EmulationDefinition.ValueSource?, of characteristic: String, _ operation: OperationKind,
        request: [String]? = nil, at place: SourcePlace
    ) {
        let found = checkCharacteristic(characteristic, of: "emulate", at: place)
        check(source, of: characteristic, possibleTypes(found, operation), request, at: place)
        if let source, let length = compiled?.length(of: source), length > ATT.maximumValueLength {
            add(
                .wrongValue, [characteristic], "emulate: \(characteristic): \(ATT.lengthFault(length))", at: place)
        }
        guard case .generated? = source, !found.isEmpty,
            profile.emulation?.values.contains(where: { $0.characteristic == characteristic }) == false
        else { return }
        add(
            .missingStartValue, [characteristic],
            "emulate: the generator changes a field of \(characteristic), which has no value to begin with",
            fix: "give it one in values", at: place)
    }

    /// The content of a message must match its type and fit the stream's framing.
    private mutating func check(
        _ source: EmulationDefinition.ValueSource, message name: String, request: [String]?, at place: SourcePlace
    ) {
        guard let message = checkMessage(name, of: "emulate", at: place) else { return }
        guard case .stream(let framing) = message.framing, [.notify, .indicate].contains(message.operation) else {
            add(
                .wrongValue, [name], "emulate: \(name) is not a message that the device sends in a stream",
                at: place)
            return
        }
        check(source, of: name, message.types, request, framing, at: place)
    }

    /// Advertised data must match their type, if any, and fit into an advertisement.
    private mutating func check(_ data: EmulationDefinition.AdvertisedData) {
        var types: [String] = []
        var overhead = 2
        if case .data(let owner) = data.carrier {
            types = profile.advertising.filter { $0.carrier == owner }.flatMap(\.reading.alternatives).map(\.type)
            overhead += owner.length
        }
        check(data.value, of: "advertising", types, nil, at: data.place)
        guard let length = compiled?.length(of: data.value), length + overhead > Self.advertisementLength else {
            return
        }
        add(
            .wrongValue, ["advertising"],
            "emulate: advertising: \(length) bytes do not fit: an advertisement has room for "
                + "\(Self.advertisementLength - overhead)", at: data.place)
    }

    /// Maximum length of legacy advertising data, in bytes (Vol 6, Part B, 2.3.1.1).
    private static let advertisementLength = 31

    /// A value must match one of its possible types; without any, all bytes are accepted.
    private mutating func check(
        _ source: EmulationDefinition.ValueSource?, of owner: String, _ possible: [String], _ request: [String]?,
        _ framing: StreamFraming? = nil, at place: SourcePlace
    ) {
        switch source {
        case .bytes(let bytes)?:
            let layouts = possible.compactMap { compiled?.types[$0] }
            let reads = layouts.contains { layout in
                layout.lengths.contains(bytes.count) && (try? layout.decode(bytes)) != nil
            }
            guard !layouts.isEmpty, !reads else { return }
            add(
                .wrongValue, [owner],
                "emulate: \(bytes.count) bytes are no \(Advice.list(possible)) for \(owner)", at: place)
        case .value(let value, let type)?:
            let paths = value.requestPaths
            for path in paths {
                if let request {
                    checkField(path, in: request, of: "emulate", at: place)
                } else {
                    add(.unknownName, [owner], "emulate: request.\(path): there is no request", at: place)
                }
            }
            guard let layout = compiled?.types[type], paths.isEmpty else { return }
            do throws(EncodeError) {
                let bytes = try layout.encode(value)
                _ = try framing?.encode(bytes)
            } catch {
                add(.wrongValue, [owner], "emulate: \(owner): \(error)", at: place)
            }
        case .generated(let generator)?:
            checkField(generator.field, in: possible, of: "emulate", at: place)
        case nil: break
        }
    }
}

extension GAP.DataOwner {
    /// Length of the owner's identifier before the data, in bytes.
    fileprivate var length: Int {
        switch self {
        case .company: 2
        case .service(let uuid): uuid.uuid16 != nil ? 2 : uuid.uuid32 != nil ? 4 : 16
        }
    }
}
