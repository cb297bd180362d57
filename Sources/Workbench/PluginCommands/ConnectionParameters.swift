package import PluginKit

/// The options of a command that runs a client of a device.
extension CommandParameter {
    package static let transport = option(
        "transport", placeholder: "spec", help: "Transport of the controller; must be given.")
    package static let address = option(
        "address", placeholder: "address", help: "The device's address; on radio:, that of the twin.")
    package static let peerName = option(
        "name", placeholder: "name", help: "The device's name, or the beginning of it.")
    package static let duration = option(
        "duration", placeholder: "time", help: "End after this time, like 90s, 10min or 2h.")
    package static let scenario = option(
        "scenario", placeholder: "name-or-file", help: "On radio:, what happens: a scenario's name or file.")
    package static let state = option(
        "state", placeholder: "file", help: "On radio:, file for the twin's non-volatile memory.")
    package static let seed = option(
        "seed", placeholder: "seed", help: "On radio:, seed of the random number generator.")
    package static let speed = option(
        "speed", placeholder: "speed",
        help: "On radio:, speed relative to real time; “virtual” runs without waiting.")
    package static let record = option(
        "record", placeholder: "file", help: "Record the traffic between host and controller.")
    package static let jsonLines = flag("json", help: "Print events as JSON lines.")

    package static let connection = [
        transport, address, peerName, duration, scenario, state, seed, speed, record, jsonLines,
    ]
}
