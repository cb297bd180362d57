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
        var name: [UInt8] = []
        for byte in stringValue.utf8 {
            guard (0x41...0x5A).contains(byte) else {
                name.append(byte)
                continue
            }
            if !name.isEmpty { name.append(0x5F) }
            name.append(byte | 0x20)
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension Record {
    /// The value of a field, by its name in Swift or in the profile.
    subscript(key: some CodingKey) -> Value? { self[key.stringValue] ?? self[key.fieldName] }
}
