import PluginKit

/// A client's progress and failures, derived from its notes.
struct ClientProgress {
    /// Whether it has connected to a device.
    private(set) var hasConnected = false
    /// Failure reasons by procedure; an entry is removed when its procedure succeeds.
    private var failures: [String: String] = [:]
    /// Procedures that failed and cannot succeed in another attempt.
    private var unsupported: Set<String> = []

    mutating func record(_ note: TwinNote) {
        switch note.name {
        case "connected": hasConnected = true
        case "discovered": failures["discovery"] = nil
        case "ready": (failures["introduction"], failures["connection"]) = (nil, nil)
        case "failed": failures["connection"] = note.reason
        case let name where name.hasSuffix("_failed"):
            let procedure = String(name.dropLast(7))
            failures[procedure] = note.reason
            if !note.allowsRetry { unsupported.insert(procedure) }
        case let name: failures[name.hasSuffix("_done") ? String(name.dropLast(5)) : name] = nil
        }
    }

    /// Removes the failures of tasks that a client with a store repeats in a new connection.
    mutating func removeFailures() { failures = failures.filter { unsupported.contains($0.key) } }

    /// The first failed procedure in alphabetical order, with its reason.
    var failure: (procedure: String, reason: String)? {
        failures.min { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func problem(of plugin: String) -> ClientProblem? {
        if let failure { return .failed(procedure: failure.procedure, reason: failure.reason) }
        return hasConnected ? nil : .noDevice(plugin: plugin)
    }
}

extension TwinNote {
    /// The reason given in a failure's note.
    fileprivate var reason: String {
        guard case .text(let reason)? = facts.first?.value else { return "it failed" }
        return reason
    }
}
