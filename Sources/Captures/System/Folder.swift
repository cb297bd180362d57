import Glibc

/// Folders of the operating system.
public enum Folder {
    /// Names of what is in a folder, in alphabetical order; none where there is no such folder.
    public static func entries(of path: String) -> [String] {
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
    public static func exists(_ path: String) -> Bool { FileDescriptor.identity(of: path) != nil }

    /// Whether a folder is at `path`.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes a folder in one that is there.
    public static func make(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, 0o777) == 0 else { throw SystemError.last }
    }
}
