import Bluetooth
import Profile
import Testing

/// The source place of all definitions in these tests.
let somewhere = SourcePlace(line: 1, column: 1)

extension FieldDefinition {
    /// A field with the settings that `change` makes.
    static func make(_ name: String, _ kind: Kind, _ change: (inout FieldDefinition) -> Void = { _ in })
        -> FieldDefinition
    {
        var field = FieldDefinition(name: name, title: name, kind: kind, place: somewhere)
        change(&field)
        return field
    }

    static func u8(_ name: String, _ change: (inout FieldDefinition) -> Void = { _ in }) -> FieldDefinition {
        make(name, .unsigned(bytes: 1), change)
    }
    static func u16(_ name: String, _ change: (inout FieldDefinition) -> Void = { _ in }) -> FieldDefinition {
        make(name, .unsigned(bytes: 2), change)
    }
    static func u32(_ name: String, _ change: (inout FieldDefinition) -> Void = { _ in }) -> FieldDefinition {
        make(name, .unsigned(bytes: 4), change)
    }
    static func i16(_ name: String, _ change: (inout FieldDefinition) -> Void = { _ in }) -> FieldDefinition {
        make(name, .signed(bytes: 2), change)
    }
    static func i32(_ name: String, _ change: (inout FieldDefinition) -> Void = { _ in }) -> FieldDefinition {
        make(name, .signed(bytes: 4), change)
    }
    static func f32(_ name: String, _ change: (inout FieldDefinition) -> Void = { _ in }) -> FieldDefinition {
        make(name, .float(bytes: 4), change)
    }
    /// A one-byte enumeration.
    static func names(_ name: String, _ cases: KeyValuePairs<UInt64, String>) -> FieldDefinition {
        make(name, .enumeration(bytes: 1, cases.map { EnumerationCase(value: $0.key, name: $0.value) }))
    }
    /// A byte of flags or bit fields.
    static func flags(
        _ name: String, _ parts: KeyValuePairs<String, ClosedRange<Int>>, bytes: Int = 1, ignoresOthers: Bool = false
    ) -> FieldDefinition {
        let parts = parts.map { BitsDefinition(name: $0.key, title: $0.key, bits: $0.value, place: somewhere) }
        return make(name, .bits(bytes: bytes, parts, ignoresOthers: ignoresOthers))
    }
}

extension TypeDefinition {
    static func structure(_ name: String, _ fields: [FieldDefinition]) -> TypeDefinition {
        TypeDefinition(name: name, title: name, form: .structure(fields), place: somewhere)
    }
    static func scalar(
        _ name: String, _ kind: FieldDefinition.Kind, _ change: (inout FieldDefinition) -> Void = { _ in }
    )
        -> TypeDefinition
    {
        TypeDefinition(name: name, title: name, form: .scalar(.make(name, kind, change)), place: somewhere)
    }
    static func choice(
        _ name: String, _ discriminant: FieldDefinition, _ cases: [ChoiceDefinition.Case],
        otherwise: ChoiceDefinition.Case? = nil
    ) -> TypeDefinition {
        TypeDefinition(
            name: name, title: name,
            form: .choice(ChoiceDefinition(discriminant: discriminant, cases: cases, otherwise: otherwise)),
            place: somewhere)
    }
}

extension ChoiceDefinition.Case {
    static func make(_ value: UInt64, _ name: String, length: Int? = nil, _ fields: [FieldDefinition]) -> Self {
        Self(value: value, length: length, name: name, title: name, fields: fields, place: somewhere)
    }
}

func expression(_ text: String) -> Expression {
    try! Expression(parsing: text, at: somewhere)
}

/// Compiles a profile whose types are all values of characteristics.
func compile(_ types: [TypeDefinition]) throws -> CompiledProfile {
    var profile = Profile(
        header: Profile.Header(id: "test", title: "Test", version: "1", place: somewhere), file: "test.yaml")
    profile.types = types
    profile.advertising = types.map {
        AdvertisedValue(
            .company(0xFFFF), reading: PayloadChoice([.init(type: $0.name, place: somewhere)]),
            place: somewhere)
    }
    return try CompiledProfile(profile)
}

/// The layout of a type whose fields refer to no other type.
func layout(_ fields: [FieldDefinition]) throws -> Layout {
    try #require(compile([.structure("value", fields)]).types["value"])
}
