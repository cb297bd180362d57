import Bytes
import Conformance
import FoundationEssentials
import HTTPTypes
import PluginKit
import Profile
import Synchronization
import Workbench

/// The user's waiver file, which checks read and pages append to.
final class WaiverFile: Sendable {
    private let path: String?
    private let lock = Mutex(())

    init(_ path: String?) {
        self.path = path
    }

    /// The current waivers; empty if the file does not exist yet.
    @discardableResult
    func read() throws -> [Waiver] {
        guard let path, FileManager.default.fileExists(atPath: path) else { return [] }
        return try CheckOptions.readWaivers(path)
    }

    /// A report with today's waivers applied.
    func applied(to report: CheckReport) throws -> CheckReport {
        var options = CheckOptions(day: .today)
        options.waivers = try read()
        return options.applied(to: report)
    }

    func add(_ waiver: JSONValue) throws {
        guard let path else {
            throw WebFault(.conflict, "no file was named for waivers: start gattbench web with --waivers FILE")
        }
        let texts: [(name: String, range: ClosedRange<Int>, isRequired: Bool)] = [
            ("rule", 1...100, true), ("device", 0...250, false), ("firmware", 0...100, false),
            ("reason", 1...1000, true), ("link", 0...1000, false), ("expires", 10...10, false),
        ]
        var lines: [String] = []
        for (name, range, isRequired) in texts where isRequired || waiver[name] != nil {
            var text = TextWriter(capacity: 64)
            text.writeJSON(try waiver.text(name, range))
            lines.append("\(name): \(String(decoding: text.bytes, as: UTF8.self))")
        }
        do {
            try lock.withLock { _ in try append(lines, to: path) }
        } catch let faults as WaiverFaults {
            throw WebFault(.unprocessableContent, "\(faults)")
        }
    }

    private func append(_ lines: [String], to path: String) throws {
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let before = try WaiverReader.read(text, file: path).count
        _ = try WaiverReader.read("waivers:\n" + Self.item(lines, ""), file: "the waiver")
        let item = text.split(separator: "\n").last { $0.drop { $0 == " " }.hasPrefix("- ") }
        let indentation = item.map { $0.prefix { $0 == " " }.count } ?? 2
        let blanks = String(repeating: " ", count: indentation)
        var added = text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
        if item == nil { added = Self.withList(added) }
        added += Self.item(lines, blanks)
        guard (try? WaiverReader.read(added, file: path).count) == before + 1 else {
            throw WebFault(.conflict, "\(path): the list of waivers does not end like one: add this one by hand")
        }
        // The write is atomic: concurrent readers see the old file.
        try Data(added.utf8).write(to: URL(filePath: path).resolvingSymlinksInPath(), options: .atomic)
    }

    private static func item(_ lines: [String], _ blanks: String) -> String {
        lines.enumerated().map { blanks + ($0 == 0 ? "- " : "  ") + $1 + "\n" }.joined()
    }

    /// The text of a file without waivers, with a line that starts their list.
    private static func withList(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let place = lines.firstIndex(where: { $0.hasPrefix("waivers:") }) else { return text + "waivers:\n" }
        if let empty = lines[place].firstRange(of: " []") { lines[place].removeSubrange(empty) }
        return lines.joined(separator: "\n")
    }
}
