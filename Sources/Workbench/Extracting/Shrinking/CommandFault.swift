import Bytes
package import Captures
import Synchronization
import Transports

/// A fault that a command shows: it ends with exit status 0 for a capture that has the fault.
///
/// The command is run without a shell. The path of the capture replaces the word `{}`, or is the last argument.
package final class CommandFault: ShownFault {
    private let words: [String]
    private let format: CaptureFormat
    private let folder: String
    private let candidates = Atomic(0)

    /// Longest run of the command, which does not show the fault if it takes longer.
    private static let timeLimit = Duration.seconds(60)

    /// - Parameter format: the format of the captures that the command gets.
    /// - Returns: nil if the command line has no word, or a quote is not closed.
    package init?(_ text: String, format: CaptureFormat) throws(CaptureError) {
        guard let words = CommandLineWords.split(text) else { return nil }
        self.words = words
        self.format = format
        folder = "\(Folder.temporary)/gattbench-shrink-\(UInt64.random(in: 0 ... .max))"
        do throws(SystemError) {
            try Folder.makeAll(folder, isPrivate: true)
        } catch {
            throw CaptureError(.cannotWrite, file: folder, error.text, advice: error.advice)
        }
    }

    deinit { try? Folder.remove(folder) }

    package var frames: [Int] { [] }

    package func isShown(by packets: StoredPackets) async throws -> Bool {
        let number = candidates.add(1, ordering: .relaxed).newValue
        let path = "\(folder)/candidate-\(number).\(format.fileExtension)"
        try packets.write(to: path, format: format)
        defer { try? Folder.remove(path) }
        let hasPlace = words.dropFirst().contains { $0.contains("{}") }
        let arguments = words.dropFirst().map { $0.replacing("{}", with: path) } + (hasPlace ? [] : [path])
        let process = try ChildProcess(words[0], arguments: arguments, isSilent: true)
        let end = ContinuousClock.now + Self.timeLimit
        var pause = Duration.milliseconds(1)
        while true {
            if let status = process.exitStatus() { return status == 0 }
            if ContinuousClock.now >= end || Task.isCancelled {
                process.kill(force: true)
                return false
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(20))
        }
    }
}
