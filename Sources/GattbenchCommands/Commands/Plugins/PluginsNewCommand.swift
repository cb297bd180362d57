import ArgumentParser
import Bluetooth
import Captures
import Profile
import ProfileTools
import Workbench

/// `gattbench plugins new`.
struct PluginsNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a profile from a template, a capture of the device, or its C header.",
        discussion: """
            Writes NAME/profile.yaml; an existing file is never overwritten.

            EXAMPLES
              gattbench plugins new thermometer
              gattbench plugins new thermometer --from-capture session.btsnoop
              gattbench plugins new tag --from-capture scan.pcapng --address c0:ff:ee:00:00:31
              gattbench plugins new thermometer --from-header packets.h -o my/thermometer
            """)

    @Argument(help: "The plugin's id: lower-case letters, digits and underscores.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Capture of the device; its attributes, values and advertising data become the profile.",
            valueName: "path"))
    var fromCapture: String?

    @Option(help: ArgumentHelp("C header with packed structs, which become payload types.", valueName: "path"))
    var fromHeader: String?

    @Option(help: "Address of the device in the capture.")
    var address: String?

    @Option(
        help: ArgumentHelp(
            "With --from-capture: attribute tables of devices whose discovery is not in it, as decode has.",
            valueName: "path"))
    var gatt: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The folder to write to instead of NAME.", valueName: "path"))
    var output: String?

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        guard ProfileName.isValid(name) else {
            throw ValidationError(
                "\(name): an id has lower-case letters, digits and underscores, such as \(ProfileName.make(from: name))"
            )
        }
        if fromCapture != nil, fromHeader != nil {
            throw ValidationError("--from-capture and --from-header do not go together")
        }
        if let address { _ = try Address(option: "--address", address) }
        if address != nil, fromCapture == nil { throw ValidationError("--address goes with --from-capture") }
        if gatt != nil, fromCapture == nil { throw ValidationError("--gatt goes with --from-capture") }
    }

    func run() throws {
        let text: String
        if let fromCapture {
            text = try draft(fromCapture: fromCapture).text()
        } else if let fromHeader {
            text = try draft(fromHeader: fromHeader).text()
        } else {
            text = ProfileDraft.template(id: name)
        }
        let path = try ProfileFolder.write(text, to: output ?? name)
        Console.note("wrote \(path); review it, then: gattbench plugins lint --strict \(path)")
    }

    private func draft(fromCapture file: String) throws -> ProfileDraft {
        Interruption.watch()
        let reader = try captures.open(file)
        var progress = Progress()
        let tables = try gatt.map { try GATTFiles.read($0) } ?? GATT.KnownTables()
        let survey = try CaptureSurvey(reader, tables: tables) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(reader)
        let general = try NewProfile.generalReaders()
        let device = try NewProfile.device(in: survey, address: address, file: reader.file, general: general)
        let others = survey.devices.filter { $0.title != device.title }.map(\.title)
        if address == nil, !others.isEmpty {
            Console.note(
                "note: using \(device.title); also there: \(others.prefix(5).joined(separator: ", ")); choose with --address"
            )
        }
        return device.draft(id: name, file: reader.file, general: general)
    }

    private func draft(fromHeader file: String) throws -> ProfileDraft {
        let reading = try NewProfile.read(header: file, id: name)
        for note in reading.notes { Console.note("\(file):\(note.line): \(note.text)") }
        return reading.draft
    }
}
