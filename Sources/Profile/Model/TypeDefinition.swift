/// Section `types`: encoding of a value.
package struct TypeDefinition: Sendable {
    package var name: String
    /// Display name; derived from `name` if the file gives none.
    package var title: String
    package var doc: String?
    package var form: Form
    package var place: SourcePlace

    package enum Form: Sendable {
        /// Consecutive fields.
        case structure([FieldDefinition])
        /// A discriminant and the fields that its value selects.
        case choice(ChoiceDefinition)
        /// A single named field, shared by several structures.
        case scalar(FieldDefinition)
    }

    package init(name: String, title: String, doc: String? = nil, form: Form, place: SourcePlace) {
        self.name = name
        self.title = title
        self.doc = doc
        self.form = form
        self.place = place
    }
}

/// A field of a structure.
package struct FieldDefinition: Sendable {
    package var name: String
    package var title: String
    package var doc: String?
    /// Alternative name, such as the one in product documents.
    package var alias: String?
    /// Filter field name that replaces the path, such as Wireshark's `btatt.esp.operand`; bit parts are named below it.
    /// Mutually exclusive fields may share one.
    package var filterName: String?
    package var kind: Kind
    /// Number of repetitions; nil for one.
    package var count: Count?
    /// Presence condition over the preceding fields.
    package var condition: Expression?
    package var endian = Endian.little
    package var unit: String?
    package var scale: Scale?
    /// Allowed values after scaling.
    package var range: ClosedRange<Double>?
    /// Raw values with a special meaning: `0xFFFF: unknown`.
    package var special: [UInt64: String] = [:]
    /// External source of value names; nil for none.
    package var assignedNames: AssignedNames?
    /// The only allowed value; 0 for reserved fields.
    package var constant: UInt64?
    package var rendering = Rendering.standard
    /// Whether the value says something about a person or a place.
    package var isSensitive = false
    package var place: SourcePlace

    /// Encoding of a field.
    package indirect enum Kind: Sendable {
        /// 1 to 8 bytes.
        case unsigned(bytes: Int)
        case signed(bytes: Int)
        /// IEEE 754 binary16, binary32 or binary64.
        case float(bytes: Int)
        /// IEEE 11073-20601 SFLOAT (16 bits) or FLOAT (32 bits).
        case medical(bytes: Int)
        /// UTF-8 text.
        case text(Length, end: TextEnd)
        /// A number as ASCII digits.
        case digits(Length, DigitsFormat)
        case bytes(Length)
        /// Bluetooth device address, 6 bytes.
        case address
        /// UUID of 2 or 16 bytes.
        case uuid(bytes: Int)
        /// A number with named values. Values without a name are shown as numbers.
        case enumeration(bytes: Int, [EnumerationCase])
        /// A number split into bit parts. Bits outside all parts must be zero unless `ignoresOthers`.
        case bits(bytes: Int, [BitsDefinition], ignoresOthers: Bool)
        case checksum(Checksum)
        /// Another type of the profile, by name.
        case type(String)
    }

    /// Bluetooth SIG assigned number lists for 16-bit numbers.
    package enum AssignedNames: String, Sendable, CaseIterable {
        case appearances, companies, units, uuids
    }

    /// End of a text within its bytes.
    package enum TextEnd: Sendable {
        /// The text fills its bytes.
        case length
        /// At the first NUL; padding follows.
        case nul
        /// At the first NUL, if any. The encoder writes no NUL if the text fills its bytes.
        case optionalNUL
    }

    package enum Length: Sendable {
        case fixed(Int)
        case computed(Expression)
        /// To the end of the value.
        case rest
    }

    package enum Count: Sendable {
        case fixed(Int)
        case computed(Expression)
        /// As many as fit in the value.
        case rest
    }

    package enum Endian: Sendable { case little, big }

    /// Display format of a number.
    package enum Rendering: Sendable {
        case standard
        case hex
        /// Dotted decimal bytes, most significant first: 0x0102 is 1.2.
        case dotted
        /// Seconds since an epoch (seconds since 1970, UTC), counted in steps of `resolution` seconds.
        case timestamp(epoch: Int64, resolution: Double)
    }

    package init(name: String, title: String, kind: Kind, place: SourcePlace) {
        self.name = name
        self.title = title
        self.kind = kind
        self.place = place
    }
}

/// Value = raw · m · 10^d · 2^b + offset.
public struct Scale: Sendable, Hashable {
    package var m = 1.0
    package var d = 0
    package var b = 0
    public var offset = 0.0

    package init(m: Double = 1, d: Int = 0, b: Int = 0, offset: Double = 0) {
        self.m = m
        self.d = d
        self.b = b
        self.offset = offset
    }
}

/// A named value.
package struct EnumerationCase: Sendable {
    package var value: UInt64
    package var name: String
    package var title: String?
    package var alias: String?
    package var doc: String?

    package init(value: UInt64, name: String, title: String? = nil, alias: String? = nil, doc: String? = nil) {
        self.value = value
        self.name = name
        self.title = title
        self.alias = alias
        self.doc = doc
    }
}

/// A bit part of a number.
package struct BitsDefinition: Sendable {
    package var name: String
    package var title: String
    package var doc: String?
    /// Bit 0 is the least significant.
    package var bits: ClosedRange<Int>
    /// Named values; a single bit without them is a Boolean.
    package var cases: [EnumerationCase] = []
    package var unit: String?
    package var scale: Scale?
    /// Allowed values after scaling.
    package var range: ClosedRange<Double>?
    /// Raw values with a special meaning.
    package var special: [UInt64: String] = [:]
    package var isSigned = false
    /// The only allowed value.
    package var constant: UInt64?
    package var place: SourcePlace

    package init(name: String, title: String, bits: ClosedRange<Int>, place: SourcePlace) {
        self.name = name
        self.title = title
        self.bits = bits
        self.place = place
    }
}

/// A discriminant and the fields that each of its values selects.
package struct ChoiceDefinition: Sendable {
    /// An unsigned number or an enumeration whose names are those of the cases.
    package var discriminant: FieldDefinition
    package var cases: [Case]
    /// The default case; nil makes an unlisted discriminant an error.
    package var otherwise: Case?

    /// The fields that a value of the discriminant selects.
    package struct Case: Sendable {
        package var value: UInt64
        /// Required length of the whole value, including the discriminant; nil for any.
        package var length: Int?
        package var name: String
        package var title: String
        package var doc: String?
        /// Fields after the discriminant; may be empty.
        package var fields: [FieldDefinition]
        package var place: SourcePlace

        package init(
            value: UInt64, length: Int? = nil, name: String, title: String, fields: [FieldDefinition],
            place: SourcePlace
        ) {
            self.value = value
            self.length = length
            self.name = name
            self.title = title
            self.fields = fields
            self.place = place
        }
    }

    package init(discriminant: FieldDefinition, cases: [Case], otherwise: Case? = nil) {
        self.discriminant = discriminant
        self.cases = cases
        self.otherwise = otherwise
    }
}
