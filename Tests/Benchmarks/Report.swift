import Glibc

/// The table of a run, with the machine that it ran on.
struct Report {
    private let packets: Int
    private let tshark: String?
    private var speedRows: [String] = []
    private var limitRows: [String] = []
    private var deviceRows: [String] = []

    init(packets: Int, tshark: String?) {
        self.packets = packets
        self.tshark = tshark
    }

    /// Adds what a job took, and its packets per second beside tshark's.
    mutating func add(_ job: Comparison, ours: Child.Cost, rate: Double, tsharkRate: Double?) {
        var cells = [job.title, Self.decimal(ours.seconds, 2) + " s", Self.thousands(rate)]
        if let tsharkRate {
            let ratio = rate / tsharkRate
            cells += [Self.thousands(tsharkRate), Self.decimal(ratio, 1) + " ×", "≥ \(Int(job.factor)) ×"]
            cells.append(Self.verdict(ratio >= job.factor))
        } else {
            cells += ["not measured", "", "≥ \(Int(job.factor)) ×", ""]
        }
        speedRows.append(Self.row(cells))
        add(job, packets: packets, ours)
    }

    /// Adds the memory that a job took.
    mutating func add(_ job: Comparison, packets: Int, _ cost: Child.Cost) {
        limitRows.append(
            Self.row([
                "peak memory, \(job.title), \(Self.thousands(Double(packets))) packets",
                Self.decimal(Double(cost.memory) / 1_048_576, 1) + " MB", "< \(job.memoryLimit >> 20) MB",
                Self.verdict(cost.memory < job.memoryLimit),
            ]))
    }

    /// Adds how many times as long checking took as counting.
    mutating func addCheck(_ cost: Child.Cost, statistics: Child.Cost) {
        let ratio = cost.seconds / statistics.seconds
        limitRows.append(
            Self.row([
                "`gattbench check`, \(Self.decimal(cost.seconds, 2)) s, to `stats`", Self.decimal(ratio, 1) + " ×",
                "< \(Self.decimal(Comparison.checkLimit, 1)) ×", Self.verdict(ratio < Comparison.checkLimit),
            ]))
    }

    /// Adds the time that the program needs to start.
    mutating func addStart(_ cost: Child.Cost) {
        limitRows.append(
            Self.row([
                "`gattbench --version`", Self.decimal(cost.seconds * 1000, 1) + " ms",
                "< \(Int(Comparison.startLimit * 1000)) ms", Self.verdict(cost.seconds < Comparison.startLimit),
            ]))
    }

    /// Adds the time that a small capture takes, most of which is the reading of the plugins.
    mutating func addSmall(_ cost: Child.Cost) {
        limitRows.append(
            Self.row([
                "`gattbench decode`, \(Comparison.smallCapture) packets", Self.decimal(cost.seconds * 1000, 1) + " ms",
                "< \(Int(Comparison.smallLimit * 1000)) ms", Self.verdict(cost.seconds < Comparison.smallLimit),
            ]))
    }

    /// Adds how many times as long the traffic of unknown devices takes with plugins.
    mutating func addStrangers(_ measured: Strangers.Result) {
        limitRows.append(
            Self.row([
                "traffic that none of \(measured.plugins) plugins matches, to the same without plugins",
                Self.decimal(measured.ratio, 2) + " ×", "< \(Self.decimal(Strangers.limit, 1)) ×",
                Self.verdict(measured.ratio < Strangers.limit),
            ]))
    }

    /// Adds how much later packets come that go through the proxy.
    mutating func addProxy(_ measured: ProxyDelay.Result) {
        for (title, time) in [("median", measured.added.median), ("99 of 100 packets", measured.added.slow)] {
            limitRows.append(
                Self.row([
                    "what `gattbench proxy` adds to a packet's way, \(title)", "\(Int(time.rounded())) µs",
                    "< \(Int(ProxyDelay.limit)) µs", Self.verdict(time < ProxyDelay.limit),
                ]))
        }
    }

    /// Adds the time that a value of a device takes.
    mutating func addValue(_ measured: ValueReading.Result) {
        limitRows.append(
            Self.row([
                "Current State with fields named", "\(Int(measured.recorded.rounded())) ns",
                "< \(Int(ValueReading.limit)) ns", Self.verdict(measured.recorded < ValueReading.limit),
            ]))
    }

    /// Adds what virtual devices were measured to do.
    mutating func add(_ row: VirtualDevices.Row) {
        deviceRows.append(Self.line(row))
    }

    /// A row of the table of virtual devices.
    static func line(_ row: VirtualDevices.Row) -> String {
        func amount(_ value: Double) -> String {
            (value < 100 ? decimal(value, 1) : thousands(value)) + " " + row.unit
        }
        let target = (row.isRate ? "≥ " : "< ") + amount(row.limit)
        return Self.row([
            row.title, amount(row.measured), row.bumbles.map(amount) ?? "", target, verdict(row.holds),
        ])
    }

    var markdown: String {
        var lines = [
            Self.machine, "",
            Self.row(["job", "time", "packets/s", "tshark packets/s", "ratio", "target", "holds"]),
            "|---|--:|--:|--:|--:|--:|---|",
        ]
        lines += speedRows
        lines += ["", Self.row(["limit", "measured", "target", "holds"]), "|---|--:|--:|---|"]
        lines += limitRows
        lines += [
            "", Self.row(["virtual devices", "measured", "Bumble's pair", "target", "holds"]), "|---|--:|--:|--:|---|",
        ]
        lines += deviceRows
        return lines.joined(separator: "\n")
    }
}

// MARK: - Words and numbers

extension Report {
    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private static func verdict(_ holds: Bool) -> String { holds ? "yes" : "**no**" }

    private static func decimal(_ value: Double, _ places: Int) -> String {
        let scale = pow(10, Double(places))
        let rounded = Int((value * scale).rounded())
        guard places > 0 else { return "\(rounded)" }
        let fraction = String(rounded % Int(scale))
        return "\(rounded / Int(scale))." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    /// A whole number with its digits in groups of three.
    private static func thousands(_ value: Double) -> String {
        let digits = Array(String(Int(value.rounded())))
        return digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
        }.joined()
    }

    /// The processor and how much of it there is.
    private static var machine: String {
        let cores = sysconf(CInt(_SC_NPROCESSORS_ONLN))
        let memory = (sysconf(CInt(_SC_PHYS_PAGES)) * sysconf(CInt(_SC_PAGESIZE))) >> 30
        return "\(processor), \(cores) \(cores == 1 ? "core" : "cores"), \(memory) GB"
    }

    private static var processor: String {
        guard let file = unsafe fopen("/proc/cpuinfo", "r") else { return "unknown processor" }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        while unsafe fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("model name"), let colon = text.firstIndex(of: ":") else { continue }
            return String(text[text.index(after: colon)...].drop { $0.isWhitespace }.prefix { $0 != "\n" })
        }
        return "unknown processor"
    }
}

/// One job that both programs do.
struct Comparison {
    /// How it is called in the table.
    var title: String
    /// Arguments of gattbench before the file.
    var ours: [String]
    /// Arguments of tshark before the file.
    var theirs: [String]
    /// How many times tshark's packets per second are wanted.
    var factor: Double
    /// The most memory that it may take, in bytes.
    var memoryLimit = 64 * 1024 * 1024

    /// The jobs of the table that take tshark as long for each packet, however many there are.
    static let all = [
        Comparison(
            title: "five fields", ours: ["decode", "-T", "fields"] + fields, theirs: ["-T", "fields"] + fields,
            factor: 40),
        Comparison(title: "JSON", ours: ["decode", "-T", "ndjson"], theirs: ["-T", "json"], factor: 25),
        Comparison(title: "statistics", ours: ["stats"], theirs: ["-q", "-z", "io,phs"], factor: 100),
    ]

    /// Judging by all rules, beside what tshark says of single packets: it takes the longer for each, the more there are.
    static let check = Comparison(
        title: "check", ours: ["check"], theirs: ["-q", "-z", "expert"], factor: 8, memoryLimit: 96 * 1024 * 1024)

    private static let fields = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value"]
        .flatMap { ["-e", $0] }

    /// The most time that `check` may take, in times of what `stats` takes.
    static let checkLimit = 2.0
    /// The longest that `--version` may take, in seconds.
    static let startLimit = 0.020
    /// Packets of a small capture, and the longest that decoding it with all plugins may take, in seconds.
    static let smallCapture = 100
    static let smallLimit = 0.020
}
