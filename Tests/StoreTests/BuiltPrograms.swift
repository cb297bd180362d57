import Foundation

/// The programs that were built together with the tests.
enum BuiltPrograms {
    static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
    static let areThere = FileManager.default.isExecutableFile(atPath: "\(folder)/gattbench")
}
