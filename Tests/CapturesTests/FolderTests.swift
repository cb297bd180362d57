import Captures
import PDUTestKit
import Testing

struct FolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func allFoldersOfAPathAreMade() throws {
        let path = folder.path("one/two/three")
        try Folder.makeAll(path)
        try Folder.makeAll(path)
        #expect(Folder.isFolder(path))
        try folder.file("file", [])
        for name in ["file", "file/below"] {
            #expect(throws: SystemError.self) { try Folder.makeAll(folder.path(name)) }
        }
    }

    /// The target of a symbolic link must not be removed.
    @Test func aFolderIsRemovedWithItsLinksAndWithoutWhatTheyLeadTo() throws {
        try Folder.makeAll(folder.path("kept"))
        try Folder.makeAll(folder.path("gone/below"))
        try Folder.link(folder.path("gone/link"), to: folder.path("kept"))
        #expect(Folder.linkTarget(of: folder.path("gone/link")) == folder.path("kept"))
        try Folder.remove(folder.path("gone"))
        #expect(Folder.entries(of: folder.path("")) == ["kept"])
        #expect(throws: SystemError.self) { try Folder.remove(folder.path("gone")) }
    }

    @Test func whatIsNoLinkLeadsNowhere() {
        #expect(Folder.linkTarget(of: folder.path("")) == nil)
        #expect(Folder.linkTarget(of: folder.path("missing")) == nil)
    }
}
