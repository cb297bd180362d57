import ArgumentParser

@main
struct GattbenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gattbench",
        abstract: "A protocol workbench and packet analyzer for Bluetooth Low Energy.",
        version: "0.1.0",
        subcommands: [DecodeCommand.self])
}
