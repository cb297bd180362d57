import ArgumentParser

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stats", abstract: "Tell what is in a capture.")
}
