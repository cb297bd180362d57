import Bytes
public import Profile

/// Collects the outcomes of rules. A rule without an outcome was not applicable.
public struct RuleReport {
    /// An outcome of a rule other than a pass on the event's own connection.
    public enum Outcome: Sendable {
        /// The rule was obeyed once.
        case pass
        /// The rule was broken. Nil if enough findings of the rule are listed already.
        case fail(Finding?)
        /// The rule was broken, but only to the degree of a warning although its severity is error. Nil as for `fail`.
        case warn(Finding?)
        /// The rule could not be decided, for this reason.
        case inconclusive(String)
    }

    /// An outcome with the index of its rule and the number of its connection, 0 for none.
    public struct Entry: Sendable {
        public var place: Int
        public var connection: Int
        public var outcome: Outcome
        /// Whether the finding shows the event's bytes.
        var showsEvent = false
    }

    /// Indices of the rules passed on the event's connection; those beyond `passCount` are of earlier events and are
    /// overwritten.
    private var passedPlaces: [Int] = []
    /// Number of passes of this event.
    private var passCount = 0
    /// All other outcomes, in order.
    public private(set) var entries: [Entry] = []
    /// The rule that is running, for rules of the specification, which report without naming a rule.
    package var rule = RuleIndex(0)
    /// The frame of the current event; frame number 0 at the end.
    public private(set) var moment = FrameReference(frame: 0, time: .epoch)
    /// Connections with a known gap.
    private var gapped: Set<Int> = []
    /// Whether findings are listed at all, and whether enough findings of each rule are listed for `listedConnection`.
    private var listsFindings = true
    private var listed: [Bool]
    private var listedConnection = 0

    /// Maximum number of connections in `gapped`.
    private static let gapLimit = 4096

    /// `ruleCount` is the number of rules in the profile.
    public init(ruleCount: Int) {
        listed = Array(repeating: false, count: ruleCount)
    }

    /// Indices of the rules passed on the event's connection: by far the most frequent outcome.
    public var passes: ArraySlice<Int> { passedPlaces[..<passCount] }
    /// Whether there are no outcomes.
    public var isEmpty: Bool { passCount == 0 && entries.isEmpty }

    /// Starts the report of an event.
    public mutating func begin(at moment: FrameReference) { self.moment = moment }

    /// Adds the event's bytes to the findings that show them.
    package mutating func addBytes(_ bytes: @autoclosure () -> ArraySlice<UInt8>?) {
        for place in entries.indices where entries[place].showsEvent {
            entries[place].outcome.setBytes(Array(bytes() ?? []))
        }
    }

    /// Enough findings of a rule are listed for a connection: further failures are counted without a finding.
    public mutating func enough(of place: Int, on connection: Int) {
        if connection != listedConnection { listAnew() }
        listedConnection = connection
        listed[place] = true
    }

    /// Lists findings of all rules again.
    public mutating func listAnew() {
        for place in listed.indices where listed[place] { listed[place] = false }
    }

    /// Lists no further findings.
    public mutating func listNothing() { listsFindings = false }

    /// A part of a connection is missing: from now on, failures that refer to its earlier frames are inconclusive,
    /// because the missing part may excuse them.
    public mutating func noteGap(on connection: Int) {
        if gapped.count < Self.gapLimit { gapped.insert(connection) }
    }

    /// Discards the outcomes, after the engine has recorded them.
    public mutating func clear() {
        passCount = 0
        if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
    }
}

extension RuleReport {
    /// The rule was obeyed on the event's connection.
    public mutating func pass(_ rule: RuleIndex) {
        if passCount == passedPlaces.count { passedPlaces.append(0) }
        passedPlaces[passCount] = rule.rawValue
        passCount += 1
    }

    /// The rule was obeyed on a connection, which may differ from the event's.
    public mutating func pass(_ rule: RuleIndex, connection: Int) {
        if connection == moment.connection { return pass(rule) }
        entries.append(Entry(place: rule.rawValue, connection: connection, outcome: .pass))
    }

    /// The rule was broken: by the event, or, with `moments`, by the last of these frames. Without `bytes`, the finding
    /// shows the event's value.
    ///
    /// If `moments` contains an earlier frame of a connection with a gap, the outcome is inconclusive, because the
    /// missing traffic may excuse it. A rule that draws on earlier traffic without naming its frames must check for
    /// gaps itself.
    ///
    /// With `isWarning`, the finding is a warning although the rule's severity is error. With `isOmission`, something
    /// is missing before the event, which is no consequence of other faults of the event.
    public mutating func fail(
        _ rule: RuleIndex, expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        at moments: [FrameReference] = [], bytes: @autoclosure () -> [UInt8]? = nil, quirk: String? = nil,
        isWarning: Bool = false, isOmission: Bool = false
    ) {
        let place = rule.rawValue
        if !gapped.isEmpty, moments.contains(where: { $0.frame != moment.frame && gapped.contains($0.connection) }) {
            return inconclusive(rule, "something was not captured", connection: moments.last?.connection)
        }
        let connection = moments.last?.connection ?? moment.connection
        let isListed = listsFindings && !(listed[place] && connection == listedConnection)
        let ownBytes = isListed ? bytes() : nil
        let finding: Finding? =
            isListed
            ? Finding(
                moments: moments.isEmpty ? [moment] : moments, bytes: ownBytes ?? [], expected: expected(),
                observed: observed(), quirk: quirk, isOmission: isOmission) : nil
        entries.append(
            Entry(
                place: place, connection: connection, outcome: isWarning ? .warn(finding) : .fail(finding),
                showsEvent: isListed && ownBytes == nil))
    }

    /// The rule could not be decided. `reason` states what is missing: `the connection's beginning was not captured`.
    public mutating func inconclusive(_ rule: RuleIndex, _ reason: String, connection: Int? = nil) {
        entries.append(
            Entry(place: rule.rawValue, connection: connection ?? moment.connection, outcome: .inconclusive(reason)))
    }
}

extension RuleReport.Outcome {
    fileprivate mutating func setBytes(_ bytes: [UInt8]) {
        switch self {
        case .fail(var finding?):
            finding.bytes = bytes
            self = .fail(finding)
        case .warn(var finding?):
            finding.bytes = bytes
            self = .warn(finding)
        case .pass, .fail(nil), .warn(nil), .inconclusive: break
        }
    }
}
