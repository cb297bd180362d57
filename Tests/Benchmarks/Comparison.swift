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

    /// The jobs of the table.
    static let all = [
        Comparison(
            title: "five fields", ours: ["decode", "-T", "fields"] + fields, theirs: ["-T", "fields"] + fields,
            factor: 40),
        Comparison(title: "JSON", ours: ["decode", "-T", "ndjson"], theirs: ["-T", "json"], factor: 25),
        Comparison(title: "statistics", ours: ["stats"], theirs: ["-q", "-z", "io,phs"], factor: 100),
    ]

    private static let fields = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value"]
        .flatMap { ["-e", $0] }

    /// The most memory that a job may take, in bytes.
    static let memoryLimit = 64 * 1024 * 1024
    /// The most memory that `check` may take, in bytes, and the most time, in times of what `stats` takes.
    static let checkMemoryLimit = 96 * 1024 * 1024
    static let checkLimit = 2.0
    /// The longest that `--version` may take, in seconds.
    static let startLimit = 0.020
    /// Packets of a small capture, and the longest that decoding it with all plugins may take, in seconds.
    static let smallCapture = 100
    static let smallLimit = 0.020
}
