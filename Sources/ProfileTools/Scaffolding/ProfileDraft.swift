package import Bluetooth
package import Profile

/// The beginning of a profile, as `plugins new` writes it: what could be found out by looking, with comments on what to
/// do next.
package struct ProfileDraft: Sendable {
    package var id: String
    /// A comment at the top of the file, a line each.
    package var comments: [String] = []
    package var evidence: [Evidence] = []
    package var types: [DraftType] = []
    package var services: [Service] = []
    package var advertising: [Advertised] = []
    package var rules: [Rule] = []
    /// Values whose meaning goes into the vectors.
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
        /// Types of its values with the lengths that choose them; none where the values are not described.
        package var values: [TypeOfLength] = []

        package init(uuid: UUID, name: String, properties: GATT.Properties) {
            self.uuid = uuid
            self.name = name
            self.properties = properties
        }
    }

    /// A type of values, and the length that chooses it; nil for values of any length.
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

    /// A rule about advertised data of a type, as the capture shows them.
    package struct Rule: Sendable {
        package enum Demand: Sendable {
            case length(ClosedRange<Int>)
            /// The first byte is one of these.
            case firstByte([UInt8])
        }

        package var type: String
        /// What the data are: `Service data`.
        package var title: String
        package var demand: Demand

        package init(type: String, title: String, _ demand: Demand) {
            self.type = type
            self.title = title
            self.demand = demand
        }
    }

    /// Bytes of a type.
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
        /// A type by itself; the field's name does not count.
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
    /// A built-in type's word, or a type's name.
    package var type: String
    package var doc: String?
    /// Further keys with their values as YAML, in order: `length: 14`.
    package var keys: [(name: String, value: String)] = []
    /// Names of values.
    package var values: [(value: Int64, name: String, doc: String?)] = []
    /// Parts of a number: name, lowest bit, width, whether it is signed, doc.
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
