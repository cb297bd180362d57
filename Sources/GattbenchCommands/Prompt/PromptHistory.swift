import PluginKit
import Workbench

/// The lines of earlier prompts, in `$XDG_STATE_HOME/gattbench/history`, which only its owner can read.
///
/// As in shells, a line that begins with a space is not stored.
struct PromptHistory {
    private let folder: UserFolder
    private(set) var lines: [String]
    /// Whether writing has failed, which is reported once.
    private var isBroken = false

    private static let name = "history"
    /// Maximum number of lines read. If the file has more than twice as many, older ones are removed from it.
    private static let capacity = 500

    /// A history that cannot be read is empty.
    init(environment: [String: String]) {
        folder = .state(environment: environment)
        let bytes = (try? folder.read([Self.name]))?[Self.name]?.bytes ?? []
        let all = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        lines = all.suffix(Self.capacity)
        if all.count > 2 * Self.capacity {
            let kept = lines.map { "\($0)\n" }.joined()
            try? folder.apply([Self.name: .remove])
            try? folder.apply([Self.name: .append(Array(kept.utf8))])
        }
    }

    /// Adds a line, unless it is empty, begins with a space or repeats the previous one. Returns whether it was added.
    mutating func add(_ line: String) -> Bool {
        guard let first = line.first, first != " ", line != lines.last else { return false }
        lines.append(line)
        guard !isBroken else { return true }
        do throws(KeptFileError) {
            try folder.apply([Self.name: .append(Array("\(line)\n".utf8))])
        } catch {
            isBroken = true
            Console.note("the history is not kept: \(error)")
        }
        return true
    }
}
