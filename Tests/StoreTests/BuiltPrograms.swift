import Foundation

/// The programs that were built together with the tests.
enum BuiltPrograms {
    static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    /// Whether `gattbench` is there, and the one beside it that has the store.
    static let areThere = ["gattbench", "gattbench-store"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
    }
}
