import Glibc
import Workbench

/// Prevents a second program from publishing the same store to the same destination: the two would overtake each other.
///
/// The lock is a kernel lock on a file beside the store, released when the program ends in any way.
final class PublisherLock: Sendable {
    private let descriptor: Int32

    init(store: String, destination: String) throws(PublishFault) {
        let name = String(destination.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        let path = "\(store)-\(name).lock"
        descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PublishFault("\(path): \(unsafe String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw PublishFault("\(destination): another program publishes \(store) there; end that one first")
        }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
