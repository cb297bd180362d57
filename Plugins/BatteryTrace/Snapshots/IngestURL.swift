public import Bytes

/// The URL in which a phone delivers its battery's health:
/// `batterytrace://ingest?cycles=123&health=0.94&first_use=2024-09-21&mfg=2024-08-30`.
///
/// Scheme and host must match exactly. Parameters come in any order, each at most once, percent-encoded; + is a space,
/// as in a form. A parameter without a value counts as absent, because the product's own template leaves it empty if a
/// phone knows no date; at least one of cycles and health needs a value.
///
/// Health is a fraction, or a percentage with its sign or from 10 on: `1.01` and `101` are 101 %, `1.01%` is 1.01 %. It
/// is 110 % at most, as new batteries may have more than their nominal capacity; `1.5` is neither form.
public enum IngestURL {
    /// A violation of the grammar.
    public struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// The part of the URL: a parameter's name, or `URL` for the whole.
        public var part: String
        public var expected: String
        /// Text found in the URL, safe for a terminal.
        public var found: String

        public var description: String { "\(part): expected \(expected); found \(found)" }
    }

    /// All faults of a rejected URL.
    public struct Refusal: Error, Hashable, Sendable {
        public var faults: [Fault]
    }

    /// Reads a URL; `now` decides which dates are in the future. A faulty URL is rejected as a whole, listing every
    /// fault.
    public static func read(_ url: String, now: Timestamp) throws(Refusal) -> BatteryHealth {
        var reading = Reading(now: now)
        reading.read(url)
        guard reading.faults.isEmpty else { throw Refusal(faults: reading.faults) }
        return reading.battery
    }

    /// Reads unencoded values, such as those of a table; empty ones are absent.
    static func battery(_ values: [(Parameter, String)], now: Timestamp) throws(Refusal) -> BatteryHealth {
        var reading = Reading(now: now)
        for (parameter, value) in values { reading.set(parameter, value) }
        reading.checkWhole()
        guard reading.faults.isEmpty else { throw Refusal(faults: reading.faults) }
        return reading.battery
    }

    /// Whether this is the URL that the Shortcut opens after it has run (`x-success`), which carries no values.
    /// Shortcuts adds a query with its result.
    public static func isReadySignal(_ url: String) -> Bool {
        url.utf8.count <= longest && (url == readySignal || url.hasPrefix(readySignal + "?"))
    }

    public static let readySignal = "batterytrace://ingest-ready"

    /// The URL that runs a Shortcut by its name; the Shortcut calls back when it is done.
    public static func shortcutCall(_ name: String) -> String {
        "shortcuts://x-callback-url/run-shortcut?name=\(percentEncoded(name))&x-success=\(readySignal)"
    }

    enum Parameter: String, CaseIterable {
        case cycles, health
        case firstUse = "first_use"
        case mfgDate = "mfg"
    }

    /// The least number without a sign that is a percentage.
    static let leastPercentage = 10.0

    /// Maximum length of a URL in bytes; a valid one has less than a hundred.
    static let longest = 4096
}

/// Reads one URL and collects its faults.
private struct Reading {
    let today: CivilDate
    var battery = BatteryHealth()
    var faults: [IngestURL.Fault] = []
    private var seen: Set<String> = []
    /// Parameters that have a value.
    private var given: Set<String> = []

    init(now: Timestamp) {
        let secondsPerDay = 86_400.0
        let days = (now.seconds(since: Timestamp(nanoseconds: 0)) / secondsPerDay).rounded(.down)
        today = CivilDate(daysSince1970: Int64(days))
    }

    private mutating func fault(_ part: String, expected: String, found: String) {
        faults.append(IngestURL.Fault(part: part, expected: expected, found: quoted(found)))
    }

    mutating func read(_ url: String) {
        guard url.utf8.count <= IngestURL.longest else {
            let count = "\(url.utf8.count) bytes"
            faults.append(.init(part: "URL", expected: "\(IngestURL.longest) bytes at most", found: count))
            return
        }
        guard let query = readFront(url) else { return }
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) { readParameter(pair) }
        checkWhole()
    }

    /// Checks the values in combination.
    mutating func checkWhole() {
        if let made = battery.mfgDate, let used = battery.firstUse, made > used {
            fault("mfg", expected: "a date no later than first_use, \(used)", found: "\(made)")
        }
        if given.isDisjoint(with: [IngestURL.Parameter.cycles.rawValue, IngestURL.Parameter.health.rawValue]) {
            faults.append(.init(part: "URL", expected: "cycles, health or both", found: "neither"))
        }
    }

    /// Checks scheme and host, and returns the query; nil if there is none.
    private mutating func readFront(_ url: String) -> Substring? {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let front = parts[0]
        let scheme = front.prefix { $0 != ":" }
        if scheme != "batterytrace" || !front.dropFirst(scheme.count).hasPrefix("://") {
            fault("scheme", expected: "batterytrace://", found: String(front.prefix(scheme.count + 3)))
        } else if front.dropFirst(scheme.count + 3) != "ingest" {
            fault("host", expected: "ingest, and nothing after it", found: String(front.dropFirst(scheme.count + 3)))
        }
        guard parts.count == 2 else {
            faults.append(.init(part: "URL", expected: "a query after ?", found: "none"))
            return nil
        }
        guard let hash = parts[1].firstIndex(of: "#") else { return parts[1] }
        fault("URL", expected: "no fragment", found: String(parts[1][hash...]))
        return parts[1][..<hash]
    }

    private mutating func readParameter(_ pair: Substring) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = percentDecoded(parts[0]), !name.isEmpty, parts.count == 2 else {
            return fault("URL", expected: "NAME=VALUE between & signs", found: String(pair))
        }
        guard let parameter = IngestURL.Parameter(rawValue: name) else {
            let names = IngestURL.Parameter.allCases.map(\.rawValue).joined(separator: ", ")
            return fault("URL", expected: "only the parameters \(names)", found: name)
        }
        guard seen.insert(name).inserted else {
            return fault(name, expected: "the parameter once", found: "\(name)=\(parts[1])")
        }
        guard let decoded = percentDecoded(parts[1]) else {
            given.insert(name)
            return fault(name, expected: "% and two hex digits (a percent sign is %25), in UTF-8", found: "\(parts[1])")
        }
        set(parameter, decoded)
    }

    mutating func set(_ parameter: IngestURL.Parameter, _ text: String) {
        let (name, value) = (parameter.rawValue, text.trimmingSpaces)
        guard !value.isEmpty else { return }
        given.insert(name)
        switch parameter {
        case .cycles: battery.cycles = readCycles(value)
        case .health: battery.health = readHealth(value)
        case .firstUse: battery.firstUse = readDate(value, name)
        case .mfgDate: battery.mfgDate = readDate(value, name)
        }
    }

    private mutating func readCycles(_ text: String) -> Int? {
        guard text.utf8.allSatisfy(isDigit), let cycles = Int(text), cycles <= 10_000 else {
            fault("cycles", expected: "an integer from 0 to 10000", found: text)
            return nil
        }
        return cycles
    }

    /// `0.94`, `94%` and `94` are the same.
    private mutating func readHealth(_ text: String) -> Double? {
        let isPercentage = text.hasSuffix("%")
        let number = isPercentage ? text.dropLast().description.trimmingSpaces : text
        if let value = Double(plain: number), let hundredth = Double(plain: number, hundredths: true) {
            let health = isPercentage || value >= IngestURL.leastPercentage ? hundredth : value
            if health > 0, health <= BatteryHealth.largestHealth { return health }
        }
        fault(
            "health",
            expected: "a decimal above 0 to 1.1, or a percentage up to 110, below 10 with its sign: 0.94, 94% or 94",
            found: text)
        return nil
    }

    private mutating func readDate(_ text: String, _ name: String) -> CivilDate? {
        guard let date = WrittenDate.read(text) else {
            fault(name, expected: "a date, \(WrittenDate.forms)", found: text)
            return nil
        }
        guard date <= today else {
            fault(name, expected: "a date that is not in the future, \(today) at the latest", found: text)
            return nil
        }
        return date
    }
}

extension String {
    /// Without the spaces at both ends.
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Percent-encodes all but unreserved characters.
private func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
        let scalar = Character(UnicodeScalar(byte))
        if scalar.isASCII, scalar.isLetter || scalar.isNumber || "-._~".contains(scalar) {
            encoded.append(scalar)
        } else {
            let digits = String(byte, radix: 16, uppercase: true)
            encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
    }
    return encoded
}

/// Resolves percent encodings, once, and + as a space; nil if one is malformed or the bytes are not UTF-8.
private func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            continue
        }
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
            return nil
        }
        bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
