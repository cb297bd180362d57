import Bytes
public import Profile

/// Reads a file of waivers:
///
///     waivers:
///       - rule: AQ-060
///         device: Aquavate-A3F2        # or firmware: 0.1.0, or neither
///         reason: the struct is packed in the next firmware
///         link: https://example.org/issues/17
///         expires: 2026-06-30          # the last day
public enum WaiverReader {
    /// Reads the waivers in a text; `file` is the path shown in messages. Throws all faults found.
    public static func read(_ text: String, file: String) throws(WaiverFaults) -> [Waiver] {
        if !hasContent(text) { return [] }
        let faults = FaultList()
        let root = YAMLDocument.read(text, faults)
        let waivers = root.flatMap { Form<[Waiver]>.waivers.read($0, faults) }
        guard let waivers, faults.isEmpty else {
            throw WaiverFaults(faults: ProfileFaults(file: file, faults.faults))
        }
        return waivers
    }
}

extension WaiverReader {
    /// Whether the text contains anything but comments and document markers; a file without waivers is valid.
    private static func hasContent(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            let line = line.drop(while: \.isWhitespace)
            return !line.isEmpty && !line.hasPrefix("#") && line != "---" && line != "..."
        }
    }
}

/// All faults of a file of waivers.
public struct WaiverFaults: Error, Hashable, Sendable, CustomStringConvertible {
    public var faults: ProfileFaults

    public var description: String { "invalid waivers\n\(faults)" }
}

extension Form where Value == [Waiver] {
    fileprivate static var waivers: Self {
        Form(mapping: "a file of waivers") { keys in keys.require("waivers", .list(of: .waiver)) }
    }
}

extension Form where Value == Waiver {
    fileprivate static var waiver: Self {
        Form(mapping: "a waiver") { keys in
            let rule = keys.require("rule", .identifier)
            let device = keys.take("device", .text)
            let firmware = keys.take("firmware", .text)
            let reason = keys.require("reason", .text)
            let link = keys.take("link", .text)
            let expires = keys.take("expires", .date)
            guard let rule, let reason else { return nil }
            var waiver = Waiver(rule: rule, reason: reason, place: keys.place)
            waiver.device = device
            waiver.firmware = firmware
            waiver.link = link
            waiver.expires = expires
            return waiver
        }
    }
}

extension Form where Value == CivilDate {
    fileprivate static var date: Self { Form(scalar: "a date like 2026-06-30") { CivilDate($0.text) } }
}
