import Captures

/// Folders of profiles that the program makes.
package enum ProfileFolder {
    /// Writes a profile into a folder, which is made where there is none; never over a file that is there. Gives the
    /// file's path.
    package static func write(_ profile: String, to folder: String) throws(FileError) -> String {
        let path = "\(folder)/profile.yaml"
        do {
            if !Folder.isFolder(folder) { try Folder.make(folder) }
            try FileDescriptor.creating(path).write(Array(profile.utf8))
        } catch {
            if Folder.exists(path) {
                throw FileError(file: path, "exists already; choose another folder with -o")
            }
            throw FileError(file: folder, error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)")
        }
        return path
    }
}
