import Archives
import ArgumentParser
import Captures
import Keys
import Workbench

/// `gattbench keys`.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List the keys that captures and files of keys hold, where each comes from and what it opens.",
        discussion: """
            A FILE is a capture, or a file of keys: a list of KIND:HEX[@ADDRESS], BlueZ's info, Android's bt_config.conf, a
            keystore of Bumble, a log of Zephyr or of NimBLE, a command line of nRF Util. Its content says which.

            KIND is ltk, stk, tk, passkey, irk, csrk, private, session, broadcast-code or ead. Four digits of a key are
            shown, with --show all of them.

            EXAMPLES
              gattbench keys session.btsnoop
              sudo gattbench keys /var/lib/bluetooth/00:1A:7D:DA:71:13/C0:11:22:33:44:55/info
              gattbench keys --json serial.log sniffed.pcapng
              gattbench keys --crack pairing.pcapng
              (umask 077 && gattbench keys --show session.btsnoop > shown.txt)
            """)

    @Argument(help: "Captures and files of keys; - is standard input.")
    var files: [String]

    @OptionGroup var keys: KeyArguments

    @Flag(help: "Show keys in full.")
    var show = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try keys.refuse(sharing: files)
        guard !files.contains(where: { KeySpec.isLikely($0) }) else {
            throw ValidationError("expected a FILE; a key itself goes with --key")
        }
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        var listing = KeyListing(try keys.read())
        // What files of keys hold opens what captures have.
        var readers: [CaptureReader] = []
        for path in files {
            let file = try captures.find(path)
            do throws(CaptureError) {
                readers.append(try file.reader())
                if let search = file.search { Console.note(search) }
            } catch {
                guard error.kind == .notACapture, file.search == nil else { throw error }
                listing.add(try readKeys(path, file))
            }
        }
        for reader in readers where !Interruption.isAsked {
            var progress = Progress(reader)
            try await listing.add(reader) { frames in
                progress.show(frames)
                return !Interruption.isAsked
            }
            Console.note(reader)
        }
        if json { return try Console.write(listing.json(isShown: show)) }
        guard listing.count > 0 else { return Console.note("no keys were found") }
        try Console.write(listing.text(isShown: show))
    }

    private func readKeys(_ path: String, _ file: CaptureFile) throws -> [KnownKey] {
        guard path == "-" else { return try KeyFiles.read(path) { Console.note("warning: \($0)") } }
        let bytes = try file.source.readAll(upTo: KeyFile.sizeLimit + 1)
        return try KeyFile.read(bytes, file.source.name)
    }
}
