import Bytes
import PluginKit

/// Reads a trace of an ammeter as CSV, chunk by chunk: a header that names a column of times and one of currents with
/// their units, as exports of Nordic's Power Profiler Kit and of Joulescope have it, and a line for each sample.
struct PowerTraceReader: Sendable {
    private(set) var trace = PowerTrace()
    /// Remarks about lines that were skipped, by number.
    private(set) var notes: [String] = []
    private(set) var badLines = 0
    private let name: String
    private var columns: Columns?
    /// Number of the line that is read, from 1.
    private var number = 0
    /// The beginning of a line whose end is in the next chunk.
    private var line: [UInt8] = []

    /// Columns of a file, counted from 0, with their units in seconds and mA.
    private struct Columns {
        var separator: UInt8
        var time: (index: Int, unit: Double)
        var current: (index: Int, unit: Double)
    }

    private static let lineLimit = 65_536
    /// Lines that may precede the header.
    private static let headerLimit = 32
    private static let noteLimit = 10
    private static let expectedHeader = "expected a header like Timestamp(ms),Current(uA)"

    init(name: String) {
        self.name = name
    }

    mutating func add(_ chunk: [UInt8]) throws(CommandError) {
        var rest = chunk[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[(end + 1)...]
            try take()
        }
        line += rest
        guard line.count <= Self.lineLimit else {
            throw .unreadable("\(name): line \(number + 1) has over \(Self.lineLimit) bytes: not a CSV of currents")
        }
    }

    mutating func finish() throws(CommandError) {
        if !line.isEmpty { try take() }
        guard columns != nil else { throw .unreadable("\(name): no header: \(Self.expectedHeader)") }
        guard trace.samples > 1 else {
            throw .unreadable("\(name): expected two lines of time and current at least, found \(trace.samples)")
        }
        if badLines > Self.noteLimit { notes.append("\(name): \(badLines - Self.noteLimit) more lines were skipped") }
        trace.finish()
    }

    private mutating func take() throws(CommandError) {
        number += 1
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        guard line.contains(where: { $0 != UInt8(ascii: " ") }) else { return }
        guard let columns else { return try readHeader() }
        let fields = line.split(separator: columns.separator, omittingEmptySubsequences: false)
        let needed = max(columns.time.index, columns.current.index) + 1
        guard fields.count >= needed else { return skip("\(fields.count) fields instead of \(needed)") }
        guard let time = Self.number(fields[columns.time.index], columns) else {
            return skip("the time '\(Self.text(fields[columns.time.index]))' is no number")
        }
        guard let current = Self.number(fields[columns.current.index], columns) else {
            return skip("the current '\(Self.text(fields[columns.current.index]))' is no number")
        }
        let (seconds, milliamperes) = (time * columns.time.unit, current * columns.current.unit)
        guard trace.time.map({ seconds > $0 }) ?? true else {
            return skip("the time '\(Self.text(fields[columns.time.index]))' is not after that of the line before")
        }
        trace.add(time: seconds, milliamperes: milliamperes)
    }

    private mutating func skip(_ reason: String) {
        badLines += 1
        if badLines <= Self.noteLimit { notes.append("\(name): line \(number) was skipped: \(reason)") }
    }

    /// The text of a field, for a message.
    private static func text(_ field: ArraySlice<UInt8>) -> String {
        String(decoding: field.prefix(40), as: UTF8.self).legible()
    }

    /// The finite number of a field; a file whose separator is no comma may have decimal commas.
    private static func number(_ field: ArraySlice<UInt8>, _ columns: Columns) -> Double? {
        var text = field.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }
        if columns.separator != UInt8(ascii: ","), let comma = text.firstIndex(of: UInt8(ascii: ",")) {
            text[comma] = UInt8(ascii: ".")
        }
        guard let number = Double(String(decoding: text, as: UTF8.self)), abs(number) <= 1e15 else { return nil }
        return number
    }

    // MARK: - The header

    /// Reads a line as the header; other lines may precede it.
    private mutating func readHeader() throws(CommandError) {
        let separator = [UInt8(ascii: ";"), UInt8(ascii: "\t")].first { line.contains($0) } ?? UInt8(ascii: ",")
        let names = line.split(separator: separator, omittingEmptySubsequences: false).map { field in
            Self.words(String(decoding: field, as: UTF8.self))
        }
        let time = names.firstIndex { ["time", "timestamp", "t"].contains($0.first) }
        let current = names.firstIndex { $0.contains("current") || $0.first == "i" }
        if let time, let current {
            columns = Columns(
                separator: separator, time: (time, try unit(of: names[time], Self.time)),
                current: (current, try unit(of: names[current], Self.current)))
        } else if number >= Self.headerLimit || names.allSatisfy({ $0.count == 1 && Double($0[0]) != nil }) {
            throw .unreadable(
                "\(name): line \(number): no column of times and none of currents: \(Self.expectedHeader)")
        }
    }

    /// The units of a quantity, by their names in lower case.
    private struct Units {
        var known: [String: Double]
        /// The value of a column without a unit.
        var usual: Double
        var expected: String
    }

    /// In seconds. The prefix micro has two code points.
    private static let time = Units(
        known: [
            "s": 1, "sec": 1, "second": 1, "seconds": 1, "ms": 1e-3, "us": 1e-6, "\u{B5}s": 1e-6, "\u{3BC}s": 1e-6,
            "ns": 1e-9,
        ], usual: 1, expected: "s, ms, us or ns")
    /// In mA.
    private static let current = Units(
        known: ["a": 1e3, "ma": 1, "ua": 1e-3, "\u{B5}a": 1e-3, "\u{3BC}a": 1e-3, "na": 1e-6], usual: 1e3,
        expected: "A, mA, uA or nA")

    /// The words of a column's name, in lower case: `Timestamp(ms)` is `timestamp`, `ms`.
    private static func words(_ name: String) -> [String] {
        name.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }.map(String.init)
    }

    /// The unit of a column; seconds or A without one.
    private func unit(of words: [String], _ units: Units) throws(CommandError) -> Double {
        if let unit = words.dropFirst().last.flatMap({ units.known[$0] }) { return unit }
        guard words.count < 2 || ["current", "time", "timestamp"].contains(words[words.count - 1]) else {
            let title = words.joined(separator: " ").legible(limit: 80)
            throw .unreadable(
                "\(name): line \(number): the unit of '\(title)' is not known: expected \(units.expected)")
        }
        return units.usual
    }
}
