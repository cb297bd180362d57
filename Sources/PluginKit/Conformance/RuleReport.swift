import Bytes
public import Profile

/// Collects the outcomes of rules. A rule without an outcome was not applicable.
public struct RuleReport {
    /// What was said that is no pass of the event's own connection.
    public enum Outcome: Sendable {
        /// The rule was obeyed once.
        case pass
        /// Nil where so much of it is listed already that no more will be.
        case fail(Finding?)
        /// The same of a rule that is of severity error, where only a warning is due.
        case warn(Finding?)
        /// It cannot be told whether the rule was obeyed, for this reason.
        case inconclusive(String)
    }

    /// An outcome with the place of its rule and the connection that it is about, 0 for none.
    public struct Entry: Sendable {
        public var place: Int
        public var connection: Int
        public var outcome: Outcome
        /// Whether its finding shows the event's bytes.
        var showsEvent = false
    }

    /// The places of the rules that were obeyed on the event's connection, with room that events before have taken.
    private var passedPlaces: [Int] = []
    /// How many of them are of this event.
    private var passCount = 0
    /// What else was said, in order.
    public private(set) var entries: [Entry] = []
    /// The rule that is run, if it is one that reports about itself alone.
    package var rule = RuleIndex(0)
    /// The event that the rules see; frame 0 at the end.
    public private(set) var moment = FrameReference(frame: 0, time: .epoch)
    /// Connections of which something is known to be missing.
    private var gapped: Set<Int> = []
    /// Whether findings are listed at all, and rules of which enough are listed for a connection.
    private var listsFindings = true
    private var listed: [Bool]
    private var listedConnection = 0

    /// Connections that are remembered for their gaps.
    private static let gapLimit = 4096

    /// `ruleCount` is the number of rules in the profile.
    public init(ruleCount: Int) {
        listed = Array(repeating: false, count: ruleCount)
    }

    /// The places of the rules that were obeyed on the event's connection: most of what is said.
    public var passes: ArraySlice<Int> { passedPlaces[..<passCount] }
    /// Whether nothing was said.
    public var isEmpty: Bool { passCount == 0 && entries.isEmpty }

    /// The engine turns to an event.
    public mutating func turn(to moment: FrameReference) { self.moment = moment }

    /// Gives the event's bytes to the findings that show them.
    package mutating func addBytes(_ bytes: @autoclosure () -> ArraySlice<UInt8>?) {
        for place in entries.indices where entries[place].showsEvent {
            entries[place].outcome.setBytes(Array(bytes() ?? []))
        }
    }

    /// Enough is listed of how a rule was broken on a connection: further findings are counted and not made.
    public mutating func enough(of place: Int, on connection: Int) {
        if connection != listedConnection { listAnew() }
        listedConnection = connection
        listed[place] = true
    }

    /// Findings are listed again.
    public mutating func listAnew() {
        for place in listed.indices where listed[place] { listed[place] = false }
    }

    /// No finding will be listed any more.
    public mutating func listNothing() { listsFindings = false }

    /// Something of a connection is missing: from now on, nothing is held against anybody that may be excused by it.
    public mutating func noteGap(on connection: Int) {
        if gapped.count < Self.gapLimit { gapped.insert(connection) }
    }

    /// The engine has taken what was said.
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

    /// The rule was obeyed on a connection, which may be another one than the event's.
    public mutating func pass(_ rule: RuleIndex, connection: Int) {
        if connection == moment.connection { return pass(rule) }
        entries.append(Entry(place: rule.rawValue, connection: connection, outcome: .pass))
    }

    /// The rule was broken. Without `moments`, the event breaks it; else the last of them does. Without `bytes`, they are
    /// those of the event's value.
    ///
    /// Where it takes more than the event to see it, what is missing of the connection may be the excuse: then it is
    /// inconclusive. Rules themselves take care of what the event alone would show but for something before it.
    ///
    /// With `isWarning`, the finding is a warning though the rule is of severity error. With `isOmission`, something is
    /// missing before the event, which is no consequence of what else is wrong with it.
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

    /// It cannot be told whether the rule was obeyed. `reason` says what is lacking: `the connection's beginning was not
    /// captured`.
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
