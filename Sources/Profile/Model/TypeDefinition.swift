/// Section `types`: the form of a value on the wire.
package struct TypeDefinition: Sendable {
    package var name: String
    /// What people call it; made of the name where the file gives none.
    package var title: String
    package var doc: String?
    package var form: Form
    package var place: SourcePlace

    package enum Form: Sendable {
        /// Fields one after the other.
        case structure([FieldDefinition])
        /// A discriminant, and what follows by its value.
        case choice(ChoiceDefinition)
        /// A single field with a name of its own, for types that several fields share.
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
    /// Another name that people know it by, as the product documents do.
    package var alias: String?
    /// What filters and outputs call it in place of its path, as Wireshark's `btatt.esp.operand`; parts of its bits are
    /// named below it. Fields of which only one is ever there may share one.
    package var filterName: String?
    package var kind: Kind
    /// How often it stands there; nil for once.
    package var count: Count?
    /// Present only where this holds; over the fields before it.
    package var condition: Expression?
    package var endian = Endian.little
    package var unit: String?
    package var scale: Scale?
    /// Allowed values after scaling.
    package var range: ClosedRange<Double>?
    /// Raw values with a meaning of their own: `0xFFFF: unknown`.
    package var special: [UInt64: String] = [:]
    /// Where the names of values come from beside the profile; nil for nowhere.
    package var assignedNames: AssignedNames?
    /// The only value allowed; 0 for reserved fields.
    package var constant: UInt64?
    package var rendering = Rendering.standard
    package var place: SourcePlace

    /// What stands in the bytes.
    package indirect enum Kind: Sendable {
        /// 1 to 8 bytes.
        case unsigned(bytes: Int)
        case signed(bytes: Int)
        /// IEEE 754 binary16, binary32 or binary64.
        case float(bytes: Int)
        /// IEEE 11073-20601: 16-bit SFLOAT or 32-bit FLOAT.
        case medical(bytes: Int)
        /// UTF-8 text.
        case text(Length, end: TextEnd)
        /// A number in ASCII.
        case digits(Length, DigitsFormat)
        case bytes(Length)
        /// Device address, 6 bytes.
        case address
        /// UUID of 2 or 16 bytes.
        case uuid(bytes: Int)
        /// A number whose values have names. Values without a name are shown as numbers.
        case enumeration(bytes: Int, [EnumerationCase])
        /// A number that is made of parts; bits in no part must be zero unless `ignoresOthers`.
        case bits(bytes: Int, [BitsDefinition], ignoresOthers: Bool)
        /// A check over bytes that stand before it.
        case checksum(Checksum)
        /// Another type of the profile, by name.
        case type(String)
    }

    /// Lists of the Bluetooth SIG that name numbers of 16 bits.
    package enum AssignedNames: String, Sendable, CaseIterable {
        case appearances, companies, units, uuids
    }

    /// Where in its bytes a text ends.
    package enum TextEnd: Sendable {
        /// Where they end.
        case length
        /// At the first NUL; what follows it is padding.
        case nul
        /// At the first NUL where there is one; it is not written where the bytes end as well.
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
        /// As many as there are.
        case rest
    }

    package enum Endian: Sendable { case little, big }

    /// How a number is written for people.
    package enum Rendering: Sendable {
        case standard
        case hex
        /// The bytes from the highest down, in decimal, with dots: 0x0102 is 1.2.
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

/// A value with a name.
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

/// A part of a number.
package struct BitsDefinition: Sendable {
    package var name: String
    package var title: String
    package var doc: String?
    /// The lowest is bit 0.
    package var bits: ClosedRange<Int>
    /// Names of its values; a single bit without them is a Boolean.
    package var cases: [EnumerationCase] = []
    package var unit: String?
    package var scale: Scale?
    /// Allowed values after scaling.
    package var range: ClosedRange<Double>?
    /// Raw values with a meaning of their own.
    package var special: [UInt64: String] = [:]
    package var isSigned = false
    /// The only value allowed.
    package var constant: UInt64?
    package var place: SourcePlace

    package init(name: String, title: String, bits: ClosedRange<Int>, place: SourcePlace) {
        self.name = name
        self.title = title
        self.bits = bits
        self.place = place
    }
}

/// A discriminant, and for its values what follows.
package struct ChoiceDefinition: Sendable {
    /// The discriminant: an unsigned number or an enumeration. Its names are those of the cases.
    package var discriminant: FieldDefinition
    package var cases: [Case]
    /// What follows where no case fits; nil makes that an error.
    package var otherwise: Case?

    /// What follows a value of the discriminant.
    package struct Case: Sendable {
        package var value: UInt64
        /// Length of the whole value, the discriminant included, that it needs to be this case; nil for any.
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
