import PluginKit
import Profile

/// The judges of one device, with who wants to see what.
struct JudgePanel {
    private var judges: [any ConformanceJudge]
    let audience: Audience
    /// Who wants the values of each characteristic, by its index.
    let values: [[Int]]

    /// `characteristics` are those that the device may have.
    init(_ judges: [any ConformanceJudge], _ characteristics: [CharacteristicIndex]) {
        self.judges = judges
        let audience = Audience(judges.map(\.interests))
        self.audience = audience
        values = characteristics.map { audience.values(of: $0) }
    }

    /// Lets some of them see an event.
    mutating func see(_ event: borrowing ConformanceEvent, _ some: [Int], _ report: inout JudgeReport) {
        for place in some { judges[place].see(event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout JudgeReport) {
        for place in judges.indices { judges[place].finish(end, &report) }
    }
}
