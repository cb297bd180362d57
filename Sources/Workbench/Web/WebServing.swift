package import Bluetooth
package import Conversation
package import Transports

/// What the user asks of `web`.
package struct WebOptions: Sendable {
    /// Paths of captures to open.
    package var files: [String] = []
    /// What is captured live, if something is.
    package var live: OpenedCapture?
    /// Path of the file that a live capture is recorded to; nil for one that is deleted at the end.
    package var recording: String?
    /// The id of the plugin whose twin runs on a virtual radio, if one does.
    package var twin: String?
    /// 0 for any that is free.
    package var port = 0
    /// Folder that pages are read from instead of the program, while they are written.
    package var pages: String?
    /// Path of the file that waivers are read from and written to.
    package var waivers: String?
    /// The word that requests must have, where a program that starts the server chooses it; nil for one of chance.
    package var token: String?
    package var plugins = PluginSet.none
    /// Attribute tables that the user has named.
    package var tables = GATT.KnownTables()

    /// Connections at a time.
    package var connectionLimit = 256
    /// How long a connection may wait for the headers of a request, or for more of its body.
    package var requestTimeLimit = Duration.seconds(10)
    /// Bytes of a file that is sent, unpacked.
    package var uploadLimit = 2 << 30

    /// Files that are open at a time, a live capture among them.
    package static let fileLimit = 32

    package init() {}
}

/// What the user asks of `report`.
package struct ReportOptions: Sendable {
    /// Path of the capture; `-` is standard input.
    package var file: String
    package var plugins = PluginSet.none
    /// Attribute tables that the user has named.
    package var tables = GATT.KnownTables()
    package var checking: CheckOptions
    /// Whether devices are compared with the twins of their plugins.
    package var asksOracle = false
    /// Path of the file that waivers were read from.
    package var waivers: String?
    /// `--plugin` and `--gatt` as they were given: the commands of the report have them again.
    package var deviceArguments: [String] = []
    /// `--role`, `--oracle` and `--strict` as they were given.
    package var ruleArguments: [String] = []

    package init(file: String, checking: CheckOptions) { (self.file, self.checking) = (file, checking) }
}

/// A report, and what is wrong with its capture.
package struct PageOfCapture: Sendable {
    package var html: String
    package var warnings: [String]

    package init(html: String, warnings: [String]) {
        (self.html, self.warnings) = (html, warnings)
    }
}

/// A live capture on its way to the service, which is then its only user.
package struct OpenedCapture: @unchecked Sendable {
    package let capture: any LiveCapture

    package init(_ capture: any LiveCapture) { self.capture = capture }
}

/// Shows captures in a browser and as pages. The module `Web` has the one that there is; a program without it hands its command over to
/// the program that has it.
package protocol WebService: SendableMetatype {
    /// Serves until it is cancelled. `ready` gets the address with its token when it can be opened, `report` what happens.
    static func serve(
        _ options: WebOptions, ready: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (String) -> Void
    ) async throws

    /// Makes a report of a capture in one HTML page, unless it is cancelled. `progress` gets the packets that were read of a
    /// pass.
    static func report(_ options: ReportOptions, progress: @escaping @Sendable (Int) -> Void) async throws
        -> PageOfCapture
}
