import Bytes
import PDUTestKit
import PluginKit
import Testing

@testable import Aquavate

/// Dumps of a puck's flash memory: `/drinks.bin`, `/meta.bin` and NVS (section 7.1 and "Storage Implementation").
struct DrinkDumpTests {
    /// 2026-02-01T00:00:00Z.
    private static let midnight = 1_769_904_000

    /// A slot of the shipped firmware: 100 ml an hour and 10 ml more for each record, the first ones acknowledged.
    private static func shipped(_ id: Int, isSynced: Bool = true, isDeleted: Bool = false) throws -> [UInt8] {
        let record = DeviceProfile.StoredDrink(
            recordId: id, timestamp: midnight + id * 3600, amount: 20 + id % 100 * 10, levelAfter: 500,
            flags: .init(synced: isSynced, dayBoundary: false, deleted: isDeleted),
            type: 20 + id % 100 * 10 >= 100 ? .pour : .gulp, reserved: [0xAA, 0x55])
        return try PuckWire().bytes(record, as: .storedDrink)
    }

    private static func prd(_ id: Int, amount: Int, _ type: PRDRecord.Kind) throws -> [UInt8] {
        let record = PRDRecord(
            recordId: id, timestamp: midnight + id * 3600, amount: amount, bottleLevel: 500, synced: .pending,
            type: type)
        return try PuckWire().bytes(record, as: .prdDrinkRecord)
    }

    private static func metadata(index: Int, count: Int) throws -> [UInt8] {
        let metadata = DeviceProfile.StoredMetadata(
            writeIndex: index, recordCount: count, totalWrites: 700, nextRecordId: 701, padding: 0)
        return try PuckWire().bytes(metadata, as: .storedMetadata)
    }

    /// A file of 600 slots that begins with records.
    private static func file(_ records: [[UInt8]], filler: UInt8 = 0xFF) -> [UInt8] {
        let bytes = records.flatMap(\.self)
        return bytes + Array(repeating: filler, count: 9600 - bytes.count)
    }

    private func readDump(_ bytes: [UInt8]) throws -> DrinkDump { try DrinkDump(bytes, name: "d.bin", offset: 0) }

    // MARK: - drinks.bin

    @Test(arguments: [0x00, 0xFF] as [UInt8])
    func recordsOfTheShippedFirmwareAreRead(filler: UInt8) throws {
        let records = [
            try Self.shipped(1), try Self.shipped(2, isDeleted: true), try Self.shipped(9, isSynced: false),
        ]
        let dump = try readDump(Self.file(records, filler: filler))
        #expect(dump.dialect == .shipped && dump.notes == [])
        #expect(dump.drinks.map(\.amount) == [30, 40, 110])
        #expect(dump.drinks.map(\.isDeleted) == [false, true, false])
        #expect(dump.unsynced == 1)
        #expect(dump.drinks.map(\.time) == [1, 2, 9].map { Int64(Self.midnight) + $0 * 3600 })
        #expect(
            dump.text == "Storage: 3 records of the dialect shipped, 1 deleted, 1 that no client has acknowledged")
    }

    /// V-FS-RECORD and V-PRD-REFILL.
    @Test func vectorsAreOfTheirDialect() throws {
        let shipped = try readDump(hex("65 00 00 00 30 32 7F 69 2D 00 11 03 05 00 00 00"))
        #expect(shipped.dialect == .shipped && shipped.drinks.map(\.recordID) == [101])
        #expect(shipped.drinks.map(\.isDeleted) == [true] && shipped.drinks.map(\.time) == [1_769_943_600])
        let prd = try readDump(hex("66 00 00 00 38 39 7F 69 70 FE 3E 03 00 04 00 00"))
        #expect(prd.dialect == .prd && prd.drinks.map(\.amount) == [-400] && prd.unsynced == 1)
    }

    @Test func recordsOfTheRequirementsAreRead() throws {
        let records = [
            try Self.prd(1, amount: 30, .sip), try Self.prd(2, amount: 50, .gulp), try Self.prd(3, amount: 100, .pour),
            try Self.prd(4, amount: -400, .refill),
        ]
        let dump = try readDump(Self.file(records))
        #expect(dump.dialect == .prd && dump.notes == [])
        #expect(dump.drinks.map(\.amount) == [30, 50, 100, -400])
    }

    /// 702 records in a ring of 600: slots 0 to 101 have the newest ones.
    @Test(arguments: [false, true])
    func aFullRingBeginsWithItsOldestRecord(hasMetadata: Bool) throws {
        let records = try (0..<600).map { try Self.shipped($0 < 102 ? 601 + $0 : 1 + $0) }
        let header = try hasMetadata ? Self.metadata(index: 102, count: 600) : []
        let dump = try readDump(Self.file(records) + header)
        #expect(dump.drinks.map(\.recordID) == (103...702).map { Int64($0) })
        #expect(dump.notes == [])
    }

    /// After CLEAR_HISTORY the slots stay: three new records before seven old ones.
    @Test(arguments: [false, true])
    func whatAClearedHistoryLeftIsNotCounted(hasMetadata: Bool) throws {
        let records =
            try [1, 2, 3].map { try Self.shipped($0) } + (hasMetadata ? 4...10 : 1...7).map { try Self.shipped($0) }
        let header = try hasMetadata ? Self.metadata(index: 3, count: 3) : []
        let dump = try readDump(Self.file(records) + header)
        #expect(dump.drinks.map(\.recordID) == [1, 2, 3])
        #expect(dump.notes == ["d.bin: records left over from a cleared history, not counted: 7"])
    }

    @Test func whatIsWholeOfADamagedFileIsShown() throws {
        var records = try (1...20).map { try Self.shipped($0) }
        for index in 2..<14 { records[index][13] = 9 }
        records[1][12] = 0x40
        let dump = try readDump(records.flatMap(\.self) + [1, 2, 3, 4, 5])
        #expect(dump.drinks.map(\.recordID) == [1, 15, 16, 17, 18, 19, 20])
        #expect(dump.notes.count == 13)
        #expect(
            dump.notes.prefix(4) == [
                "d.bin: 325 bytes of 9600: the slots from 20 on are missing",
                "d.bin: the last 5 bytes are no whole record: skipped",
                "d.bin: slot 1 is no record of the dialect shipped (flags 0x40, type 0x00): skipped",
                "d.bin: slot 2 is no record of the dialect shipped (flags 0x01, type 0x09): skipped",
            ])
        #expect(dump.notes.last == "d.bin: 3 more slots are damaged: skipped")
    }

    @Test func otherFilesAreRefused() throws {
        let expected = "expected /drinks.bin, 600 records of 16 bytes, which the 16 bytes of /meta.bin may follow"
        let unpack = "read 64 KiB at 0x290000 with esptool, and unpack the files with mklittlefs"
        let image = Array(repeating: 0, count: 8) + Array("littlefs".utf8) + Array(repeating: 0xFF, count: 65_520)
        let cases: [([UInt8], String)] = [
            ([], "d.bin: no record in its 0 bytes: \(expected)"),
            (Array(repeating: 0x55, count: 9600), "d.bin: no record in its 9600 bytes: \(expected)"),
            (Array(repeating: 0, count: 9617), "d.bin: 9617 bytes: \(expected)"),
            (image, "d.bin: an image of the file system: \(expected); \(unpack)"),
            (Array(repeating: 0xE9, count: 4 << 20), "d.bin: an image of the flash: \(expected); \(unpack)"),
        ]
        for (bytes, message) in cases {
            #expect(throws: CommandError.unreadable(message)) { try DrinkDump(bytes, name: "d.bin", offset: 0) }
        }
        #expect(try readDump(Self.file([])).drinks == [], "a new puck")
    }

    // MARK: - NVS

    /// A page with entries of 32 bytes; values of several entries follow theirs.
    private static func page(_ entries: [[UInt8]], sequence: UInt8 = 0, state: UInt8 = 0xFE) -> [UInt8] {
        var header: [UInt8] = [state, 0xFF, 0xFF, 0xFF, sequence, 0, 0, 0, 0xFE] + Array(repeating: 0xFF, count: 19)
        header += number(NVSPartition.checksum(header[4...]))
        let content = entries.flatMap(\.self)
        var bitmap = Array(repeating: UInt8(0xFF), count: 32)
        for index in 0..<content.count / 32 { bitmap[index / 4] &= ~(1 << UInt8(index % 4 * 2)) }
        return header + bitmap + content + Array(repeating: 0xFF, count: 4096 - 64 - content.count)
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func entry(_ space: UInt8, _ type: UInt8, _ key: String, _ data: [UInt8], span: UInt8 = 1) -> [UInt8]
    {
        let name = Array(key.utf8) + Array(repeating: 0, count: 16 - key.utf8.count)
        let content = name + data + Array(repeating: 0xFF, count: 8 - data.count)
        let head: [UInt8] = [space, type, span, type == 0x42 ? 0 : 0xFF]
        return head + number(NVSPartition.checksum(head + content)) + content
    }

    private static func blob(_ key: String, _ bytes: [UInt8]) -> [UInt8] {
        let size = UInt8(bytes.count)
        let data = [size, 0, 0xFF, 0xFF] + number(NVSPartition.checksum(bytes))
        return entry(1, 0x42, key, data, span: 2) + bytes + Array(repeating: 0xFF, count: 32 - bytes.count)
            + entry(1, 0x48, key, [size, 0, 0, 0, 1, 0, 0xFF, 0xFF])
    }

    private static let settings = page([
        entry(0, 0x01, "wifi", [2]), entry(0, 0x01, "aquavate", [1]), entry(2, 0x04, "channel", [6, 0, 0, 0]),
        entry(1, 0x11, "timezone", [0xFB]), entry(1, 0x02, "daily_goal", [0xB8, 0x0B]),
        blob("scale", [0x00, 0x00, 0xDA, 0x43]), blob("daily", hex("FC 8B 04 00 E2 04 00 00")),
        entry(1, 0x14, "empty", [0xFF, 0xFF, 0xFF, 0xFF]), entry(1, 0x01, "debug", [3]),
    ])

    @Test func theSettingsAreThoseOfTheNamespace() throws {
        let dump = try NVSDump(Self.settings + Array(repeating: 0xFF, count: 4096), name: "n.bin")
        #expect(dump.notes == [])
        #expect(dump.offsetHours == -5 && dump.goal == 3000)
        #expect(
            dump.entries == [
                .init(key: "timezone", value: "-5"), .init(key: "daily_goal", value: "3000"),
                .init(key: "scale", value: "436.0"),
                .init(key: "daily", value: "baseline ADC 297980, displayed total 1250 ml"),
                .init(key: "empty", value: "-1"), .init(key: "debug", value: "3"),
            ])
    }

    /// A value of a later page replaces the earlier one, whatever the order of the pages in the file.
    @Test func theLastPageHasTheLastValue() throws {
        let later = Self.page([Self.entry(1, 0x02, "daily_goal", [0xE8, 0x03])], sequence: 1)
        #expect(try NVSDump(later + Self.settings, name: "n.bin").goal == 1000)
        #expect(try NVSDump(Self.settings + later, name: "n.bin").goal == 1000)
    }

    @Test func damagedPartsAreSkippedByPageAndEntry() throws {
        var bytes = Self.settings + Self.settings + Self.settings
        bytes[64 + 3 * 32 + 24] = 0xFC
        bytes[64 + 6 * 32] ^= 1
        bytes[4096 + 4] = 9
        bytes[2 * 4096] = 0x12
        let dump = try NVSDump(bytes + [1, 2, 3], name: "n.bin")
        #expect(
            dump.notes == [
                "n.bin: the last 3 bytes are no whole page: skipped",
                "n.bin: page 0, entry 3: its CRC does not match: skipped",
                "n.bin: page 0, entry 5: the value of 'scale' is damaged: skipped",
                "n.bin: page 1: the CRC of its header does not match: skipped",
                "n.bin: page 2: state 0xffffff12 is that of no page: skipped",
            ])
        #expect(dump.offsetHours == nil && dump.goal == 3000)
    }

    /// The structures of the documents by themselves.
    @Test func aValueAloneIsReadByItsSize() throws {
        let day = try NVSDump(hex("FC 8B 04 00 E2 04 00 00"), name: "n.bin")
        #expect(day.entries.map(\.value) == ["baseline ADC 297980, displayed total 1250 ml"])
        let data = DeviceProfile.PrdCalibrationData(
            scaleFactor: 375.5, zeroOffset: -20, tareWeightGrams: 271, bottleCapacityMl: 830, dailyGoalMl: 1800,
            calibrationValid: .precision, padding: [0, 0, 0])
        let calibration = try NVSDump(try PuckWire().bytes(data, as: .prdCalibrationData), name: "n.bin")
        #expect(calibration.goal == 1800)
        #expect(
            calibration.entries.map(\.value) == [
                "scale factor 375.5, zero offset -20, tare 271 g, capacity 830 ml, goal 1800 ml, precision calibrated"
            ])
    }

    @Test func whatIsNoStorageIsRefused() {
        let expected =
            "expected an NVS partition, pages of 4096 bytes, or a value of it: "
            + "the daily state of 8 bytes or CalibrationData of 20"
        #expect(throws: CommandError.unreadable("n.bin: 7 bytes: \(expected)")) {
            try NVSDump(Array(repeating: 1, count: 7), name: "n.bin")
        }
        #expect(throws: CommandError.unreadable("n.bin: no namespace aquavate in it, only wifi")) {
            try NVSDump(Self.page([Self.entry(0, 0x01, "wifi", [1])]), name: "n.bin")
        }
        #expect(throws: CommandError.unreadable("n.bin: no namespace aquavate in it: expected an NVS partition")) {
            try NVSDump(Array(repeating: 0xFF, count: 4096), name: "n.bin")
        }
    }

    // MARK: - The report

    private func report(_ files: [String: [UInt8]], _ values: [String: CommandInput.Value] = [:]) throws
        -> CommandOutput
    {
        var input = CommandInput(values: values, now: Timestamp(seconds: 1_772_463_800, nanoseconds: 0))
        for (name, bytes) in files {
            input.values[name] = .text("\(name).bin")
            input.files[name] = fileChunks(of: bytes)
        }
        let command = try #require(HydrationCommands.groups[0].commands.first { $0.name == "report" })
        return try command.run(input)
    }

    /// Records at 01:00, 02:00 and 09:00 of a puck five hours behind UTC are of 06:00, 07:00 and 14:00.
    @Test func aReportOfADumpHasItsDrinksAndSettings() throws {
        let drinks = Self.file([try Self.shipped(1), try Self.shipped(2), try Self.shipped(9, isSynced: false)])
        let output = try report(["dump": drinks, "nvs": Self.settings])
        #expect(output.outcome == .done && output.notes == [])
        #expect(output.text.hasPrefix("Hydration until 2026-02-01T14:00:00Z (UTC), goal 3000 ml (the bottle's)\n"))
        #expect(
            output.text.contains("\n  06:00  30 ml, 500 ml left\n  07:00  40 ml, 500 ml left\n  14:00  110 ml, 500 ml"))
        #expect(
            output.text.hasSuffix(
                """

                Storage: 3 records of the dialect shipped, 0 deleted, 1 that no client has acknowledged

                Settings
                  timezone: -5
                  daily_goal: 3000
                  scale: 436.0
                  daily: baseline ADC 297980, displayed total 1250 ml
                  empty: -1
                  debug: 3

                """))
        let json = try JSONValue(reading: Array(report(["dump": drinks], ["json": .flag]).text.utf8))
        #expect(json["storage"]?["records"]?.number == 3 && json["settings"] == nil)
        #expect(json["days"]?.elements.map { $0["total_ml"]?.number } == [180])
    }

    @Test func aDumpIsOfOneBottle() throws {
        let usage = CommandError.usage("--dump is of one bottle: say neither --capture nor --device")
        #expect(throws: usage) { try report(["dump": []], ["device": .text("a")]) }
        #expect(throws: CommandError.usage("--nvs goes with --dump")) { try report(["nvs": Self.settings]) }
    }
}
