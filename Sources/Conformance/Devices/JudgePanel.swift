import PluginKit

/// The judges of one device, with who wants to see what.
struct JudgePanel {
    private(set) var judges: [any ConformanceJudge]
    private(set) var everybody: [Int]
    private(set) var link: [Int] = []
    private(set) var advertising: [Int] = []
    private(set) var requests: [Int] = []
    private(set) var table: [Int] = []
    private(set) var subscriptions: [Int] = []
    private(set) var messages: [Int] = []
    /// By the characteristic's index.
    private(set) var values: [[Int]]

    init(_ judges: [any ConformanceJudge], _ characteristics: [CharacteristicDefinition]) {
        self.judges = judges
        everybody = Array(judges.indices)
        values = Array(repeating: [], count: characteristics.count)
        for (place, judge) in judges.enumerated() {
            var wanted = Set<Int>()
            for interest in judge.interests {
                switch interest {
                case .link: link.append(place)
                case .advertising: advertising.append(place)
                case .requests: requests.append(place)
                case .table: table.append(place)
                case .subscriptions: subscriptions.append(place)
                case .messages: messages.append(place)
                case .allValues: wanted.formUnion(characteristics.indices)
                case .values(let name):
                    wanted.formUnion(characteristics.indices.filter { characteristics[$0].name == name })
                }
            }
            for characteristic in wanted { values[characteristic].append(place) }
        }
    }

    /// Lets some of them see an event.
    mutating func see(_ event: borrowing ConformanceEvent, _ some: [Int], _ report: inout JudgeReport) {
        for place in some { judges[place].see(event, &report) }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout JudgeReport) {
        for place in judges.indices { judges[place].finish(end, &report) }
    }
}
