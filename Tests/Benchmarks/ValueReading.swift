import Bytes
import Profile

/// Measures decoding the Current State of an Aquavate puck, 14 bytes with flags, with a profile.
struct ValueReading {
    /// Nanoseconds per value.
    struct Result: CustomStringConvertible {
        /// Fields are neither recorded nor checked.
        var plain: Double
        /// Every field is recorded and checked.
        var recorded: Double
        /// Decoded into a Swift value.
        var decoded: Double

        var description: String {
            "Current State: \(Int(plain.rounded())) ns, with fields named and checked \(Int(recorded.rounded())) ns, "
                + "as a value \(Int(decoded.rounded())) ns"
        }
    }

    /// The largest permitted time for a value with its fields, in nanoseconds.
    static let limit = 1000.0
    private static let rounds = 1_000_000
    /// 2026-02-01T12:00:00Z, 412 g, 412 ml, 1250 ml, 83 %, time valid, calibrated and stable, 3 not synced.
    private static let bytes: [UInt8] = [
        0x40, 0x40, 0x7F, 0x69, 0x9C, 0x01, 0x9C, 0x01, 0xE2, 0x04, 0x53, 0x07, 0x03, 0x00,
    ]

    private let layout: Layout

    init() throws {
        var profile = Profile(
            header: Profile.Header(id: "aquavate", title: "Aquavate", version: "1", place: Self.place), file: "")
        profile.types = [
            TypeDefinition(
                name: "current_state", title: "Current State", form: .structure(Self.fields), place: Self.place)
        ]
        guard let layout = try CompiledProfile(profile).types["current_state"] else { throw Failure() }
        self.layout = layout
    }

    private struct Failure: Error {}

    func measured() throws -> Result {
        let recorder = FieldRecorder()
        var diagnostics: [Diagnostic] = []
        let bytes = Self.bytes
        let plain = try nanoseconds {
            var reader = ByteReader(bytes.span)
            try layout.read(&reader)
        }
        let recorded = try nanoseconds {
            recorder.reset()
            var reader = ByteReader(bytes.span, recorder: recorder)
            try layout.read(&reader, diagnostics: &diagnostics)
        }
        let decoded = try nanoseconds {
            var reader = ByteReader(bytes.span)
            _ = try layout.decode(&reader)
        }
        guard diagnostics.isEmpty, recorder.fields.count == 14 else { throw Failure() }
        return Result(plain: plain, recorded: recorded, decoded: decoded)
    }

    /// Time of one round: the shortest of five series.
    private func nanoseconds(_ body: () throws -> Void) throws -> Double {
        var shortest = Duration.seconds(3600)
        for _ in 0..<5 {
            let start = ContinuousClock.now
            for _ in 0..<(Self.rounds / 5) { try body() }
            shortest = min(shortest, ContinuousClock.now - start)
        }
        return shortest / .nanoseconds(Self.rounds / 5)
    }

    // MARK: - The type

    private static let place = SourcePlace(line: 1, column: 1)

    private static var fields: [FieldDefinition] {
        let flags = ["time_valid", "calibrated", "stable", "cal_measuring", "cal_result", "low_battery"]
        let parts = flags.enumerated().map {
            BitsDefinition(name: $0.element, title: $0.element, bits: $0.offset...$0.offset, place: place)
        }
        return [
            field("timestamp", .unsigned(bytes: 4)) { $0.rendering = .timestamp(epoch: 0, resolution: 1) },
            field("weight", .signed(bytes: 2)) { $0.unit = "g" },
            field("level", .unsigned(bytes: 2)) { $0.range = 0...830 },
            field("daily_total", .unsigned(bytes: 2)) { $0.unit = "ml" },
            field("battery", .unsigned(bytes: 1)) { $0.range = 0...100 },
            field("flags", .bits(bytes: 1, parts, ignoresOthers: false)),
            field("unsynced", .unsigned(bytes: 2)) { $0.special = [0xFFFF: "unknown"] },
        ]
    }

    private static func field(
        _ name: String, _ kind: FieldDefinition.Kind, _ change: (inout FieldDefinition) -> Void = { _ in }
    ) -> FieldDefinition {
        var field = FieldDefinition(name: name, title: name, kind: kind, place: place)
        change(&field)
        return field
    }
}
