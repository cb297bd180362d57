/// The name of a field or the index of an element, on the way through a value.
struct FieldKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

extension CodingKey {
    /// The name in a profile: `dailyTotal` of Swift is `daily_total` there.
    var fieldName: String {
        stringValue.reduce(into: "") { name, character in
            if character.isUppercase {
                if !name.isEmpty { name += "_" }
                name += character.lowercased()
            } else {
                name.append(character)
            }
        }
    }
}

extension Record {
    /// The value of a field, by its name in Swift or in the profile.
    subscript(key: some CodingKey) -> Value? { self[key.stringValue] ?? self[key.fieldName] }
}
