package import Bluetooth
import Bytes

/// A device described by data: what is on the wire, how it behaves as far as that needs no code, and how to recognize it.
///
/// This is the content of a `profile.yaml` that was read and found right in itself; `ProfileReader` makes it,
/// `CompiledProfile` makes it fast. Every definition knows its place in the file, so that a diagnostic can point
/// at it.
public struct Profile: Sendable {
    /// Identity and origin.
    public var header: Header
    /// Evidence that identifies a device of this kind, each piece with its weight.
    package var match: [Evidence] = []
    /// The forms of values, in the order of the file.
    package var types: [TypeDefinition] = []
    package var services: [ServiceDefinition] = []
    /// Descriptors that any characteristic may have.
    package var descriptors: [DescriptorDefinition] = []
    package var advertising: [AdvertisedValue] = []
    package var messages: [MessageDefinition] = []
    package var sequences: [SequenceDefinition] = []
    package var rules: [RuleDefinition] = []
    package var emulation: EmulationDefinition?
    package var vectors: [Vector] = []
    /// Path of the file, as it is named in messages.
    public var file: String

    package init(header: Header, file: String) {
        self.header = header
        self.file = file
    }

    /// The version of the format that this program reads.
    package static let format = 1
}

/// A place in a profile's file.
public struct SourcePlace: Hashable, Sendable, Comparable {
    /// From 1.
    public var line: Int
    /// From 1, in characters.
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The beginning of a file.
    static let start = SourcePlace(line: 1, column: 1)

    public static func < (one: SourcePlace, other: SourcePlace) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

// MARK: - Identity

extension Profile {
    /// Section `profile`.
    public struct Header: Sendable {
        /// Begins the names of all fields: lower-case letters, digits and underscores.
        public var id: String
        public var title: String
        public var version: String
        package var vendor: String?
        /// Firmware that it describes, in words: `0.1.0 and later`.
        public var firmware: String?
        package var licence: String?
        package var sources: [String] = []
        /// What words in the sources of rules stand for: `dr: firmware/src/drinks.cpp`.
        package var abbreviations: [String: String] = [:]
        package var doc: String?
        /// Variants of the device that share types: `shipped`, `prd`.
        package var dialects: [Dialect] = []
        /// Largest ATT_MTU that the device takes part in; nil where it is not known.
        public var mtu: Int?
        /// What lint finds and the device really does.
        package var accepted: [Acceptance] = []
        public var place: SourcePlace

        public init(id: String, title: String, version: String, place: SourcePlace) {
            self.id = id
            self.title = title
            self.version = version
            self.place = place
        }
    }

    /// A finding of lint that the device really has: it is listed apart and is no fault of the profile.
    package struct Acceptance: Sendable, Hashable {
        /// What was found: `payload-exceeds-mtu`.
        package var finding: String
        /// What it was found in: the name of a type, a characteristic, a rule.
        package var at: String
        package var reason: String
        package var place: SourcePlace

        package init(finding: String, at: String, reason: String, place: SourcePlace) {
            self.finding = finding
            self.at = at
            self.reason = reason
            self.place = place
        }
    }

    /// A variant of the device.
    public struct Dialect: Sendable, Hashable {
        public var id: String
        public var title: String
        package var doc: String?

        public init(id: String, title: String, doc: String? = nil) {
            self.id = id
            self.title = title
            self.doc = doc
        }
    }

    /// Section `match`: something that a device shows, and how much it speaks for this profile.
    package struct Evidence: Sendable {
        package enum Sign: Sendable, Hashable {
            /// The local name matches a regular expression.
            case name(String)
            /// The service is advertised or in the attribute table.
            case service(UUID)
            /// The attribute table has a characteristic of this type.
            case characteristic(UUID)
            /// Manufacturer data of this company begin with these bytes.
            case manufacturer(company: UInt16, prefix: [UInt8])
            /// Service data of this UUID begin with these bytes.
            case serviceData(UUID, prefix: [UInt8])
            /// A string of the Device Information service, by the name of its characteristic, matches a regular expression.
            case deviceInformation(String, String)
        }

        package var sign: Sign
        /// 1 to 100; a profile whose weights come to `threshold` is the device's.
        package var weight: Int
        /// The dialect that it speaks for; nil for all.
        package var dialect: String?
        package var place: SourcePlace

        package init(_ sign: Sign, weight: Int, dialect: String? = nil, place: SourcePlace) {
            self.sign = sign
            self.weight = weight
            self.dialect = dialect
            self.place = place
        }

        /// The sum of weights from which a device is taken for one of the profile's.
        package static let threshold = 50
        /// The sum from which a device that no profile matches is reported as a near match: four fifths of `threshold`.
        package static let nearThreshold = threshold * 4 / 5
    }
}

extension Profile.Evidence.Sign {
    /// The sign in a few words: `service FEED`, `name ^Kettle`.
    package var text: String {
        switch self {
        case .name(let pattern): "name \(pattern)"
        case .service(let uuid): "service \(uuid)"
        case .characteristic(let uuid): "characteristic \(uuid)"
        case .manufacturer(let company, let prefix):
            "manufacturer data of \(AssignedNumbers.company(company) ?? "company \(company)")" + Self.words(prefix)
        case .serviceData(let uuid, let prefix): "service data of \(uuid)" + Self.words(prefix)
        case .deviceInformation(let name, let pattern): "\(name) \(pattern)"
        }
    }

    private static func words(_ prefix: [UInt8]) -> String {
        prefix.map { " " + String(hex: $0, digits: 2) }.joined()
    }
}

extension Profile.Evidence.Sign {
    /// Whose data in advertisements it is about, and how they begin; nil for other signs.
    package var advertised: (owner: GAP.DataOwner, prefix: [UInt8])? {
        switch self {
        case .manufacturer(let company, let prefix): (.company(company), prefix)
        case .serviceData(let uuid, let prefix): (.service(uuid), prefix)
        case .name, .service, .characteristic, .deviceInformation: nil
        }
    }
}

extension Profile {
    /// How the data of an owner begin that are this profile's, by its signs; empty where they say nothing.
    package func prefixes(of owner: GAP.DataOwner) -> [[UInt8]] {
        match.compactMap(\.sign.advertised).filter { $0.owner == owner }.map(\.prefix)
    }
}
