import Bytes
import PluginKit
import Profile

/// The HealthKit export of drinks ("HealthKit Integration"): one sample of dietary water for each drink, written once,
/// and its removal when the drink is deleted. Each line is a JSON object; an importer saves or deletes the sample that
/// it describes.
struct HealthExport {
    private(set) var text = ""
    private(set) var changes: [StoreChange] = []
    private(set) var added = 0
    private(set) var removed = 0
    /// Samples at the time of arrival of their drinks.
    private(set) var arrived = 0

    init(_ drinks: [Drink]) {
        for drink in drinks where !drink.isRefill && drink.time > 0 {
            let id = drink.healthID ?? Self.identifier(of: drink)
            if drink.healthID == nil, !drink.isDeleted {
                added += 1
                var metadata: Record = [
                    "HKMetadataKeySyncIdentifier": .text(id), "HKMetadataKeySyncVersion": .integer(1),
                    "HKMetadataKeyExternalUUID": .text(id),
                ]
                if drink.arrival != nil {
                    arrived += 1
                    metadata.fields.append(("TimeOfArrival", .boolean(true)))
                }
                write([
                    "action": .text("save"), "type": .text(Self.type), "uuid": .text(id),
                    "start": .text(Self.time(drink.time)), "end": .text(Self.time(drink.time)),
                    "value": .integer(drink.amount), "unit": .text("mL"), "metadata": .record(metadata),
                ])
                changes.append(.update(drink.row, ["health_uuid": .text(id)], in: PuckTables.drinks))
            } else if drink.healthID != nil, drink.isDeleted, !drink.isRemovedFromHealth {
                removed += 1
                write(["action": .text("delete"), "type": .text(Self.type), "uuid": .text(id)])
                changes.append(.update(drink.row, ["is_removed_from_health": .integer(1)], in: PuckTables.drinks))
            }
        }
    }

    private static let type = "HKQuantityTypeIdentifierDietaryWater"

    private mutating func write(_ line: Record) { text += Value.record(line).json + "\n" }

    private static func time(_ seconds: Int64) -> String { "\(Timestamp(seconds: seconds, nanoseconds: 0))" }

    /// Identifier of a record of a bottle, the same in every export: a UUID of version 8 (RFC 9562, 5.8) with the
    /// FNV-1a hash of bottle, record and timestamp.
    static func identifier(of drink: Drink) -> String {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in "\(drink.device) \(drink.recordID) \(drink.timestamp ?? drink.time)".utf8 {
            hash ^= UInt128(byte)
            hash &*= 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        hash = hash & ~(0xF << 76) | 0x8 << 76
        hash = hash & ~(0x3 << 62) | 0x2 << 62
        let digits = String(hash, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 32 - digits.count) + digits
        var parts: [Substring] = []
        var rest = padded[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
}
