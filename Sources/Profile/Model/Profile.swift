package import Bluetooth
import Bytes

/// A declarative description of a device: its payload formats, its behaviour as far as that needs no code, and the
/// evidence that identifies it.
///
/// The validated content of a `profile.yaml`. `ProfileReader` creates it; `CompiledProfile` is its fast form. Every
/// definition keeps its place in the file for diagnostics.
public struct Profile: Sendable {
    /// Identity and origin.
    public var header: Header
    /// Weighted evidence that identifies a device of this kind.
    package var match: [Evidence] = []
    /// Types of values, in file order.
    package var types: [TypeDefinition] = []
    package var services: [ServiceDefinition] = []
    /// Descriptors that any characteristic may have.
    package var descriptors: [DescriptorDefinition] = []
    package var advertising: [AdvertisedValue] = []
    package var messages: [MessageDefinition] = []
    package var sequences: [SequenceDefinition] = []
    /// Times that the plugin's Swift code reads, in file order.
    package var times: [TimeDefinition] = []
    package var rules: [RuleDefinition] = []
    package var emulation: EmulationDefinition?
    package var vectors: [Vector] = []
    /// Path of the file, for diagnostics.
    public var file: String

    package init(header: Header, file: String) {
        self.header = header
        self.file = file
    }

    /// Supported version of the profile format.
    package static let format = 1
}

/// A position in a profile's file.
public struct SourcePlace: Hashable, Sendable, Comparable {
    /// From 1.
    public var line: Int
    /// From 1, in characters.
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    static let start = SourcePlace(line: 1, column: 1)

    public static func < (one: SourcePlace, other: SourcePlace) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

// MARK: - Identity

extension Profile {
    /// Section `profile`.
    public struct Header: Sendable {
        /// Prefix of all field names: lower-case letters, digits and underscores.
        public var id: String
        public var title: String
        public var version: String
        package var vendor: String?
        /// Firmware described, as free text: `0.1.0 and later`.
        public var firmware: String?
        package var licence: String?
        package var sources: [String] = []
        /// Abbreviations in the sources of rules and times: `dr: firmware/src/drinks.cpp`.
        package var abbreviations: [String: String] = [:]
        package var doc: String?
        /// Variants of the device that share types: `shipped`, `prd`.
        package var dialects: [Dialect] = []
        /// Largest ATT_MTU that the device supports; nil if unknown.
        public var mtu: Int?
        /// Accepted lint findings: actual behaviour of the device.
        package var accepted: [Acceptance] = []
        public var place: SourcePlace

        public init(id: String, title: String, version: String, place: SourcePlace) {
            self.id = id
            self.title = title
            self.version = version
            self.place = place
        }
    }

    /// An accepted lint finding: the device really behaves that way. It is listed separately and is not a fault of the
    /// profile.
    package struct Acceptance: Sendable, Hashable {
        /// Lint check: `payload-exceeds-mtu`.
        package var finding: String
        /// Name of the type, characteristic or rule concerned.
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

    /// Section `match`: an observable feature of a device, with its weight as evidence for this profile.
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
            /// A string of the Device Information service, named by its characteristic, matches a regular expression.
            case deviceInformation(String, String)
        }

        package var sign: Sign
        /// 1 to 100; a profile matches a device if the weights add up to at least `threshold`.
        package var weight: Int
        /// The dialect that the evidence supports; nil for all.
        package var dialect: String?
        package var place: SourcePlace

        package init(_ sign: Sign, weight: Int, dialect: String? = nil, place: SourcePlace) {
            self.sign = sign
            self.weight = weight
            self.dialect = dialect
            self.place = place
        }

        /// Minimum sum of weights for a match.
        package static let threshold = 50
        /// Minimum sum for reporting a near match if no profile matches: four fifths of `threshold`.
        package static let nearThreshold = threshold * 4 / 5
    }
}

extension Profile.Evidence.Sign {
    /// Short description: `service FEED`, `name ^Kettle`.
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
    /// Owner of the advertised data and its prefix; nil for other kinds of evidence.
    package var advertised: (owner: GAP.DataOwner, prefix: [UInt8])? {
        switch self {
        case .manufacturer(let company, let prefix): (.company(company), prefix)
        case .serviceData(let uuid, let prefix): (.service(uuid), prefix)
        case .name, .service, .characteristic, .deviceInformation: nil
        }
    }
}

extension Profile {
    /// The dialect that signs indicate, from the dialects that they support; nil if they indicate none or several.
    package static func dialect(supportedBy dialects: some Sequence<String?>) -> String? {
        var common: String?
        for dialect in dialects {
            guard let dialect else { continue }
            if let common, common != dialect { return nil }
            common = dialect
        }
        return common
    }

    /// The dialect of a device with this attribute table; nil if the table indicates none or several.
    package func dialect(of table: GATT.Table) -> String? {
        let services = Set(table.services.map(\.type))
        let characteristics = Set(table.characteristics.map(\.type))
        let shown = match.filter { evidence in
            switch evidence.sign {
            case .service(let type): services.contains(type)
            case .characteristic(let type): characteristics.contains(type)
            case .name, .manufacturer, .serviceData, .deviceInformation: false
            }
        }
        return Self.dialect(supportedBy: shown.map(\.dialect))
    }

    /// Prefixes of an owner's data that this profile matches; empty if the profile has no such evidence.
    package func prefixes(of owner: GAP.DataOwner) -> [[UInt8]] {
        match.compactMap(\.sign.advertised).filter { $0.owner == owner }.map(\.prefix)
    }
}
