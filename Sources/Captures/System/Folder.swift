import Glibc

package enum Folder {
    /// Names of the entries of a folder in alphabetical order; empty if the folder does not exist.
    package static func entries(of path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Maximum number of entries read.
    private static let limit = 10_000

    /// The folder for temporary files.
    package static var temporary: String {
        guard let path = unsafe getenv("TMPDIR") else { return "/tmp" }
        return unsafe String(cString: path)
    }

    package static func exists(_ path: String) -> Bool { FileDescriptor.identity(of: path) != nil }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates a folder; its parent must exist.
    package static func make(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, 0o777) == 0 else { throw SystemError.last }
    }

    /// Creates a folder and its missing parents; with `isPrivate`, with access for their user only.
    package static func makeAll(_ path: String, isPrivate: Bool = false) throws(SystemError) {
        if path.isEmpty || isFolder(path) { return }
        if let slash = path.lastIndex(of: "/") { try makeAll(String(path[..<slash]), isPrivate: isPrivate) }
        if unsafe mkdir(path, isPrivate ? 0o700 : 0o777) == 0 { return }
        let error = SystemError.last
        // Another process may have created it in the meantime.
        if !isFolder(path) { throw error }
    }

    /// Removes a file, or a folder and its files.
    package static func remove(_ path: String) throws(SystemError) {
        if linkTarget(of: path) == nil, isFolder(path) {
            for name in entries(of: path) { try remove("\(path)/\(name)") }
            guard unsafe rmdir(path) == 0 else { throw SystemError.last }
        } else {
            guard unsafe unlink(path) == 0 else { throw SystemError.last }
        }
    }

    package static func link(_ path: String, to target: String) throws(SystemError) {
        guard unsafe symlink(target, path) == 0 else { throw SystemError.last }
    }

    /// The target of a symbolic link; nil if `path` is not one.
    package static func linkTarget(of path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
