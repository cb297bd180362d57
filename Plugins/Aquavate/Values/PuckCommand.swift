import Profile

/// What a write to Command asks for.
struct PuckCommand: Codable, Hashable, Sendable {
    var opcode: UInt8
    /// Of 0x03: 0 empty, 1 full.
    var point: Int?
    /// Of 0x31 and 0x32.
    var chunk: Int?
    /// Of SET_TIME: seconds since 1970.
    var time: Int?
    /// Of DELETE_DRINK.
    var recordId: Int?
    /// Of CAL_SET_DATA.
    var emptyAdc: Int?
    var fullAdc: Int?
    var scale: Float?
    /// What follows an opcode that the puck ignores.
    var parameters: [UInt8]?

    /// Whether the puck heeds it: opcode and length are those of a command.
    var isHeeded: Bool { parameters == nil }

    var kind: Kind? { isHeeded ? Kind(rawValue: opcode) : nil }

    enum Kind: UInt8 {
        case tare = 0x01
        case ping = 0x02
        case measure = 0x03
        case setCalibration = 0x04
        case resetDaily = 0x05
        case clearHistory = 0x06
        case setTime = 0x10
        case setDailyTotal = 0x11
        case deleteDrink = 0x12
        case startCalibration = 0x20
        case cancelCalibration = 0x21
        case getSummary = 0x30
        case getMotionChunk = 0x31
        case getBackpackChunk = 0x32
    }

    /// Of CAL_SET_DATA, whether the puck stores it.
    var isStoredCalibration: Bool {
        guard kind == .setCalibration, let scale, let emptyAdc, let fullAdc else { return false }
        return !(scale <= 0) && fullAdc > emptyAdc
    }

    /// Whether Activity Stats answer it.
    var asksForActivity: Bool {
        switch kind {
        case .getSummary, .getMotionChunk, .getBackpackChunk: true
        default: false
        }
    }
}

extension PuckCommand {
    private static let fields = FieldList("opcode", "point", "chunk", "time", "record_id", "empty_adc", "full_adc")

    /// Commands come often, so that they are read by their fields.
    init?(_ reading: ValueReading) {
        var numbers = reading.numbers(of: Self.fields)
        guard !reading.isFaulty, let opcode = numbers.integer().flatMap(UInt8.init(exactly:)) else { return nil }
        self.init(opcode: opcode)
        point = numbers.integer()
        chunk = numbers.integer()
        time = numbers.integer()
        recordId = numbers.integer()
        emptyAdc = numbers.integer()
        fullAdc = numbers.integer()
        // What is no number is stored too, so that the value itself is asked.
        if emptyAdc != nil, case .record(let record)? = reading.value, case .real(let scale)? = record["scale"] {
            self.scale = Float(scale)
        }
        if reading.isThere("parameters") { parameters = reading.decoded(as: PuckCommand.self)?.parameters ?? [] }
    }
}
