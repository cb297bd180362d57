public import Bytes

extension HCI {
    /// A parameter of commands, events and return parameters: its name and encoding.
    ///
    /// The tables declare parameters as in the specification; `LayoutReader` and `LayoutWriter` read and write them.
    public indirect enum Parameter: Sendable {
        /// A little-endian integer of 1 to 8 bytes, such as a number, a code or an address, as its field's format
        /// specifies.
        case integer(Name, size: Int)
        /// An integer with named bit fields.
        case bits(Name, size: Int, parts: Parts)
        /// A fixed number of bytes.
        case bytes(Name, count: Int)
        /// All bytes up to the end.
        case rest(Name)
        /// UTF-8 text in a fixed number of bytes; shorter text ends with a NUL.
        case text(Name, count: Int)
        /// A length, then that many bytes. `capacity` is their fixed size on the wire; nil if the size varies.
        case sized(length: Name, size: Int, Name, Content, capacity: Int?)
        /// Advertising data in a fixed number of bytes, padded with zeros.
        case advertisingData(Name, count: Int)
        /// A structure.
        case group(Name, [Parameter])
        /// A count in one byte, then that many elements, of one parameter or several each.
        case list(count: Name, element: Name?, [Parameter])
        /// A bit mask in one byte, then the element's parameters once for each set bit.
        case perBit(Name, parts: Parts, element: Name, [Parameter])
        /// A code in one byte that selects the following parameters; none for an unlisted code.
        case choice(Name, [UInt64: [Parameter]])
        /// Structures up to the end.
        case repeated(element: Name, [Parameter])
        /// Parameters that a struct reads and writes.
        case parameters(any Parameters.Type)

        /// Content of a `sized` parameter.
        public enum Content: Sendable {
            case bytes, advertisingData
        }
    }

    /// Wireshark's name prefix under which a parameter is recorded.
    public enum Side: Sendable {
        /// `bthci_cmd`.
        case command
        /// `bthci_evt`; also for return parameters, which are part of an event.
        case event
    }
}

extension HCI.Parameter {
    /// A parameter's fields for both sides: command parameters recur in events and as return parameters.
    public struct Name: Sendable {
        let command: Field
        let event: Field

        /// The field under which the parameter is recorded.
        public subscript(side: HCI.Side) -> Field {
            switch side {
            case .command: command
            case .event: event
            }
        }

        init(
            _ name: String, event eventName: String? = nil, _ label: String, _ format: Field.Format,
            _ unit: Unit? = nil, mask: UInt64 = 0, size: Int = 0, names: Names? = nil, isSecret: Bool = false
        ) {
            let valueNames = names?.lookup
            command = Field(
                "bthci_cmd." + name, label, format, unit: unit?.name, scale: unit?.scale ?? 1, mask: mask,
                size: size, names: valueNames, isSecret: isSecret)
            event = Field(
                "bthci_evt." + (eventName ?? name), label, format, unit: unit?.name, scale: unit?.scale ?? 1,
                mask: mask, size: size, names: valueNames, isSecret: isSecret)
        }
    }

    /// The fields of an integer's bit fields, for both sides.
    public struct Parts: Sendable {
        let command: [Field]
        let event: [Field]

        init(_ names: [Name]) {
            command = names.map(\.command)
            event = names.map(\.event)
        }

        /// The fields under which the parts are recorded.
        public subscript(side: HCI.Side) -> [Field] {
            switch side {
            case .command: command
            case .event: event
            }
        }
    }

    struct Names: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
        let lookup: ValueNames

        init(_ lookup: ValueNames) {
            self.lookup = lookup
        }

        /// Names of the values 0, 1 and so on.
        init(arrayLiteral names: String...) {
            lookup = ValueNames { $0 < UInt64(names.count) ? names[Int($0)] : nil }
        }

        init(dictionaryLiteral names: (UInt64, String)...) {
            let table = Dictionary(names) { one, _ in one }
            lookup = ValueNames(table)
        }
    }
}

// MARK: - Table notation

extension HCI.Parameter.Name {
    /// A bit field in an integer, of one bit or several.
    static func part(
        _ mask: UInt64, _ name: String, event: String? = nil, _ label: String, _ format: Field.Format = .boolean,
        _ names: HCI.Parameter.Names? = nil
    ) -> Self { Self(name, event: event, label, format, mask: mask, names: names) }
}

extension HCI.Parameter {
    static func u8(
        _ name: String, event: String? = nil, _ label: String, _ unit: Unit? = nil, _ names: Names? = nil
    ) -> Self { .integer(Name(name, event: event, label, .decimal, unit, size: 1, names: names), size: 1) }

    static func u16(
        _ name: String, event: String? = nil, _ label: String, _ unit: Unit? = nil, _ names: Names? = nil
    ) -> Self { .integer(Name(name, event: event, label, .decimal, unit, size: 2, names: names), size: 2) }

    static func u24(_ name: String, event: String? = nil, _ label: String, _ unit: Unit? = nil) -> Self {
        .integer(Name(name, event: event, label, .decimal, unit, size: 3), size: 3)
    }

    static func u32(
        _ name: String, event: String? = nil, _ label: String, _ unit: Unit? = nil, secret: Bool = false
    ) -> Self { .integer(Name(name, event: event, label, .decimal, unit, size: 4, isSecret: secret), size: 4) }

    static func i8(_ name: String, event: String? = nil, _ label: String, _ unit: Unit? = nil, _ names: Names? = nil)
        -> Self
    { .integer(Name(name, event: event, label, .signed, unit, size: 1, names: names), size: 1) }

    static func i16(_ name: String, event: String? = nil, _ label: String, _ unit: Unit? = nil, _ names: Names? = nil)
        -> Self
    { .integer(Name(name, event: event, label, .signed, unit, size: 2, names: names), size: 2) }

    /// A code or a number shown in hexadecimal.
    static func x8(
        _ name: String, event: String? = nil, _ label: String, _ names: Names? = nil, _ unit: Unit? = nil
    ) -> Self { .integer(Name(name, event: event, label, .hex(2), unit, names: names), size: 1) }

    static func x16(
        _ name: String, event: String? = nil, _ label: String, _ names: Names? = nil, _ unit: Unit? = nil
    ) -> Self { .integer(Name(name, event: event, label, .hex(4), unit, names: names), size: 2) }

    static func x24(_ name: String, event: String? = nil, _ label: String, _ names: Names? = nil) -> Self {
        .integer(Name(name, event: event, label, .hex(6), names: names), size: 3)
    }

    static func x32(_ name: String, event: String? = nil, _ label: String) -> Self {
        .integer(Name(name, event: event, label, .hex(8)), size: 4)
    }

    static func x64(_ name: String, event: String? = nil, _ label: String) -> Self {
        .integer(Name(name, event: event, label, .hex(16)), size: 8)
    }

    static func address(_ name: String, event: String? = nil, _ label: String) -> Self {
        .integer(Name(name, event: event, label, .address), size: 6)
    }

    static func bytes(
        _ count: Int, _ name: String, event: String? = nil, _ label: String, secret: Bool = false
    ) -> Self { .bytes(Name(name, event: event, label, .bytes, isSecret: secret), count: count) }

    static func rest(_ name: String, event: String? = nil, _ label: String, secret: Bool = false) -> Self {
        .rest(Name(name, event: event, label, .bytes, isSecret: secret))
    }

    static func text(_ count: Int, _ name: String, event: String? = nil, _ label: String) -> Self {
        .text(Name(name, event: event, label, .text), count: count)
    }

    /// An integer of `size` bytes with named bit fields.
    static func bits(
        _ size: Int, _ name: String, event: String? = nil, _ label: String, _ parts: [Name],
        format: Field.Format? = nil
    ) -> Self {
        .bits(Name(name, event: event, label, format ?? .hex(size * 2)), size: size, parts: Parts(parts))
    }

    /// A length of one byte, then that many bytes.
    static func sized(
        _ length: Self, _ name: String, event: String? = nil, _ label: String, capacity: Int? = nil,
        secret: Bool = false
    ) -> Self {
        .sized(
            length: length.name, size: length.integerSize, Name(name, event: event, label, .bytes, isSecret: secret),
            .bytes, capacity: capacity)
    }

    /// A length of one byte, then that many bytes of advertising data.
    static func advertisingData(
        _ length: Self, _ name: String, event: String? = nil, _ label: String, capacity: Int? = nil
    ) -> Self {
        .sized(
            length: length.name, size: length.integerSize, Name(name, event: event, label, .bytes), .advertisingData,
            capacity: capacity)
    }

    /// A length of one byte, then that many bytes of advertising data, recorded under another parameter's name.
    static func advertisingData(_ length: Self, _ data: Self) -> Self {
        .sized(length: length.name, size: length.integerSize, data.name, .advertisingData, capacity: nil)
    }

    static func advertisingData(_ count: Int, _ name: String, event: String? = nil, _ label: String) -> Self {
        .advertisingData(Name(name, event: event, label, .bytes), count: count)
    }

    static func group(_ name: String, event: String? = nil, _ label: String, _ parameters: [Self]) -> Self {
        .group(Name(name, event: event, label, .group), parameters)
    }

    /// A count, then that many structures, each recorded as a group.
    static func list(
        _ count: Self, of name: String, event: String? = nil, _ label: String, _ parameters: [Self]
    ) -> Self { .list(count: count.name, element: Name(name, event: event, label, .group), parameters) }

    /// A count, then that many structures, recorded under the given group.
    static func list(_ count: Self, of element: Self, _ parameters: [Self]) -> Self {
        .list(count: count.name, element: element.name, parameters)
    }

    /// A count, then that many values of one parameter.
    static func list(_ count: Self, of element: Self) -> Self {
        .list(count: count.name, element: nil, [element])
    }

    /// A bit mask, then a structure for each set bit.
    static func perBit(
        _ mask: Self, of name: String, event: String? = nil, _ label: String, _ parameters: [Self]
    ) -> Self {
        guard case .bits(let maskName, _, let parts) = mask else { return mask }
        return .perBit(maskName, parts: parts, element: Name(name, event: event, label, .group), parameters)
    }

    /// Structures up to the end, each recorded as a group.
    static func repeated(of name: String, _ label: String, _ parameters: [Self]) -> Self {
        .repeated(element: Name(name, label, .group), parameters)
    }

    /// A code, then the parameters that it selects.
    static func choice(_ code: Self, _ cases: [UInt64: [Self]]) -> Self { .choice(code.name, cases) }
}

extension HCI.Parameter {
    /// The parameter's name; for `parameters`, a name that is never recorded.
    var name: Name {
        switch self {
        case .integer(let name, _), .bits(let name, _, _), .bytes(let name, _), .rest(let name), .text(let name, _),
            .advertisingData(let name, _), .group(let name, _), .perBit(let name, _, _, _), .choice(let name, _),
            .repeated(let name, _):
            name
        case .sized(_, _, let name, _, _): name
        case .list(let count, _, _): count
        case .parameters: Self.unnamed
        }
    }

    private static let unnamed = Name("parameters", "Parameters", .group)

    private var integerSize: Int {
        if case .integer(_, let size) = self { size } else { 1 }
    }

    /// The field under which the parameter is recorded in a command.
    var inCommand: Field { name.command }

    /// The field under which the parameter is recorded in an event.
    var inEvent: Field { name.event }

    func parts(_ side: HCI.Side) -> [Field] {
        if case .bits(_, _, let parts) = self { parts[side] } else { [] }
    }
}

/// Common names of values.
extension HCI.Parameter.Names {
    static let addressTypes = Self(
        ValueNames { HCI.AddressType(rawValue: UInt8(truncatingIfNeeded: $0)).name })
    static let audioDataPaths: Self = [0: "HCI", 0xFF: "Audio test mode"]
    static let clockAccuracies: Self = [
        "500 ppm", "250 ppm", "150 ppm", "100 ppm", "75 ppm", "50 ppm", "30 ppm", "20 ppm",
    ]
    static let clocks: Self = ["Local Clock", "Piconet Clock"]
    static let codecs: Self = [
        0: "µ-law log", 1: "A-law log", 2: "CVSD", 3: "Transparent", 4: "Linear PCM", 5: "mSBC", 6: "LC3", 7: "G.729A",
        0xFF: "Vendor Specific",
    ]
    static let dataStatuses: Self = ["Complete", "Incomplete, more data to come", "Incomplete, data truncated"]
    static let disabledEnabled: Self = ["Disabled", "Enabled"]
    static let flowDirections: Self = ["Outgoing", "Incoming"]
    static let ioCapabilities: Self = ["DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput"]
    static let pcmFormats: Self = ["NA", "1's complement", "2's complement", "Sign-magnitude", "Unsigned"]
    static let phyOptions: Self = [
        "No preference", "S=2 preferred", "S=8 preferred", "S=2 required", "S=8 required",
    ]
    static let phys: Self = [1: "LE 1M", 2: "LE 2M", 3: "LE Coded"]
    static let roles: Self = ["Central", "Peripheral"]
    static let transportLayers: Self = ["Disabled", "WCI-1", "WCI-2"]
    static let versions: Self = [
        "1.0b", "1.1", "1.2", "2.0 + EDR", "2.1 + EDR", "3.0 + HS", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3",
        "5.4", "6.0", "6.1", "6.2",
    ]
}

extension HCI.Parameter {
    struct Unit: Sendable {
        let name: String
        let scale: Double

        /// Slots of 0.625 ms.
        static let slots = Unit(name: "ms", scale: 0.625)
        /// Double slots of 1.25 ms.
        static let doubleSlots = Unit(name: "ms", scale: 1.25)
        static let tenMilliseconds = Unit(name: "ms", scale: 10)
        static let milliseconds = Unit(name: "ms", scale: 1)
        static let microseconds = Unit(name: "µs", scale: 1)
        static let seconds = Unit(name: "s", scale: 1)
        /// Units of 1.28 s, used by inquiries.
        static let inquiryTime = Unit(name: "s", scale: 1.28)
        static let dBm = Unit(name: "dBm", scale: 1)
        /// Units of 0.125 ms, used by response slots and short connection intervals.
        static let eighthMilliseconds = Unit(name: "ms", scale: 0.125)
        /// Units of 0.3125 ms, half a slot: a tick of the Bluetooth clock.
        static let clockTicks = Unit(name: "ms", scale: 0.3125)
        /// Units of 8 µs, used by Constant Tone Extensions.
        static let toneExtensions = Unit(name: "µs", scale: 8)
        static let tenthsOfdBm = Unit(name: "dBm", scale: 0.1)
        static let tenthsOfdB = Unit(name: "dB", scale: 0.1)
        static let dB = Unit(name: "dB", scale: 1)
        static let bytes = Unit(name: "bytes", scale: 1)
        static let bytesPerSecond = Unit(name: "bytes/s", scale: 1)
        static let megahertz = Unit(name: "MHz", scale: 1)
        static let kilohertz = Unit(name: "kHz", scale: 1)
        static let ppm = Unit(name: "ppm", scale: 1)
        static let hundredthsOfPPM = Unit(name: "ppm", scale: 0.01)
        static let halfNanoseconds = Unit(name: "ns", scale: 0.5)
    }
}
