/// A drink of the dialect of the requirements.
struct RequiredRecord: Codable, Hashable, Sendable {
    var recordId: Int
    var timestamp: Int
    /// Millilitres; negative for a refill.
    var amount: Int
    /// Millilitres after it.
    var bottleLevel: Int
    /// 0 pending, 1 synced.
    var synced: Int
    /// 1 SIP to 4 REFILL.
    var type: Int
    var reserved: Int

    /// 1 SIP, 2 GULP or 3 POUR, as the amount of a drink has it (HB-9); nil for a refill.
    var typeOfAmount: Int? {
        switch amount {
        case ..<0: nil
        case ..<50: 1
        case ..<100: 2
        default: 3
        }
    }
}

/// Drink History: up to 20 records (HB-3).
struct RequiredHistory: Codable, Hashable, Sendable {
    var records: [RequiredRecord]
}

/// Bottle Config (HB-2).
struct RequiredConfig: Codable, Hashable, Sendable {
    /// Millilitres.
    var capacity: Int
    /// Grams.
    var tare: Int
    /// Millilitres; nil in the form of 6 bytes.
    var goal: Int?
}

/// Device Status (HB-5).
struct RequiredStatus: Codable, Hashable, Sendable {
    struct Flags: Codable, Hashable, Sendable {
        var loadCellOk: Bool
        var accelerometerOk: Bool
        var calibrated: Bool
        var timeValid: Bool
        var lowBattery: Bool
    }

    /// Percent.
    var battery: Int
    var flags: Flags
    /// 0 none.
    var error: Int
}
