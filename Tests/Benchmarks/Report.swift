import Glibc

/// The table of a benchmark run, with the machine's description.
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

    /// Adds a job's cost, and its packets per second next to tshark's.
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

    /// Adds a job's peak memory.
    mutating func add(_ job: Comparison, packets: Int, _ cost: Child.Cost) {
        limitRows.append(
            Self.row([
                "peak memory, \(job.title), \(Self.thousands(Double(packets))) packets",
                Self.decimal(Double(cost.memory) / 1_048_576, 1) + " MB", "< \(job.memoryLimit >> 20) MB",
                Self.verdict(cost.memory < job.memoryLimit),
            ]))
    }

    /// Adds the ratio of the time of `check` to the time of `stats`.
    mutating func addCheck(_ cost: Child.Cost, statistics: Child.Cost) {
        let ratio = cost.seconds / statistics.seconds
        limitRows.append(
            Self.row([
                "`gattbench check`, \(Self.decimal(cost.seconds, 2)) s, to `stats`", Self.decimal(ratio, 1) + " ×",
                "< \(Self.decimal(Comparison.checkLimit, 1)) ×", Self.verdict(ratio < Comparison.checkLimit),
            ]))
    }

    /// Adds the program's start-up time.
    mutating func addStart(_ cost: Child.Cost) {
        limitRows.append(
            Self.row([
                "`gattbench --version`", Self.decimal(cost.seconds * 1000, 1) + " ms",
                "< \(Int(Comparison.startLimit * 1000)) ms", Self.verdict(cost.seconds < Comparison.startLimit),
            ]))
    }

    /// Adds the time for a small capture, most of which is spent reading the plugins.
    mutating func addSmall(_ cost: Child.Cost) {
        limitRows.append(
            Self.row([
                "`gattbench decode`, \(Comparison.smallCapture) packets", Self.decimal(cost.seconds * 1000, 1) + " ms",
                "< \(Int(Comparison.smallLimit * 1000)) ms", Self.verdict(cost.seconds < Comparison.smallLimit),
            ]))
    }

    /// Adds the ratio of decoding times with and without plugins, for unknown devices.
    mutating func addStrangers(_ measured: Strangers.Result) {
        limitRows.append(
            Self.row([
                "traffic that none of \(measured.plugins) plugins matches, to the same without plugins",
                Self.decimal(measured.ratio, 2) + " ×", "< \(Self.decimal(Strangers.limit, 1)) ×",
                Self.verdict(measured.ratio < Strangers.limit),
            ]))
    }

    /// Adds the delay that the proxy adds to packets.
    mutating func addProxy(_ measured: ProxyDelay.Result) {
        for (title, time) in [("median", measured.added.median), ("99 of 100 packets", measured.added.slow)] {
            limitRows.append(
                Self.row([
                    "what `gattbench proxy` adds to a packet's way, \(title)", "\(Int(time.rounded())) µs",
                    "< \(Int(ProxyDelay.limit)) µs", Self.verdict(time < ProxyDelay.limit),
                ]))
        }
    }

    /// Adds the time to decode a value of a device.
    mutating func addValue(_ measured: ValueReading.Result) {
        limitRows.append(
            Self.row([
                "Current State with fields named", "\(Int(measured.recorded.rounded())) ns",
                "< \(Int(ValueReading.limit)) ns", Self.verdict(measured.recorded < ValueReading.limit),
            ]))
    }

    /// Adds a measurement of virtual devices.
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

// MARK: - Formatting

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

    /// A whole number with a thousands separator.
    private static func thousands(_ value: Double) -> String {
        let digits = Array(String(Int(value.rounded())))
        return digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
        }.joined()
    }

    /// Processor, cores and memory.
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

/// One job for both programs.
struct Comparison {
    /// Title in the table.
    var title: String
    /// Arguments of gattbench before the file.
    var ours: [String]
    /// Arguments of tshark before the file.
    var theirs: [String]
    /// The required ratio to tshark's packets per second.
    var factor: Double
    /// Limit of the peak memory, in bytes.
    var memoryLimit = 64 * 1024 * 1024

    /// The jobs of the table for which tshark's time per packet is constant.
    static let all = [
        Comparison(
            title: "five fields", ours: ["decode", "-T", "fields"] + fields, theirs: ["-T", "fields"] + fields,
            factor: 40),
        Comparison(title: "JSON", ours: ["decode", "-T", "ndjson"], theirs: ["-T", "json"], factor: 25),
        Comparison(title: "statistics", ours: ["stats"], theirs: ["-q", "-z", "io,phs"], factor: 100),
    ]

    /// Checks all rules, against tshark's expert information on single packets, whose time per packet grows with the
    /// capture.
    static let check = Comparison(
        title: "check", ours: ["check"], theirs: ["-q", "-z", "expert"], factor: 8, memoryLimit: 96 * 1024 * 1024)

    private static let fields = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value"]
        .flatMap { ["-e", $0] }

    /// The longest permitted time of `check`, as a multiple of the time of `stats`.
    static let checkLimit = 2.0
    /// The longest permitted time of `--version`, in seconds.
    static let startLimit = 0.020
    /// Packets of a small capture, and the longest permitted time to decode it with all plugins, in seconds.
    static let smallCapture = 100
    static let smallLimit = 0.020
}
