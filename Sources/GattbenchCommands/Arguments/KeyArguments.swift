import ArgumentParser
import Glibc
import Keys
import Transports
import Workbench

/// Options of every command that opens encrypted packets: the keys.
struct KeyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keys of encrypted packets: a list of KIND:HEX[@ADDRESS], or a file or log of a host that has keys; - is standard input; may be repeated. The variable GATTBENCH_KEYS names one more.",
            valueName: "file"))
    var keys: [String] = []

    @Option(
        help: ArgumentHelp(
            "A key for tests, KIND:HEX[@ADDRESS]; may be repeated. Lists of processes and the shell's history show it.",
            valueName: "key"))
    var key: [String] = []

    @Flag(help: "Try all passkeys of legacy pairings in the capture.")
    var crack = false

    func validate() throws {
        // Keys may be found in the capture, too.
        CoreDumps.forbid()
        for text in key { _ = try Self.parse(text) }
        guard !keys.contains(where: { KeySpec.isLikely($0) }) else {
            throw ValidationError(
                "--keys: expected a file; a key itself goes with --key, or on standard input with --keys -")
        }
        if keys.count(where: { $0 == "-" }) > 1 { throw ValidationError("only one --keys can be standard input") }
    }

    /// Throws if standard input has both keys and one of the inputs.
    func refuse(sharing inputs: [String?]) throws {
        if keys.contains("-"), inputs.contains("-") {
            throw ValidationError("--keys -: standard input is read as a capture already; name a file")
        }
    }

    /// Input files.
    var files: [String?] { keys + [ProcessEnvironment.variables[Self.variable]] }

    /// The options as they were given, without keys themselves.
    var words: [String] { keys.flatMap { ["--keys", $0] } + (crack ? ["--crack"] : []) }

    /// Whether any were given: without, keys found in a capture open it, and what it writes stays as it is.
    var areGiven: Bool {
        !keys.isEmpty || !key.isEmpty || crack || ProcessEnvironment.variables[Self.variable]?.isEmpty == false
    }

    /// Reads the keys, and prints a warning about each file that other users may read.
    func read() throws -> KeyRing {
        var ring = KeyRing()
        for text in key {
            let spec = try Self.parse(text)
            _ = ring.add(KnownKey(spec.value, address: spec.address, origin: .given))
        }
        func warn(_ text: String) { Console.note("warning: \(text)") }
        for path in keys {
            for key in try KeyFiles.read(path, warn: warn) { _ = ring.add(key) }
        }
        if let path = ProcessEnvironment.variables[Self.variable], !path.isEmpty {
            guard !KeySpec.isLikely(path), path != "-" else {
                throw UsageError("\(Self.variable): expected the path of a file of keys")
            }
            for key in try KeyFiles.read(path, shownAs: Self.variable, warn: warn) { _ = ring.add(key) }
        }
        ring.addReversedCandidates()
        ring.isCracking = crack
        return ring
    }

    /// Reads the keys, then gives up the privileges that opening a capture has needed: root may read files that the
    /// caller of sudo may not, as those of BlueZ. A program that only runs as root, by its set-user-ID bit, reads them
    /// as its caller.
    func readAndDropPrivileges() throws -> KeyRing {
        let keys = getuid() == geteuid() ? try read() : nil
        Privileges.drop()
        return try keys ?? read()
    }

    private static let variable = "GATTBENCH_KEYS"

    /// The error never has the text.
    private static func parse(_ text: String) throws -> KeySpec {
        let spec: KeySpec
        do {
            spec = try KeySpec(text)
        } catch {
            throw ValidationError("--key: \(error)")
        }
        guard !spec.value.isZero else {
            throw ValidationError("--key: \(spec.value.kind.rawValue): all bytes are zero, which opens nothing")
        }
        return spec
    }
}
