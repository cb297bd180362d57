package import Bluetooth
package import Captures
package import Conversation
package import Keys
package import Output
package import Transports

/// Options of `web`.
package struct WebOptions: Sendable {
    /// Paths of captures to open.
    package var files: [String] = []
    /// The capture to open of an archive; nil for the best one.
    package var member: String?
    /// What packets of a link type for private use, or bytes of a UART, are.
    package var stated: StatedContent?
    /// The live capture; nil for none.
    package var live: OpenedCapture?
    /// Path of the file that a live capture is recorded to; nil for one that is deleted at the end.
    package var recording: String?
    /// Id of the plugin whose twin runs on a virtual radio; nil for none.
    package var twin: String?
    /// TCP port; 0 for any free port.
    package var port = 0
    /// Folder to read pages from instead of the embedded ones, for their development.
    package var pages: String?
    /// Path of the waiver file to read and write.
    package var waivers: String?
    /// The token that requests must contain, if the program that starts the server sets it; nil for a random one.
    package var token: String?
    package var plugins = PluginSet.none
    /// Attribute tables imported by the user.
    package var tables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()

    /// Maximum number of concurrent connections.
    package var connectionLimit = 256
    /// Timeout for the headers of a request, and for more of its body.
    package var requestTimeLimit = Duration.seconds(10)
    /// Maximum size in bytes of an uploaded file, uncompressed.
    package var uploadLimit = 2 << 30

    /// Maximum number of open files, including a live capture.
    package static let fileLimit = 32

    package init() {}
}

/// Options of `report`.
package struct ReportOptions: Sendable {
    /// Path of the capture; `-` is standard input.
    package var file: String
    /// The capture to open of an archive; nil for the best one.
    package var member: String?
    /// What packets of a link type for private use, or bytes of a UART, are.
    package var stated: StatedContent?
    package var plugins = PluginSet.none
    /// Attribute tables imported by the user.
    package var tables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()
    package var checking: CheckOptions
    /// Whether devices are compared with their plugins' twins (the oracle).
    package var asksOracle = false
    /// Whether what identifies people, devices and places is replaced first, as by `redact`.
    package var isRedacted = false
    /// Path of the waiver file.
    package var waivers: String?
    /// Path of the capture that the report is compared with; nil for none.
    package var against: String?
    package var comparison = ComparisonOptions()
    /// `--plugin`, `--gatt` and `--keys` as given, to repeat in the report's commands.
    package var deviceArguments: [String] = []
    /// `--role`, `--oracle` and `--strict` as given.
    package var ruleArguments: [String] = []

    package init(file: String, checking: CheckOptions) { (self.file, self.checking) = (file, checking) }
}

/// A report in HTML, and the warnings about its capture.
package struct PageOfCapture: Sendable {
    package var html: String
    package var warnings: [String]

    package init(html: String, warnings: [String]) {
        (self.html, self.warnings) = (html, warnings)
    }
}

/// Transfers a live capture to the service, which is then its only user.
package struct OpenedCapture: @unchecked Sendable {
    package let capture: any LiveCapture

    package init(_ capture: any LiveCapture) { self.capture = capture }
}

/// Shows captures in a browser and as HTML reports. The module `Web` implements it; a program without that module runs
/// the command in a program that has it.
package protocol WebService: SendableMetatype {
    /// Serves until it is cancelled. `ready` receives the URL with its token once it can be opened, `report` the status
    /// messages.
    static func serve(
        _ options: WebOptions, ready: @escaping @Sendable (String) -> Void, report: @escaping @Sendable (String) -> Void
    ) async throws

    /// Creates a report of a capture as one HTML page, unless it is cancelled. `progress` receives the number of
    /// packets read in the current pass.
    static func report(_ options: ReportOptions, progress: @escaping @Sendable (Int) -> Void) async throws
        -> PageOfCapture
}
