package import Bluetooth
package import Profile

/// The starting profile written by `plugins new`: everything derived from a capture or a header, with comments on the
/// next steps.
package struct ProfileDraft: Sendable {
    package var id: String
    /// Lines of the comment at the top of the file.
    package var comments: [String] = []
    package var evidence: [Evidence] = []
    package var types: [DraftType] = []
    package var services: [Service] = []
    package var advertising: [Advertised] = []
    package var rules: [Rule] = []
    /// Values for the vectors.
    package var samples: [Sample] = []

    package init(id: String) {
        self.id = id
    }

    /// A line of section `match`.
    package struct Evidence: Sendable {
        package var sign: Profile.Evidence.Sign
        package var weight: Int

        package init(_ sign: Profile.Evidence.Sign, weight: Int) {
            self.sign = sign
            self.weight = weight
        }
    }

    package struct Service: Sendable {
        package var uuid: UUID
        package var name: String
        package var comment: String?
        package var characteristics: [Characteristic] = []

        package init(uuid: UUID, name: String, comment: String? = nil) {
            self.uuid = uuid
            self.name = name
            self.comment = comment
        }
    }

    package struct Characteristic: Sendable {
        package var uuid: UUID
        package var name: String
        package var properties: GATT.Properties
        /// Types of the values with the lengths that select them; empty if the values are not described.
        package var values: [TypeOfLength] = []

        package init(uuid: UUID, name: String, properties: GATT.Properties) {
            self.uuid = uuid
            self.name = name
            self.properties = properties
        }
    }

    /// A type with the length that selects it; nil for values of any length.
    package typealias TypeOfLength = (length: Int?, type: String)

    /// A line of section `advertising`.
    package struct Advertised: Sendable {
        package var owner: GAP.DataOwner
        package var values: [TypeOfLength]
        package var comment: String

        package init(_ owner: GAP.DataOwner, values: [TypeOfLength], comment: String) {
            self.owner = owner
            self.values = values
            self.comment = comment
        }
    }

    /// A rule about advertised data of a type, derived from a capture.
    package struct Rule: Sendable {
        package enum Demand: Sendable {
            case length(ClosedRange<Int>)
            /// The first byte is one of these.
            case firstByte([UInt8])
        }

        package var type: String
        /// Kind of data: `Service data`.
        package var title: String
        package var demand: Demand

        package init(type: String, title: String, _ demand: Demand) {
            self.type = type
            self.title = title
            self.demand = demand
        }
    }

    /// Sample bytes of a type.
    package struct Sample: Sendable {
        package var type: String
        package var bytes: [UInt8]

        package init(type: String, bytes: [UInt8]) {
            self.type = type
            self.bytes = bytes
        }
    }
}

/// A type of a draft.
package struct DraftType: Sendable {
    package var name: String
    package var title: String?
    package var doc: String?
    package var form: Form

    package enum Form: Sendable {
        case structure([DraftField])
        /// A scalar type; the field's name is ignored.
        case scalar(DraftField)
    }

    package init(name: String, title: String? = nil, doc: String? = nil, form: Form) {
        self.name = name
        self.title = title
        self.doc = doc
        self.form = form
    }
}

/// A field of a draft.
package struct DraftField: Sendable {
    package var name: String
    /// A built-in type or the name of a type.
    package var type: String
    package var doc: String?
    /// Additional keys with their values as YAML, in order: `length: 14`.
    package var keys: [(name: String, value: String)] = []
    /// Names of values.
    package var values: [(value: Int64, name: String, doc: String?)] = []
    /// Bit parts of a number.
    package var bits: [Bits] = []

    package struct Bits: Sendable {
        package var name: String
        package var lowest: Int
        package var width: Int
        package var isSigned = false
        package var doc: String?

        package init(name: String, lowest: Int, width: Int, isSigned: Bool = false, doc: String? = nil) {
            self.name = name
            self.lowest = lowest
            self.width = width
            self.isSigned = isSigned
            self.doc = doc
        }
    }

    package init(
        _ name: String, type: String, doc: String? = nil, keys: [(name: String, value: String)] = []
    ) {
        self.name = name
        self.type = type
        self.doc = doc
        self.keys = keys
    }
}
