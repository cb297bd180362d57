import ArgumentParser
import Output
import Workbench

/// Options of every command that decodes and prints frames.
struct DecodeArguments: ParsableArguments {
    @Option(
        name: .customShort("Y", allowingJoined: true),
        help: "Show only frames that pass this display filter (Wireshark's syntax).", completion: Completions.fields)
    var filter: String?

    @Option(name: .customShort("T", allowingJoined: true), help: "Output: text, fields, ndjson or csv.")
    var format = DecodeOptions.Format.text

    @Option(
        name: .customShort("e", allowingJoined: true),
        help: "A field to print with -T fields or -T csv; may be repeated.", completion: Completions.fields)
    var fields: [String] = []

    @Option(
        name: .customShort("E", allowingJoined: true),
        help:
            "Layout of -T fields: header=y|n, separator=/t|/s|CHARACTER, occurrence=f|l|a, aggregator=CHARACTER, quote=d|s|n, apostrophe=y|n."
    )
    var layout: [String] = []

    @Option(name: .customShort("c", allowingJoined: true), help: "Stop after this many frames.")
    var count: Int?

    @Option(
        name: .customShort("t", allowingJoined: true),
        help:
            "Times in -T text: r since the first frame, d since the frame before, dd since the frame shown before, a or u the time of the day, ad or ud with the date, adoy or udoy with the day of the year (all UTC), e since 1970."
    )
    var time = TextPrinter.TimeFormat.relative

    @Flag(name: .customShort("V"), help: "Show every frame's field tree; with -T ndjson, that of plugins' values too.")
    var tree = false

    @Flag(name: [.customShort("x"), .customLong("hex")], help: "Show every frame's bytes.")
    var hex = false

    @Flag(name: .customShort("n"), help: "Accepted as in tshark; names are never resolved.")
    var noResolution = false

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @Flag(help: "Do not guess attribute names from a profile's handles where discovery was not captured.")
    var noGuess = false

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        if let count, count < 1 { throw ValidationError("-c takes a number of frames, 1 at least") }
        let takesFields = format == .fields || format == .csv
        if takesFields, fields.isEmpty { throw ValidationError("-T \(format.rawValue) needs a field: -e frame.number") }
        if !takesFields, !fields.isEmpty { throw ValidationError("-e goes with -T fields or -T csv") }
        if format != .text, time != .relative { throw ValidationError("-t goes with -T text") }
        if format != .text, hex { throw ValidationError("-x goes with -T text") }
        if takesFields, tree { throw ValidationError("-V goes with -T text or -T ndjson") }
        if !layout.isEmpty, !takesFields { throw ValidationError("-E goes with -T fields or -T csv") }
    }

    /// Input files beside captures.
    var files: [String?] { devices.files + keys.files }

    /// The parsed options, with the tables read and without keys. The plugins are those of `library`, else loaded with the parts that
    /// decoding needs.
    func readOptions(_ library: PluginLibrary? = nil) throws -> DecodeOptions {
        var options = DecodeOptions()
        options.format = format
        options.filter = filter
        options.fields = fields
        options.layout = try FieldsPrinter.Layout(options: layout, isCSV: format == .csv)
        options.frameLimit = count ?? .max
        options.showsTree = tree
        options.showsBytes = hex
        options.timeFormat = time
        options.paint = Console.wantsColor ? .ansi : .none
        options.tables = try devices.readTables()
        options.guesses = !noGuess
        let isNeeded = !devices.plugin.isEmpty || options.needsPlugins
        if let library = try library ?? (isNeeded ? devices.loadPlugins(.decoding) : nil) {
            options.plugins = library.plugins
        }
        return options
    }
}

extension DecodeArguments {
    /// The commands whose arguments `separatingLetters` splits.
    static let commands = ["decode", "sniff", "proxy", "scan"]
    /// Short options of these commands without a value, and those with one.
    private static let (flagLetters, valueLetters) = ("Vxnvq", "YTeEctrwabf")

    /// Separates short options from each other and from their values, as getopt does: `-Vc1` becomes `-V -c 1`.
    /// ArgumentParser alone reads `-Eheader=y` as an option named `Eheader`.
    static func separatingLetters(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].flatMap { argument -> [String] in
            guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return [argument] }
            let letters = argument.dropFirst()
            let flags = letters.prefix { flagLetters.contains($0) }
            let option = letters.dropFirst(flags.count)
            let words = flags.map { "-\($0)" }
            guard let letter = option.first else { return flags.isEmpty ? [argument] : words }
            let value = option.dropFirst()
            // A separate value that begins with a dash would be read as an option.
            guard valueLetters.contains(letter), let start = value.first, start != "-", start != "=" else {
                return words + ["-\(option)"]
            }
            return words + ["-\(letter)", String(value)]
        } + arguments[end...]
    }
}

extension DecodeOptions.Format: ExpressibleByArgument {}

extension TextPrinter.TimeFormat: ExpressibleByArgument {}
