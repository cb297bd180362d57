import Glibc

/// Folders of the operating system.
package enum Folder {
    /// Names of what is in a folder, in alphabetical order; none where there is no such folder.
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

    /// Entries that are looked at.
    private static let limit = 10_000

    /// Whether something is at `path`.
    package static func exists(_ path: String) -> Bool { FileDescriptor.identity(of: path) != nil }

    /// Whether a folder is at `path`.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder in one that is there.
    package static func make(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, 0o777) == 0 else { throw SystemError.last }
    }

    /// Makes a folder and those above it, as far as they are missing; with `isPrivate`, for their user alone.
    package static func makeAll(_ path: String, isPrivate: Bool = false) throws(SystemError) {
        if path.isEmpty || isFolder(path) { return }
        if let slash = path.lastIndex(of: "/") { try makeAll(String(path[..<slash]), isPrivate: isPrivate) }
        if unsafe mkdir(path, isPrivate ? 0o700 : 0o777) == 0 { return }
        let error = SystemError.last
        // Another program may have made it meanwhile.
        if !isFolder(path) { throw error }
    }

    /// Removes a file, or a folder with the files in it.
    package static func remove(_ path: String) throws(SystemError) {
        if linkTarget(of: path) == nil, isFolder(path) {
            for name in entries(of: path) { try remove("\(path)/\(name)") }
            guard unsafe rmdir(path) == 0 else { throw SystemError.last }
        } else {
            guard unsafe unlink(path) == 0 else { throw SystemError.last }
        }
    }

    /// Makes a symbolic link.
    package static func link(_ path: String, to target: String) throws(SystemError) {
        guard unsafe symlink(target, path) == 0 else { throw SystemError.last }
    }

    /// Where a symbolic link leads; nil where there is none.
    package static func linkTarget(of path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
