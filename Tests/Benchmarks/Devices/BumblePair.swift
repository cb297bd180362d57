import Foundation
import TestKit

/// Two Bumble devices in one Python process, for comparison.
struct BumblePair: Decodable {
    /// Seconds from the wish to connect until all is discovered.
    var connecting: Double
    /// Values a second that are read one after the other.
    var reads: Double
    /// Notifications a second.
    var notifications: Double

    /// Nil where no Python here has Bumble.
    static func measured() -> Self? {
        let script = Repository.path("Tests/Benchmarks/Devices/bumble_speed.py")
        for python in [Repository.path(".build/python/bin/python3"), "python3"] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [python, script]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { continue }
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            if let pair = try? JSONDecoder().decode(Self.self, from: text) { return pair }
        }
        return nil
    }
}
