import Archives
import Bytes
import Captures
import PDUTestKit

extension FuzzTarget {
    /// An archive, nested or not, as a user names it: the captures in it within small limits, and those of a rotation.
    static let archive = FuzzTarget("archive") { _ in
        ArchiveSeeds.all
    } fault: { bytes in
        guard let copy = try? FileDescriptor.unnamed(in: Folder.temporary), (try? copy.write(bytes)) != nil else {
            return nil
        }
        var options = CaptureFile.Options()
        options.opensRotation = true
        (options.limits.members, options.limits.unpacked, options.limits.disk) = (50, 4 << 20, 2 << 20)
        do throws(CaptureError) {
            return fault(of: try CaptureFile(copy.pathInProcess, options), options.limits)
        } catch {
            return error.finding.text.isEmpty ? "a file is refused without a reason" : nil
        }
    }

    private static func fault(of file: CaptureFile, _ limits: ArchiveLimits) -> String? {
        guard let search = file.search else { return nil }
        let names = search.found.map(\.summary) + search.warnings.map(\.description)
        if let name = names.first(where: { $0.unicodeScalars.contains { $0.value < 32 } }) {
            return "a name is not escaped: \(name)"
        }
        if search.members > limits.members + 1 { return "\(search.members) members were searched" }
        let opened = search.found.indices.filter { search.isOpened($0) }
        let size = opened.reduce(0) { $0 + search.found[$1].size }
        if size > limits.disk + (1 << 20) { return "\(size) bytes in temporary files" }
        if opened.count != 1 + file.rotation.count { return "\(opened.count) captures are opened, others are read" }
        let reading = Reading { () throws(CaptureError) in try file.reader() }
        if let fault = reading.fault { return fault }
        if !reading.isPartial, let chosen = search.chosen, search.found[chosen].packets != reading.packets.count {
            return "\(search.found[chosen].packets) packets found, \(reading.packets.count) read"
        }
        for source in file.rotation {
            let reading = Reading { () throws(CaptureError) in try CaptureReader(source: source) }
            if let fault = reading.fault { return "a log of the rotation: \(fault)" }
        }
        return nil
    }
}

/// Small archives of each kind, alone and in each other.
private enum ArchiveSeeds {
    static var all: [[UInt8]] {
        let rotation = [("log/x.log", log(2, from: 100)), ("log/x.log.1", log(3))]
        let section = Array("--- BEGIN:BTSNOOP_LOG_SUMMARY\nAgA=\n--- END:BTSNOOP_LOG_SUMMARY ---\n".utf8)
        let inner = CaptureBuilder.gzip(tar([("x.log", log(1))]))
        return [
            tar(rotation), zip(rotation), CaptureBuilder.gzip(tar(rotation)), sevenZip, xz,
            tar([("bugreport.txt", section), ("x.log.gz", CaptureBuilder.gzip(log(1)))]),
            zip([("bugreport.zip", zip([("a.tar.gz", inner)])), ("a.7z", sevenZip), ("x.xz", xz)]),
        ]
    }

    /// A btsnoop file with this many HCI Resets, one a second.
    private static func log(_ packets: Int64, from second: Int64 = 0) -> [UInt8] {
        CaptureBuilder.btsnoop(
            1002,
            (0..<packets).map {
                CaptureBuilder.btsnoopRecord(
                    CaptureBuilder.reset, flags: 2, time: CaptureBuilder.time + (second + $0) * 1_000_000)
            })
    }

    /// A tar file (POSIX.1, ustar).
    private static func tar(_ members: [(name: String, content: [UInt8])]) -> [UInt8] {
        let blocks = members.flatMap { name, content in
            header(name, content.count) + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
        }
        return blocks + [UInt8](repeating: 0, count: 1024)
    }

    private static func header(_ name: String, _ size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
        }
        func octal(_ value: Int, digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: digits - text.count) + text
        }
        put(name, at: 0)
        for offset in [100, 108, 116] { put("0000644", at: offset) }
        put(octal(size, digits: 11), at: 124)
        put(octal(0, digits: 11), at: 136)
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\0", at: 148)
        return header
    }

    /// A zip file whose members are stored.
    private static func zip(_ members: [(name: String, content: [UInt8])]) -> [UInt8] {
        var (file, directory): ([UInt8], [UInt8]) = ([], [])
        for (name, content) in members {
            let size = CaptureBuilder.integer(UInt32(content.count), .littleEndian)
            let common =
                hex("0a00 0000 0000 0000 2150") + CaptureBuilder.integer(CaptureBuilder.crc32(content), .littleEndian)
                + size + size + CaptureBuilder.integer(UInt16(name.utf8.count), .littleEndian) + [0, 0]
            directory += hex("504b0102 0a00") + common + [UInt8](repeating: 0, count: 10)
            directory += CaptureBuilder.integer(UInt32(file.count), .littleEndian) + name.utf8
            file += hex("504b0304") + common + name.utf8 + content
        }
        let count = CaptureBuilder.integer(UInt16(members.count), .littleEndian)
        return file + directory + hex("504b0506 0000 0000") + count + count
            + CaptureBuilder.integer(UInt32(directory.count), .littleEndian)
            + CaptureBuilder.integer(UInt32(file.count), .littleEndian) + [0, 0]
    }

    /// A log with one packet as `7z a -m0=Copy -mtm=off` packs it.
    private static let sevenZip = hex(
        """
        377abcaf271c0004 2802cb15 2c00000000000000 3600000000000000 6a0b19c5
        6274736e6f6f7000 00000001000003ea 0000000400000004 0000000200000000 00e2d0fd13efd27c 01030c00
        0104060001092c00 070b01000101000c 2c00080a012866cd ff00000501110d00 78002e006c006f00
        6700000015060100 2080a4810000
        """)

    /// The same log as `xz --check=crc32` compresses it.
    private static let xz = hex(
        """
        fd377a585a000001 6922de36020021011c00000010cf58cc e0002b00245d0031 1d0ab16b5da3aa2c f5db50f4b9242615
        d40139dc6a2ba73f a3ee6df4bb092698 fa2000002866cdff 00013c2c37a0ad61 9042990d01000000 0001595a
        """)
}
