import Bytes
package import Captures

/// A file that a user names as a capture: a capture, or an archive or the text of a bug report with captures in it.
package struct CaptureFile {
    /// The bytes of the capture.
    package let source: ByteSource
    /// The bytes of the other logs of its rotation in the archive, if the options ask for them.
    package let rotation: [ByteSource]
    /// What else the archive holds; nil for a file that is a capture.
    package let search: CaptureSearch?
    /// What the user states about its packets.
    private let stated: StatedContent?

    /// How a file is opened.
    package struct Options {
        /// The capture to open of an archive: its name, or the end of its path; nil for the best one.
        package var member: String?
        /// What packets of a link type for private use, or bytes of no known format, are.
        package var stated: StatedContent?
        /// Whether all logs of the capture's rotation in the archive are opened.
        package var opensRotation = false
        package var limits = ArchiveLimits()
        /// Where temporary files are made.
        var temporaryFolder = Folder.temporary

        package init(member: String? = nil, as stated: StatedContent? = nil) {
            (self.member, self.stated) = (member, stated)
        }
    }

    /// Opens the file at `path`; `-` is standard input.
    ///
    /// - Parameter goesOn: called when a pipe has delivered nothing for 200 ms; false ends the input.
    package init(_ path: String, _ options: Options, goesOn: (() -> Bool)? = nil) throws(CaptureError) {
        let source = try ByteSource(path: path, goesOn: goesOn)
        stated = options.stated
        let kind = ContentKind(source)
        guard kind == .archive || kind == .text else {
            if let member = options.member { throw Self.refusal(of: member, file: source.name) }
            (self.source, self.rotation, search) = (source, [], nil)
            return
        }
        if kind == .text, BabbleSimDump.recognizes(source.start) {
            if let member = options.member { throw Self.refusal(of: member, file: source.name) }
            (self.source, self.rotation, search) = (try Self.simulation(source), [], nil)
            return
        }
        var search = CaptureSearch(
            file: source.name, wanted: options.member, as: options.stated, limits: options.limits,
            folder: options.temporaryFolder)
        if kind == .archive {
            let archive = try Self.archive(at: path, source, options)
            search.search(archive)
            if options.opensRotation { search.openRotation(archive) }
        } else {
            // A pipe's text is read once: it stays in memory, for a reader that wants it as it is.
            let text =
                source.isSeekable
                ? source : try ByteSource(bytes: source.readAll(upTo: Self.pipedTextLimit), name: source.name)
            var collector = Btsnooz.Collector()
            while !collector.isComplete, case let piece = try text.next(), !piece.isEmpty { collector.append(piece) }
            guard collector.hasFoundLog else {
                if let member = options.member { throw Self.refusal(of: member, file: source.name) }
                try text.rewind()
                (self.source, self.rotation, self.search) = (text, [], nil)
                return
            }
            search.keep(collector.capture(), "")
        }
        guard let chosen = search.chosen, let content = search.content else {
            throw Self.failure(of: search, source.name, options)
        }
        var rotation: [ByteSource] = []
        for (index, content) in search.contents.sorted(by: { $0.key < $1.key }) where index != chosen {
            rotation.append(try Self.source(of: search.found[index], content, file: source.name))
        }
        self.source = try Self.source(of: search.found[chosen], content, file: source.name)
        (self.rotation, self.search) = (rotation, search)
    }

    /// The bytes of a capture in an archive, named by the file and its path in it.
    private static func source(
        of capture: FoundCapture, _ content: FileDescriptor, file: String
    ) throws(CaptureError) -> ByteSource {
        let name = "\(file)/\(capture.name.legibleLine())"
        return try ByteSource(content, name: name, missing: capture.missing.map { CaptureWarning(file: name, $0) })
    }

    /// A reader of the capture.
    package func reader() throws(CaptureError) -> CaptureReader { try CaptureReader(source: source, as: stated) }

    /// Readers of the capture and of the other logs of its rotation.
    package func readers() throws(CaptureError) -> [CaptureReader] {
        var readers = [try reader()]
        for source in rotation { readers.append(try CaptureReader(source: source, as: stated)) }
        return readers
    }

    /// Maximum size of a text in a pipe, and of a simulator's dump.
    private static let pipedTextLimit = 64 << 20

    /// A simulator's dump as a pcap file in memory.
    private static func simulation(_ source: ByteSource) throws(CaptureError) -> ByteSource {
        let dump = BabbleSimDump(try source.readAll(upTo: pipedTextLimit))
        guard dump.packets > 0 else {
            throw CaptureError(
                .notACapture, file: source.name, "a dump of BabbleSim with no packet of Bluetooth LE",
                advice: "name the Tx.csv of a device that has sent")
        }
        return try ByteSource(bytes: dump.bytes, name: source.name)
    }

    /// The archive as a file that can be read at any place: the user's, or a copy of a pipe's content.
    private static func archive(
        at path: String, _ source: ByteSource, _ options: Options
    ) throws(CaptureError) -> FileDescriptor {
        do throws(SystemError) {
            if path != "-", source.isSeekable { return try FileDescriptor.reading(path) }
        } catch {
            throw CaptureError(.cannotOpen, file: source.name, error.text, advice: error.advice)
        }
        do throws(SystemError) {
            let copy = try FileDescriptor.unnamed(in: options.temporaryFolder)
            var size = 0
            while true {
                let piece: [UInt8]
                do throws(CaptureError) { piece = try source.next() } catch { break }
                if piece.isEmpty { break }
                size += piece.count
                guard size <= options.limits.disk else { break }
                try copy.write(piece)
            }
            if size <= options.limits.disk { return copy }
        } catch {
            throw CaptureError(.cannotWrite, file: source.name, error.text, advice: error.advice)
        }
        throw CaptureError(
            .unsupported, file: source.name, "more than \(options.limits.disk >> 20) MB of an archive in a pipe",
            advice: "name the file instead")
    }

    private static func refusal(of member: String, file: String) -> CaptureError {
        CaptureError(.cannotOpen, file: file, "there is no \(member.legibleLine()) in it: it is no archive")
    }

    /// Why nothing of an archive can be opened.
    private static func failure(of search: CaptureSearch, _ file: String, _ options: Options) -> CaptureError {
        if let member = options.member, !search.found.isEmpty {
            let names = search.found.prefix(20).map { $0.name.legibleLine() }
            return CaptureError(
                .cannotOpen, file: file, "there is no capture \(member.legibleLine()) in it",
                advice: "it has \(names.joined(separator: ", "))")
        }
        if let warning = search.warnings.first { return CaptureError(.damaged, warning) }
        return CaptureError(
            .notACapture, file: file, "an archive of \(search.members) files, none of them a capture",
            advice: "a bug report has one if the HCI snoop log was enabled before it was taken")
    }
}
