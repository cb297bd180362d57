import Foundation
import PDUTestKit
import Profile
import TestKit
import Testing

/// The composite action of this repository, run like GitHub's runner: each step in a separate shell, with the variables
/// and files that the runner's documentation describes. Steps that use other actions are listed, not run.
final class CompositeAction {
    /// The result of a step.
    struct Step {
        var name: String
        /// The action that the step uses, with its arguments; it did not run.
        var used: (action: String, arguments: [String: String])?
        var status: Int32 = 0
        /// Standard output and standard error.
        var output = ""
        var summary = ""
    }

    /// The steps that were not skipped.
    private(set) var steps: [Step] = []
    /// The workplace of the job, `GITHUB_WORKSPACE`.
    let workspace: TemporaryFolder

    private let definition: YAMLNode
    private let runner = try! TemporaryFolder()
    private var inputs: [String: String] = [:]
    private var outputs: [String: [String: String]] = [:]
    private var github: [String: String]
    private var path = ["/usr/bin", "/bin"]

    /// - Parameters:
    ///   - server: The base URL of releases, `GITHUB_SERVER_URL`.
    ///   - reference: The tag of the action, `github.action_ref`.
    init(_ workspace: TemporaryFolder, server: String, reference: String) throws {
        self.workspace = workspace
        let faults = FaultList()
        definition = try #require(YAMLDocument.read(try Repository.text("action.yml"), faults), "\(faults.faults)")
        github = [
            "action_path": Repository.root.path, "action_ref": reference, "action_repository": "gattbench/gattbench",
            "repository": "device/firmware", "server_url": server,
        ]
        for entry in definition["inputs"]?.entries ?? [] {
            inputs[entry.key.text] = entry.value["default"]?.scalar?.text ?? ""
        }
    }

    /// Runs the steps with these inputs; returns whether the job continues.
    func run(with given: [String: String]) throws -> Bool {
        for (name, value) in given {
            try #require(inputs[name] != nil, "action.yml has no input \(name)")
            inputs[name] = value
        }
        var hasFailed = false
        for (index, step) in (definition["runs"]?["steps"]?.elements ?? []).enumerated() {
            let condition = step["if"]?.scalar?.text ?? "success()"
            let isAlways = condition.contains("always()")
            guard !hasFailed || isAlways, Self.isTrue(value(of: condition)) else { continue }
            var result = Step(name: step["name"]?.scalar?.text ?? "step \(index + 1)")
            if let action = step["uses"]?.scalar?.text {
                let arguments = (step["with"]?.entries ?? []).map {
                    ($0.key.text, expanded($0.value.scalar?.text ?? ""))
                }
                result.used = (action, Dictionary(uniqueKeysWithValues: arguments))
            } else {
                try #require(step["shell"]?.scalar?.text == "bash")
                try run(step, "step\(index)", &result)
            }
            hasFailed = hasFailed || result.status != 0
            steps.append(result)
        }
        return !hasFailed
    }

    /// The value of an action output.
    func output(_ name: String) -> String {
        expanded(definition["outputs"]?[name]?["value"]?.scalar?.text ?? "no output \(name)")
    }

    /// The step with a name, unless it was skipped.
    func step(_ name: String) -> Step? { steps.first { $0.name == name } }

    private func run(_ step: YAMLNode, _ name: String, _ result: inout Step) throws {
        let script = try runner.file("\(name).sh", expanded(#require(step["run"]?.scalar?.text)).utf8)
        let files = ["output", "path", "env", "summary"].map { "\(name).\($0)" }
        for file in files { try runner.file(file, "".utf8) }
        let temporary = runner.path("temp")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        var environment = [
            "CI": "true", "GITHUB_ACTIONS": "true", "HOME": runner.path, "PATH": path.joined(separator: ":"),
            "GITHUB_ACTION_PATH": github["action_path"]!, "GITHUB_REPOSITORY": github["repository"]!,
            "GITHUB_SERVER_URL": github["server_url"]!, "GITHUB_WORKSPACE": workspace.path, "RUNNER_ARCH": "X64",
            "RUNNER_OS": "Linux", "RUNNER_TEMP": temporary,
            "GITHUB_OUTPUT": runner.path(files[0]), "GITHUB_PATH": runner.path(files[1]),
            "GITHUB_ENV": runner.path(files[2]), "GITHUB_STEP_SUMMARY": runner.path(files[3]),
        ]
        for entry in step["env"]?.entries ?? [] {
            environment[entry.key.text] = expanded(entry.value.scalar?.text ?? "")
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["--noprofile", "--norc", "-eo", "pipefail", script]
        process.currentDirectoryURL = URL(filePath: workspace.path)
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        result.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        result.status = process.terminationStatus
        result.summary = try runner.text(files[3])
        path = try runner.text(files[1]).split(separator: "\n").map { String($0) }.reversed() + path
        if let id = step["id"]?.scalar?.text {
            outputs[id] = Dictionary(
                uniqueKeysWithValues: try runner.text(files[0]).split(separator: "\n").map { line in
                    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts[1]))
                })
        }
    }
}

// MARK: - Expressions

extension CompositeAction {
    /// A text with its expressions evaluated.
    private func expanded(_ text: String) -> String {
        text.replacing(#/\$\{\{(.*?)\}\}/#) { value(of: String($0.1)) }
    }

    private static func isTrue(_ value: String) -> Bool { !["", "false"].contains(value) }

    /// The value of an expression of contexts, texts and functions, with comparisons and logical operators.
    private func value(of expression: String) -> String {
        func parts(_ separator: String) -> [String]? {
            let parts = expression.components(separatedBy: separator)
            return parts.count > 1 ? parts : nil
        }
        if let parts = parts("||") { return parts.map(value).first(where: Self.isTrue) ?? "" }
        if let parts = parts("&&") {
            return parts.map(value).first { !Self.isTrue($0) } ?? value(of: parts[parts.count - 1])
        }
        if let parts = parts("==") { return value(of: parts[0]) == value(of: parts[1]) ? "true" : "false" }
        let word = expression.trimmingCharacters(in: .whitespaces)
        if word.hasPrefix("'") { return String(word.dropFirst().dropLast()) }
        let names = word.components(separatedBy: ".")
        switch (names[0], names.count) {
        case ("always()", 1), ("success()", 1): return "true"
        case ("inputs", 2): return inputs[names[1]] ?? ""
        case ("github", 2): return github[names[1]] ?? ""
        case ("steps", 4): return outputs[names[1]]?[names[3]] ?? ""
        default:
            Issue.record("the runner of this test does not know \(word)")
            return ""
        }
    }
}

extension YAMLNode {
    /// The value of a key; nil without one.
    subscript(key: String) -> YAMLNode? { entries.first { $0.key.text == key }?.value }

    var elements: [YAMLNode] {
        if case .list(let elements) = content { elements } else { [] }
    }

    var entries: [Entry] {
        if case .mapping(let entries) = content { entries } else { [] }
    }
}
