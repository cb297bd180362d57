/// What unpacking may use. An archive that reaches a limit is damaged or hostile: no log of a phone comes near one.
package struct ArchiveLimits: Sendable, Hashable {
    /// Members of an archive and of the archives in it.
    package var members = 10_000
    /// Unpacked bytes of an archive and of the archives in it.
    package var unpacked = 4 << 30
    /// Memory for decompression beside what the process has: a dictionary of 64 MB and its tables.
    package var memory = 96 << 20
    /// Bytes in temporary files at any time.
    package var disk = 256 << 20
    /// Archives within archives.
    package var depth = 4

    package init() {}
}
