import Bytes
package import Captures

/// Searches an archive, and the archives in it, for captures; keeps the content of the best one, or of a named one.
package struct CaptureSearch {
    /// All captures, in the archive's order.
    package private(set) var found: [FoundCapture] = []
    /// Index in `found` of the capture whose content is kept; nil if there is none.
    package private(set) var chosen: Int?
    /// The content of the chosen capture, in a file without a name.
    package var content: FileDescriptor? { chosen.flatMap { contents[$0] } }
    /// Contents by their index in `found`: the chosen one's and, if they are asked for, those of its rotation.
    private(set) var contents: [Int: FileDescriptor] = [:]
    /// What could not be read, and why.
    package private(set) var warnings: [CaptureWarning] = []
    package private(set) var members = 0
    /// Members and archives with a warning.
    private var unread: [String] = []

    /// The file that is searched, as messages name it.
    package let file: String
    private let selection: Selection
    private let stated: StatedContent?
    private let limits: ArchiveLimits
    private let folder: String
    private var unpacked = 0
    /// Bytes in temporary files.
    private var disk = 0
    private var isOver = false

    /// The captures whose content is kept.
    private enum Selection {
        case best
        /// The capture of this name, whole or its last parts.
        case named(String)
        /// All captures of these names; other members are not read.
        case all(Set<String>)
    }

    /// - Parameters:
    ///   - file: path of the file, for messages.
    ///   - wanted: the name of a capture, whole or its last parts; nil for the best one.
    ///   - folder: where temporary files are made.
    package init(
        file: String, wanted: String? = nil, as stated: StatedContent? = nil, limits: ArchiveLimits = ArchiveLimits(),
        folder: String
    ) {
        self.init(file, wanted.map { .named($0) } ?? .best, stated, limits, folder)
    }

    private init(
        _ file: String, _ selection: Selection, _ stated: StatedContent?, _ limits: ArchiveLimits, _ folder: String
    ) {
        (self.file, self.selection, self.stated, self.limits, self.folder) = (file, selection, stated, limits, folder)
    }

    /// Whether the content of the capture at this index in `found` is kept.
    package func isOpened(_ index: Int) -> Bool { contents[index] != nil }

    /// Searches an open archive; `name` is its name in the archive that it is from, empty for the outermost.
    package mutating func search(_ archive: FileDescriptor, name: String = "", depth: Int = 1) {
        let reader: ArchiveReader
        do throws(ArchiveFault) {
            reader = try ArchiveReader(archive, memory: limits.memory, unpacked: limits.unpacked - unpacked)
        } catch {
            return warn(name, error.text)
        }
        let first = found.count
        while !isOver, let member = reader.next() {
            members += 1
            guard members <= limits.members else {
                end(name, "it has more than \(limits.members) members")
                break
            }
            let path = name.isEmpty ? member.name : "\(name)/\(member.name)"
            guard isRead(path) else { continue }
            if member.isEncrypted {
                warn(path, "the member is encrypted", advice: "unpack it with its password")
                continue
            }
            examine(reader, path, depth)
        }
        unpacked += reader.unpacked
        if reader.hasReachedLimit { end(name, "more than \(limits.unpacked >> 20) MB would be unpacked") }
        guard let fault = reader.fault else { return }
        warn(name, "the archive is damaged: \(fault)", advice: "what is whole was read")
        for index in first..<found.count where found[index].missing == nil {
            found[index].missing = "the archive is damaged"
        }
    }

    /// Looks at the first bytes of a member and handles it by its content.
    private mutating func examine(_ reader: ArchiveReader, _ path: String, _ depth: Int) {
        var start: [UInt8] = []
        while start.count < Self.startSize, let piece = reader.read() { start += piece }
        guard let source = try? ByteSource(bytes: start, name: path) else { return }
        switch ContentKind(source) {
        case .archive:
            guard depth < limits.depth else {
                return warn(path, "archives are read to a depth of \(limits.depth)", advice: "unpack it")
            }
            guard let copy = copy(start, reader, path) else { return }
            disk += copy.size
            search(copy.file, name: path, depth: depth + 1)
            disk -= copy.size
        case .text:
            var collector = Btsnooz.Collector()
            collector.append(start)
            while !collector.isComplete, let piece = reader.read() { collector.append(piece) }
            if collector.hasFoundLog { keep(collector.capture(), path) }
        case .other:
            // A dump of a UART has no format: only the user knows which member is one.
            let isDump = stated?.isDump == true && isWanted(path)
            guard isDump || (try? CaptureReader(source: source)) != nil, let copy = copy(start, reader, path) else {
                return
            }
            keep(copy.file, path, size: copy.size, missing: reader.memberFault ?? reader.fault)
        }
    }

    /// Bytes of a member that are enough to recognise it.
    static let startSize = 64 * 1024

    /// Copies a member to a file without a name; nil if it does not fit.
    private mutating func copy(_ start: [UInt8], _ reader: ArchiveReader, _ path: String) -> (
        file: FileDescriptor, size: Int
    )? {
        do throws(SystemError) {
            let file = try FileDescriptor.unnamed(in: folder)
            var size = start.count
            try file.write(start)
            while let piece = reader.read() {
                size += piece.count
                guard disk + size <= limits.disk else {
                    warnOfDisk(path)
                    return nil
                }
                try file.write(piece)
            }
            return (file, size)
        } catch {
            warn(path, "no temporary file: \(error.text)", advice: error.advice)
            return nil
        }
    }

    /// Keeps the log of a bug report's text.
    package mutating func keep(_ log: Btsnooz.Capture, _ path: String) {
        let path = path.isEmpty ? Self.sectionName : "\(path)/\(Self.sectionName)"
        if log.packets == 0 { return warn(path, log.fault ?? "the log is empty") }
        guard disk + log.bytes.count <= limits.disk else { return warnOfDisk(path) }
        do throws(SystemError) {
            let file = try FileDescriptor.unnamed(in: folder)
            try file.write(log.bytes)
            keep(file, path, size: log.bytes.count, missing: log.fault)
        } catch {
            warn(path, "no temporary file: \(error.text)", advice: error.advice)
        }
    }

    /// The name of the log in a bug report's text.
    static let sectionName = "BTSNOOP_LOG_SUMMARY"

    private mutating func keep(_ file: FileDescriptor, _ path: String, size: Int, missing: String?) {
        do throws(CaptureError) {
            var capture = try FoundCapture(file, name: path, size: size, as: stated)
            if let missing { capture.missing = missing.legibleLine() }
            found.append(capture)
            switch selection {
            case .all:
                guard isWanted(path) else { return }
            case .named:
                guard isWanted(path) else { return }
                release()
            case .best:
                if let chosen, !capture.isBetter(than: found[chosen]) { return }
                release()
            }
            chosen = found.count - 1
            contents[found.count - 1] = file
            disk += size
        } catch {
            warn(path, error.finding.text, advice: error.finding.advice)
        }
    }

    /// Drops the content of the capture that was chosen before.
    private mutating func release() {
        guard let chosen, contents.removeValue(forKey: chosen) != nil else { return }
        disk -= found[chosen].size
    }

    private func isWanted(_ path: String) -> Bool {
        switch selection {
        case .best: false
        case .named(let name): path == name || path.hasSuffix("/" + name)
        case .all(let names): names.contains(path)
        }
    }

    /// Whether a member may be a wanted capture, or contain one.
    private func isRead(_ path: String) -> Bool {
        guard case .all(let names) = selection else { return true }
        return names.contains { $0 == path || $0.hasPrefix(path + "/") }
    }

    /// Keeps the contents of the logs of the chosen one's rotation, too: the archive is read again for them.
    package mutating func openRotation(_ archive: FileDescriptor) {
        guard let chosen else { return }
        let name = RotatedName(found[chosen].name)
        if let lost = unread.first(where: { RotatedName($0) == name }) { loseOfRotation(lost) }
        let rotation = self.rotation
        if rotation.isEmpty { return }
        var again = CaptureSearch(file, .all(Set(rotation.map { found[$0].name })), stated, limits, folder)
        again.disk = disk
        again.search(archive)
        for index in rotation {
            // An archive may have several members of one name.
            let same = again.contents.first { again.found[$0.key].isSame(as: found[index]) }
            if let same { contents[index] = same.value } else { loseOfRotation(found[index].name) }
        }
        disk = again.disk
        let known = Set(warnings)
        warnings += again.warnings.filter { !known.contains($0) }
    }

    private mutating func loseOfRotation(_ name: String) {
        guard let chosen, found[chosen].missing == nil else { return }
        found[chosen].missing = "\(name.legibleLine()) of the same rotation cannot be read"
    }

    /// Indices of the captures of the chosen one's rotation without itself, the newest first. Its logs follow each
    /// other in time: what overlaps is a copy, or another log.
    private var rotation: [Int] {
        guard let chosen, let span = found[chosen].times else { return [] }
        let name = RotatedName(found[chosen].name)
        let others = found.indices.filter {
            $0 != chosen && found[$0].times != nil && RotatedName(found[$0].name) == name
        }
        var spans = [span]
        var rotation: [Int] = []
        for index in others.sorted(by: { found[$0].isBetter(than: found[$1]) }) {
            guard rotation.count < Self.rotationLimit, let span = found[index].times,
                !spans.contains(where: { span == $0 || span.first < $0.last && $0.first < span.last })
            else { continue }
            spans.append(span)
            rotation.append(index)
        }
        return rotation
    }

    /// Most logs that are joined to one.
    private static let rotationLimit = 200

    private mutating func end(_ name: String, _ text: String) {
        isOver = true
        warn(name, text, advice: "unpack it yourself if you trust it; what came before was read")
    }

    private mutating func warn(_ name: String, _ text: String, advice: String = "") {
        guard warnings.count < Self.warningLimit else { return }
        if !name.isEmpty { unread.append(name) }
        let place = name.isEmpty ? "" : "\(name.legibleLine()): "
        warnings.append(CaptureWarning(file: file, place + text, advice: advice))
    }

    private mutating func warnOfDisk(_ path: String) {
        warn(
            path, "it takes more than \(limits.disk >> 20) MB of temporary disk",
            advice: "unpack it and name the file")
    }

    private static let warningLimit = 100
}
