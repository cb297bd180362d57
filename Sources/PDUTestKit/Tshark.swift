import Foundation

package enum Tshark {
    package static let path = ["/usr/bin/tshark", "/usr/local/bin/tshark"]
        .first(where: FileManager.default.isExecutableFile)

    package static let editcap = ["/usr/bin/editcap", "/usr/local/bin/editcap"]
        .first(where: FileManager.default.isExecutableFile)

    /// Copies a capture with packets truncated to `length` bytes; false if editcap cannot copy it.
    package static func cut(_ capture: String, to length: Int, at copy: String) throws -> Bool {
        guard let editcap else { throw CocoaError(.fileNoSuchFile) }
        let process = try Process.run(URL(filePath: editcap), arguments: ["-s", "\(length)", capture, copy])
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// The output of tshark, as rows of columns.
    package static func run(_ arguments: [String]) throws -> [[String]] {
        guard let path else { throw CocoaError(.fileNoSuchFile) }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return rows(String(decoding: data, as: UTF8.self))
    }

    /// The fields of every frame of a capture, read in two passes without name resolution.
    package static func fields(_ names: [String], of capture: String) throws -> [[String]] {
        try run(["-n", "-2", "-r", capture, "-T", "fields"] + names.flatMap { ["-e", $0] })
    }

    /// The names of all fields: `tshark -G fields`.
    package static func fieldNames() throws -> Set<String> {
        Set(try run(["-G", "fields"]).filter { $0.first == "F" && $0.count > 2 }.map { $0[2] })
    }

    /// The lines of a text, each split into columns.
    package static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }
}
