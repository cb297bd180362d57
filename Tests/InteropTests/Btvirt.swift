import Foundation
import PDUTestKit
import TestKit

/// btvirt, BlueZ's virtual controllers, with its sockets in a separate folder: btvirt always creates them in /tmp,
/// which a mount namespace replaces. On a kernel without AF_ALG sockets it needs a substitute library, compiled from a
/// source file next to the repository.
final class Btvirt {
    /// Why btvirt cannot run here; nil if it can.
    static let whyNot: String? = {
        if !FileManager.default.isExecutableFile(atPath: program) {
            return "btvirt is missing: apt-get install bluez-test-tools"
        }
        if !FileManager.default.fileExists(atPath: shim.path) {
            return "\(shim.lastPathComponent) is not beside the project"
        }
        do {
            let trial = try Btvirt()
            trial.end()
            return nil
        } catch {
            return "btvirt does not run here: \(error)"
        }
    }()

    private static let program = "/usr/bin/btvirt"
    private static let shim = Repository.shared.appending(path: "tools/btvirt_afalg_shim.c")

    /// Why btvirt did not start.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    private let folder: TemporaryFolder
    private let process = Process()

    /// The socket of the LE controllers; each connection to it is one controller.
    var socket: String { folder.path("bt-server-le") }

    init() throws {
        folder = try TemporaryFolder()
        let library = folder.path("afalg.so")
        let compiler = try Process.run(
            URL(filePath: "/usr/bin/env"),
            arguments: ["clang", "-shared", "-fPIC", "-O1", "-o", library, Self.shim.path, "-ldl"])
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw Fault(description: "clang cannot compile \(Self.shim.path)")
        }
        // A mount namespace replaces /tmp with the folder.
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = [
            "--map-root-user", "--mount", "sh", "-c",
            "mount --bind '\(folder.path)' /tmp && LD_PRELOAD=/tmp/afalg.so exec \(Self.program) -s",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let end = Date(timeIntervalSinceNow: 10)
        while !FileManager.default.fileExists(atPath: socket) {
            guard process.isRunning, end > Date() else {
                self.end()
                throw Fault(description: "its sockets do not appear; it needs namespaces of users and mounts")
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    func end() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
