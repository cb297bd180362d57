/// Section `types`: the form of a value on the wire.
public struct TypeDefinition: Sendable {
    public var name: String
    /// What people call it; made of the name where the file gives none.
    public var title: String
    public var doc: String?
    public var form: Form
    public var place: SourcePlace

    public enum Form: Sendable {
        /// Fields one after the other.
        case structure([FieldDefinition])
        /// A discriminant, and what follows by its value.
        case choice(ChoiceDefinition)
        /// A single field with a name of its own, for types that several fields share.
        case scalar(FieldDefinition)
    }

    public init(name: String, title: String, doc: String? = nil, form: Form, place: SourcePlace) {
        self.name = name
        self.title = title
        self.doc = doc
        self.form = form
        self.place = place
    }
}

/// A field of a structure.
public struct FieldDefinition: Sendable {
    public var name: String
    public var title: String
    public var doc: String?
    /// Another name that people know it by, as the product documents do.
    public var alias: String?
    /// What filters and outputs call it in place of its path, as Wireshark's `btatt.esp.operand`; parts of its bits are
    /// named below it. Fields of which only one is ever there may share one.
    public var filterName: String?
    public var kind: Kind
    /// How often it stands there; nil for once.
    public var count: Count?
    /// Present only where this holds; over the fields before it.
    public var condition: Expression?
    public var endian = Endian.little
    public var unit: String?
    public var scale: Scale?
    /// Allowed values after scaling.
    public var range: ClosedRange<Double>?
    /// Raw values with a meaning of their own: `0xFFFF: unknown`.
    public var special: [UInt64: String] = [:]
    /// Where the names of values come from beside the profile; nil for nowhere.
    public var assignedNames: AssignedNames?
    /// The only value allowed; 0 for reserved fields.
    public var constant: UInt64?
    public var rendering = Rendering.standard
    public var place: SourcePlace

    /// What stands in the bytes.
    public indirect enum Kind: Sendable {
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
    public enum AssignedNames: String, Sendable, CaseIterable {
        case appearances, companies, units, uuids
    }

    /// Where in its bytes a text ends.
    public enum TextEnd: Sendable {
        /// Where they end.
        case length
        /// At the first NUL; what follows it is padding.
        case nul
        /// At the first NUL where there is one; it is not written where the bytes end as well.
        case optionalNUL
    }

    public enum Length: Sendable {
        case fixed(Int)
        case computed(Expression)
        /// To the end of the value.
        case rest
    }

    public enum Count: Sendable {
        case fixed(Int)
        case computed(Expression)
        /// As many as there are.
        case rest
    }

    public enum Endian: Sendable { case little, big }

    /// How a number is written for people.
    public enum Rendering: Sendable {
        case standard
        case hex
        /// The bytes from the highest down, in decimal, with dots: 0x0102 is 1.2.
        case dotted
        /// Seconds since an epoch (seconds since 1970, UTC), counted in steps of `resolution` seconds.
        case timestamp(epoch: Int64, resolution: Double)
    }

    public init(name: String, title: String, kind: Kind, place: SourcePlace) {
        self.name = name
        self.title = title
        self.kind = kind
        self.place = place
    }
}

/// Value = raw · m · 10^d · 2^b + offset.
public struct Scale: Sendable, Hashable {
    public var m = 1.0
    public var d = 0
    public var b = 0
    public var offset = 0.0

    public init(m: Double = 1, d: Int = 0, b: Int = 0, offset: Double = 0) {
        self.m = m
        self.d = d
        self.b = b
        self.offset = offset
    }
}

/// A value with a name.
public struct EnumerationCase: Sendable {
    public var value: UInt64
    public var name: String
    public var title: String?
    public var alias: String?
    public var doc: String?

    public init(value: UInt64, name: String, title: String? = nil, alias: String? = nil, doc: String? = nil) {
        self.value = value
        self.name = name
        self.title = title
        self.alias = alias
        self.doc = doc
    }
}

/// A part of a number.
public struct BitsDefinition: Sendable {
    public var name: String
    public var title: String
    public var doc: String?
    /// The lowest is bit 0.
    public var bits: ClosedRange<Int>
    /// Names of its values; a single bit without them is a Boolean.
    public var cases: [EnumerationCase] = []
    public var unit: String?
    public var scale: Scale?
    /// Allowed values after scaling.
    public var range: ClosedRange<Double>?
    /// Raw values with a meaning of their own.
    public var special: [UInt64: String] = [:]
    public var isSigned = false
    /// The only value allowed.
    public var constant: UInt64?
    public var place: SourcePlace

    public init(name: String, title: String, bits: ClosedRange<Int>, place: SourcePlace) {
        self.name = name
        self.title = title
        self.bits = bits
        self.place = place
    }
}

/// A discriminant, and for its values what follows.
public struct ChoiceDefinition: Sendable {
    /// The discriminant: an unsigned number or an enumeration. Its names are those of the cases.
    public var discriminant: FieldDefinition
    public var cases: [Case]
    /// What follows where no case fits; nil makes that an error.
    public var otherwise: Case?

    /// What follows a value of the discriminant.
    public struct Case: Sendable {
        public var value: UInt64
        /// Length of the whole value, the discriminant included, that it needs to be this case; nil for any.
        public var length: Int?
        public var name: String
        public var title: String
        public var doc: String?
        /// Fields after the discriminant; may be empty.
        public var fields: [FieldDefinition]
        public var place: SourcePlace

        public init(
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

    public init(discriminant: FieldDefinition, cases: [Case], otherwise: Case? = nil) {
        self.discriminant = discriminant
        self.cases = cases
        self.otherwise = otherwise
    }
}
