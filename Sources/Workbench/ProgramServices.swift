import Synchronization

/// What only some of the programs contain, as it needs libraries that are slow to build (docs/decisions/0032): a publisher of what
/// is stored, a web service. A command that needs one of them runs in a program that has it.
package struct ProgramServices: Sendable {
    package var publisher: (any CloudPublisher.Type)?
    package var web: (any WebService.Type)?

    package init(publisher: (any CloudPublisher.Type)? = nil, web: (any WebService.Type)? = nil) {
        (self.publisher, self.web) = (publisher, web)
    }

    private static let chosen = Mutex(ProgramServices())

    /// Those of this program.
    package static var own: ProgramServices { chosen.withLock { $0 } }

    /// Sets those of this program, which calls it once, before all else.
    package static func choose(_ services: ProgramServices) { chosen.withLock { $0 = services } }
}
