import CFuzzer
import FuzzTargets
import Glibc
import Synchronization

/// Runs a fuzz target under libFuzzer.
///
///     gattbench-fuzz list                                  the names of the targets
///     gattbench-fuzz seed FOLDER CAPTURE…                  write each target's first inputs to FOLDER/<target>
///     gattbench-fuzz TARGET [LIBFUZZER-OPTION | FOLDER | FILE]…
@main
struct Driver {
    static func main() {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "list": for target in FuzzTarget.all { print(target.name) }
        case "seed" where arguments.count > 2: seed(arguments[2], captures: Array(arguments[3...]))
        case let name?:
            guard let index = FuzzTarget.all.firstIndex(where: { $0.name == name }) else {
                say("there is no target \(name); see gattbench-fuzz list")
                exit(2)
            }
            exit(fuzz(index, options: [arguments[0]] + arguments[2...]))
        case nil:
            say("usage: gattbench-fuzz list | seed FOLDER CAPTURE… | TARGET [LIBFUZZER-OPTION]…")
            exit(2)
        }
    }

    private static func fuzz(_ index: Int, options: [String]) -> CInt {
        chosen.store(index, ordering: .relaxed)
        var count = CInt(options.count)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe options.map { unsafe strdup($0) } + [nil]
        return unsafe words.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe LLVMFuzzerRunDriver(&count, &start) { bytes, count in
                let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
                if let fault = FuzzTarget.all[chosen.load(ordering: .relaxed)].fault(input) {
                    say("FAULT: \(fault)")
                    abort()
                }
                return 0
            }
        }
    }

    /// Writes the initial inputs of all targets.
    private static func seed(_ folder: String, captures paths: [String]) {
        let captures = paths.compactMap { read($0) }.map { Array($0.prefix(24 * 1024)) }
        unsafe mkdir(folder, 0o777)
        for target in FuzzTarget.all {
            unsafe mkdir("\(folder)/\(target.name)", 0o777)
            for (number, input) in target.seeds(captures).enumerated() {
                write(input, to: "\(folder)/\(target.name)/seed-\(number)")
            }
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = unsafe fopen(path, "rb") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        guard let file = unsafe fopen(path, "wb") else { return say("\(path) cannot be written") }
        defer { unsafe fclose(file) }
        unsafe fwrite(bytes, 1, bytes.count, file)
    }
}

/// Index of the running target.
private let chosen = Atomic(0)

private func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    unsafe line.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count) }
}
