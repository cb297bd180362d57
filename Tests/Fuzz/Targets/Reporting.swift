import Captures
import Conformance
import Dispatch
import Synchronization
import Web
import Workbench

extension FuzzTarget {
    /// HCI packets as `Traffic` has them, in a file of which a report is made: checked with the oracle, counted, surveyed, drawn.
    static let report = FuzzTarget("report") { captures in
        // A report takes longer than a check.
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

    /// Makes the report; a fault is that there is none, or that it is no whole page.
    private static func fault(of options: ReportOptions) -> String? {
        let fault = Mutex<String?>(nil)
        // libFuzzer calls a target and looks at what it returns.
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
