import Bluetooth
import BluetoothCrypto
import Bytes

/// Replaces the bytes of buffers according to their treatment.
struct Replacements {
    private let pseudonyms: Pseudonyms
    private let addresses: AddressPseudonyms
    private var texts: TextPseudonyms
    /// Keys of the capture, in both byte orders.
    private let keys: Set<[UInt8]>
    /// The first bytes of the keys.
    private let keyHeads: Set<UInt64>
    private let timeShift: TimeSpan
    var counts = RedactionCounts()

    /// Bytes of an address, and of the keys that are searched for.
    static let (addressSize, keySize) = (6, 16)
    /// Times before 2000 are no dates: they count from the start of a device, or stand for none.
    private static let firstDate: Int64 = 946_684_800

    init(
        _ pseudonyms: Pseudonyms, _ addresses: AddressPseudonyms, _ texts: TextPseudonyms, keys: Set<[UInt8]>,
        timeShift: TimeSpan
    ) {
        self.pseudonyms = pseudonyms
        self.addresses = addresses
        self.texts = texts
        self.keys = keys
        keyHeads = Set(keys.map { Self.littleEndian($0, at: 0, count: Self.addressSize) })
        self.timeShift = timeShift
    }

    /// The bytes of a buffer after replacement; those outside `range` stay.
    mutating func rewritten(_ bytes: [UInt8], _ treatment: BufferTreatment, in range: Range<Int>) -> [UInt8] {
        var result = bytes
        for step in treatment.steps where range.contains(step.range.lowerBound) && step.range.upperBound <= bytes.count
        {
            apply(step, to: &result, original: bytes)
        }
        for run in treatment.openRuns(in: range) {
            result.replaceSubrange(run, with: pseudonyms.bytes(for: Array(bytes[run])))
            counts[.unexplained] += run.count
        }
        for run in treatment.paddingRuns(in: range) { replacePadding(in: run, of: &result) }
        for run in treatment.keptRuns(in: range) { replaceKnown(in: run, of: &result) }
        return result
    }

    /// Replaces what stands in padding; a zero, which ends a text or data, stays, and nothing else becomes one.
    private mutating func replacePadding(in range: Range<Int>, of bytes: inout [UInt8]) {
        let original = Array(bytes[range])
        guard original.contains(where: { $0 != 0 }) else { return }
        for (place, byte) in zip(range, pseudonyms.bytes(for: original)) where bytes[place] != 0 {
            bytes[place] = max(1, byte)
        }
        counts[.unexplained] += range.count
    }

    private mutating func apply(_ step: BufferTreatment.Step, to result: inout [UInt8], original: [UInt8]) {
        let bytes = Array(original[step.range])
        let replacement: [UInt8]
        switch step.treatment {
        case .keep, .open, .padding: return
        case .search: replacement = texts.withoutAddresses(bytes) ?? bytes
        case .address: replacement = address(bytes, step.value)
        case .name, .text: replacement = texts.replacement(for: bytes)
        case .key: replacement = pseudonyms.key(for: bytes)
        case .encrypted: replacement = pseudonyms.bytes(for: bytes)
        case .sensitive:
            replacement = step.isNumber ? number(Array(result[step.range]), step) : sensitive(bytes)
        case .date(let epoch, let unit): replacement = date(bytes, step.value, epoch: epoch, step: unit)
        case .civilDate: replacement = civilDate(bytes)
        }
        if replacement == Array(result[step.range]) { return }
        result.replaceSubrange(step.range, with: replacement)
        counts[step.treatment.kind ?? .address] += 1
    }

    /// The replacement of an address, in the byte order that it has.
    private func address(_ bytes: [UInt8], _ value: UInt64) -> [UInt8] {
        let replacement = addresses.replacement(for: value)
        let little = (0..<bytes.count).map { UInt8(truncatingIfNeeded: replacement >> UInt64(8 * min($0, 7))) }
        return Self.littleEndian(bytes) == value ? little : little.reversed()
    }

    /// Bytes that a profile marks, with known addresses replaced by theirs.
    private func sensitive(_ bytes: [UInt8]) -> [UInt8] {
        bytes.isEmpty ? bytes : pseudonyms.bytes(for: bytes)
    }

    /// The replacement of a number's bits; 0, which often stands for none, stays.
    private func number(_ bytes: [UInt8], _ step: BufferTreatment.Step) -> [UInt8] {
        guard step.value != 0, bytes.count <= 8 else { return bytes.count <= 8 ? bytes : sensitive(bytes) }
        let mask = step.mask == 0 ? UInt64.max : step.mask
        let isLittle = Self.isLittleEndian(bytes, step)
        let whole = isLittle ? Self.littleEndian(bytes) : Self.littleEndian(bytes.reversed())
        let random = pseudonyms.replacement(ofNumber: step.value, bits: min(8 * bytes.count, mask.nonzeroBitCount))
        let shifted = step.mask == 0 ? random : random << UInt64(mask.trailingZeroBitCount)
        let number = whole & ~mask | shifted & mask
        let little = (0..<bytes.count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        return isLittle ? little : little.reversed()
    }

    /// A date earlier by the shift of the capture's times; other numbers stay.
    private func date(_ bytes: [UInt8], _ value: UInt64, epoch: Int64, step: Int64) -> [UInt8] {
        guard step > 0, bytes.count <= 8, let steps = Int64(exactly: value) else { return bytes }
        let (sinceEpoch, overflow) = steps.multipliedReportingOverflow(by: step)
        let shift = timeShift.nanoseconds / step
        let (seconds, overflows) = (sinceEpoch / 1_000_000_000).addingReportingOverflow(epoch)
        guard !overflow, !overflows, seconds >= Self.firstDate, shift >= 0, shift <= steps else { return bytes }
        let number = UInt64(steps - shift)
        let little = (0..<bytes.count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        return Self.littleEndian(bytes) == value ? little : little.reversed()
    }

    /// A date of year, month and day, earlier by the shift; one with unknown parts stays.
    private func civilDate(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count == 4,
            let date = CivilDate(
                year: Int64(bytes[0]) | Int64(bytes[1]) << 8, month: Int64(bytes[2]), day: Int64(bytes[3]))
        else { return bytes }
        let moved = date.advanced(days: -(timeShift.nanoseconds / 86_400_000_000_000))
        guard moved.daysSince1970 * 86_400 >= 0, date.daysSince1970 * 86_400 >= Self.firstDate else { return bytes }
        return [
            UInt8(truncatingIfNeeded: moved.year), UInt8(truncatingIfNeeded: moved.year >> 8),
            UInt8(truncatingIfNeeded: moved.month), UInt8(truncatingIfNeeded: moved.day),
        ]
    }

    /// Replaces the addresses and the keys of the capture that stand in bytes that stay otherwise.
    private mutating func replaceKnown(in range: Range<Int>, of bytes: inout [UInt8]) {
        var place = range.lowerBound
        while place + Self.addressSize <= range.upperBound {
            let value = Self.littleEndian(bytes, at: place, count: Self.addressSize)
            if place + Self.keySize <= range.upperBound, keyHeads.contains(value) {
                let window = place..<(place + Self.keySize)
                let key = Array(bytes[window])
                if keys.contains(key) {
                    bytes.replaceSubrange(window, with: pseudonyms.bytes(for: key))
                    counts[.key] += 1
                    place = window.upperBound
                    continue
                }
            }
            guard let replacement = replacement(ofKnown: value) else {
                place += 1
                continue
            }
            for index in 0..<Self.addressSize {
                bytes[place + index] = UInt8(truncatingIfNeeded: replacement >> UInt64(8 * index))
            }
            counts[.address] += 1
            place += Self.addressSize
        }
    }

    /// The replacement of an address of the capture in either byte order; nil for another number.
    private func replacement(ofKnown value: UInt64) -> UInt64? {
        let reversed = value.byteSwapped >> 16
        let replacement = addresses.known[value] ?? addresses.known[reversed].map { $0.byteSwapped >> 16 }
        return replacement == value ? nil : replacement
    }

    private static func littleEndian(_ bytes: [UInt8], at place: Int, count: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in stride(from: min(bytes.count, place + count) - 1, through: place, by: -1) {
            value = value << 8 | UInt64(bytes[index])
        }
        return value
    }

    static func littleEndian(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether a field's value is that of its bytes with the least significant first.
    private static func isLittleEndian(_ bytes: [UInt8], _ step: BufferTreatment.Step) -> Bool {
        let number = littleEndian(bytes)
        // A signed value has more bits than its bytes.
        let width: UInt64 = bytes.count >= 8 ? .max : (1 << UInt64(8 * bytes.count)) - 1
        if step.mask == 0 { return number == step.value & width || bytes.count == 1 }
        return (number & step.mask) >> UInt64(step.mask.trailingZeroBitCount) == step.value
    }
}

extension Pseudonyms {
    /// A number of this many bits, other than 0 and the original.
    func replacement(ofNumber value: UInt64, bits: Int) -> UInt64 {
        let mask: UInt64 = bits >= 64 ? .max : (1 << UInt64(max(1, bits))) - 1
        let random = number(for: value, .number) & mask
        if mask <= 1 { return random }
        return random == 0 || random == value & mask ? (value ^ 1) & mask == 0 ? 2 & mask : (value ^ 1) & mask : random
    }
}
