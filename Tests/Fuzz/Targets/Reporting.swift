import Captures
import Conformance
import Dispatch
import Synchronization
import Web
import Workbench

extension FuzzTarget {
    /// HCI packets in the format of `Traffic`, in a file that is turned into a report: checked with the oracle,
    /// counted, surveyed and plotted.
    static let report = FuzzTarget("report") { captures in
        // Reports take longer than checks, so fewer seeds.
        Traffic.seeds(captures, .h4).enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)
    } fault: { bytes in
        Reporting.fault(Traffic.batches(bytes, .h4))
    }
}

private enum Reporting {
    static func fault(_ batches: [PacketBatch]) -> String? {
        guard let file = TrafficFile(batches) else { return nil }
        var options = ReportOptions(file: file.path, checking: CheckOptions(day: .today))
        options.plugins = FuzzPlugins.all
        options.asksOracle = true
        return withExtendedLifetime(file) { fault(of: options) }
    }

    /// Creates the report; a missing or incomplete page is a fault.
    private static func fault(of options: ReportOptions) -> String? {
        let fault = Mutex<String?>(nil)
        // libFuzzer needs the result synchronously.
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let page = try await WebServer.report(options) { _ in }
                if !page.html.hasSuffix("</html>\n") { fault.withLock { $0 = "the page has no end" } }
            } catch {
                fault.withLock { $0 = "no report: \(error)" }
            }
            isDone.signal()
        }
        isDone.wait()
        return fault.withLock { $0 }
    }
}
