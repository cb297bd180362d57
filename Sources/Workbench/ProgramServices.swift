import Synchronization

/// Services that only some of the programs contain because their libraries are slow to build (docs/decisions/0032): the
/// publisher of a store, and the web service. Other programs run a command that needs one in a program that contains
/// it.
package struct ProgramServices: Sendable {
    package var publisher: (any CloudPublisher.Type)?
    package var web: (any WebService.Type)?

    package init(publisher: (any CloudPublisher.Type)? = nil, web: (any WebService.Type)? = nil) {
        (self.publisher, self.web) = (publisher, web)
    }

    private static let chosen = Mutex(ProgramServices())

    /// The services of this program.
    package static var own: ProgramServices { chosen.withLock { $0 } }

    /// Sets the services of this program. Call it once, before any other use.
    package static func choose(_ services: ProgramServices) { chosen.withLock { $0 = services } }
}
