import Captures
package import PluginKit

/// Reads time zones from the system's database of TZif files (RFC 8536).
package enum ZoneFile {
    private static let folder = "/usr/share/zoneinfo"
    private static let sizeLimit = 1 << 20
    /// Number of years after the last transition of the file for which a zone's rule is expanded.
    private static let ruleYears: Int64 = 200

    /// A zone by name, such as `Europe/Paris`; nil for an unknown name.
    package static func zone(_ name: String) -> TimeZoneTable? {
        if name == "UTC" || name == "Z" { return .utc }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else { return nil }
        return read("\(folder)/\(name)", name)
    }

    /// The user's zone: that of `TZ`, else the machine's; UTC if it cannot be read.
    package static func local(environment: [String: String]) -> TimeZoneTable {
        if let name = environment["TZ"]?.drop(while: { $0 == ":" }), !name.isEmpty {
            return zone(String(name)) ?? .utc
        }
        let target = Folder.linkTarget(of: "/etc/localtime")?.split(separator: "/") ?? []
        let name = target.drop { $0 != "zoneinfo" }.dropFirst().joined(separator: "/")
        return read("/etc/localtime", name.isEmpty ? "local" : name) ?? .utc
    }

    /// Name of the user's zone; nil if the database has no zone of this name.
    package static func localName(environment: [String: String]) -> String? {
        let name = local(environment: environment).name
        return zone(name) == nil ? nil : name
    }

    private static func read(_ path: String, _ name: String) -> TimeZoneTable? {
        guard let bytes = try? TextFile.readBytes(path, atMost: sizeLimit, else: "not a zone") else { return nil }
        return TimeZoneTable(reading: bytes, name: name, ruleYears: ruleYears)
    }
}

extension TimeZoneTable {
    /// Parses a file of version 2 or later (RFC 8536, 3); nil for anything else.
    package init?(reading bytes: [UInt8], name: String, ruleYears: Int64) {
        guard let first = Header(bytes, at: 0), first.version >= UInt8(ascii: "2"),
            let header = Header(bytes, at: first.end(timeSize: 4))
        else { return nil }
        let types = header.start + header.times * 9
        let end = header.end(timeSize: 8)
        guard end <= bytes.count, header.types > 0 else { return nil }
        func offset(_ type: Int) -> Int64? {
            type < header.types ? Int64(Int32(truncatingIfNeeded: bytes.number(at: types + type * 6, 4))) : nil
        }
        self.init(name: name, initialOffset: offset(0) ?? 0)
        for index in 0..<header.times {
            let time = bytes.number(at: header.start + index * 8, 8)
            guard let offset = offset(Int(bytes[header.start + header.times * 8 + index])), time < Self.span else {
                return nil
            }
            // Some files begin with a transition at the beginning of the universe.
            if time < -Self.span {
                initialOffset = offset
                continue
            }
            transitions.append(Transition(time: time, offset: offset))
        }
        guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0.time < $1.time }) else { return nil }
        let footer = bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
        if let rule = ZoneRule(String(decoding: footer, as: UTF8.self)) { extend(rule, years: ruleYears) }
    }

    /// Maximum distance of a transition from 1970, in seconds.
    private static let span: Int64 = 1 << 40

    /// Appends the transitions of a rule after those of the table.
    private mutating func extend(_ rule: ZoneRule, years: Int64) {
        let last = transitions.last?.time ?? 0
        let firstYear = max(1970, 1970 + last / 31_556_952)
        for year in firstYear...firstYear + years {
            for transition in rule.transitions(in: year) where transition.time > last { transitions.append(transition) }
        }
    }
}

/// The header of a data block in a TZif file.
private struct Header {
    var version: UInt8
    var times: Int
    var types: Int
    /// Offset of the block's data.
    var start: Int
    /// Counts of the block's other parts, needed only for its length.
    private var characters: Int
    private var leaps: Int
    private var standards: Int
    private var universals: Int

    init?(_ bytes: [UInt8], at place: Int) {
        guard place >= 0, place + 44 <= bytes.count, bytes[place..<place + 4].elementsEqual("TZif".utf8) else {
            return nil
        }
        version = bytes[place + 4]
        let counts = (0..<6).map { Int(bytes.number(at: place + 20 + $0 * 4, 4)) }
        guard counts.allSatisfy({ $0 < 1 << 20 }) else { return nil }
        (universals, standards, leaps, times, types, characters) = (
            counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
        )
        start = place + 44
    }

    func end(timeSize: Int) -> Int {
        start + times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standards + universals
    }
}

extension [UInt8] {
    /// A big-endian number.
    fileprivate func number(at place: Int, _ size: Int) -> Int64 {
        Int64(bitPattern: self[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
