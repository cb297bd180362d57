/// A mapping that is being read: knows which of its keys were taken, and reports the others.
package final class Keys {
    let node: YAMLNode
    let faults: FaultList
    private let entries: [YAMLNode.Entry]
    /// Keys that a reader has asked for, there or not, in that order; some of them twice.
    private var known: [String] = []
    /// Keys that others of the kind have, for those who misspelled one of them.
    private var vocabulary: [String] = []

    init(_ entries: [YAMLNode.Entry], of node: YAMLNode, _ faults: FaultList) {
        self.entries = entries
        self.node = node
        self.faults = faults
    }

    package var place: SourcePlace { node.place }

    /// The node under a key.
    func node(_ key: String) -> YAMLNode? {
        known.append(key)
        return entries.first { $0.key.text == key }?.value
    }

    /// Whether a key is there, to decide what else may be.
    package func has(_ key: String) -> Bool {
        entries.contains { $0.key.text == key }
    }

    /// Whether one of several keys is there.
    package func hasAny(_ keys: [String]) -> Bool { keys.contains(where: has) }

    /// What stands under a key; nil where it is missing or wrong.
    package func take<Value>(_ key: String, _ form: @autoclosure () -> Form<Value>) -> Value? {
        node(key).flatMap { form().read($0, faults) }
    }

    /// What must stand under a key.
    package func require<Value>(_ key: String, _ form: Form<Value>) -> Value? {
        guard let node = node(key) else {
            missing("\"\(key)\", \(form.expected)")
            return nil
        }
        return form.read(node, faults)
    }

    /// The elements of a list that may be missing.
    func list<Element>(_ key: String, of form: @autoclosure () -> Form<Element>) -> [Element] {
        take(key, .list(of: form())) ?? []
    }

    /// What stands under the one of several keys that must be there.
    package func one<Value>(of what: String, _ forms: [(key: String, value: Form<Value>)]) -> Value? {
        known += forms.map(\.key)
        let present = forms.filter { has($0.key) }
        guard let first = present.first else {
            missing("\(what), \(Advice.list(forms.map { "\"\($0.key)\"" }))")
            return nil
        }
        for other in present.dropFirst() { report("cannot stand beside \"\(first.key)\"", at: other.key) }
        return take(first.key, first.value)
    }

    /// Reports keys that are right elsewhere; `names` are those that are right anywhere.
    func refuse(_ names: [String], _ text: String) {
        vocabulary += names
        for name in names where has(name) && !known.contains(name) {
            known.append(name)
            report(text, at: name)
        }
    }

    /// Leaves what was not taken alone, where the fault that was reported makes it meaningless.
    package func passOver() {
        known += entries.map(\.key.text)
    }

    /// Says that something belongs here and is not.
    public func missing(_ what: String) {
        faults.add("expected \(what); it is missing", at: node)
    }

    /// Says what is wrong with a key.
    public func report(_ text: String, at key: String) {
        guard let entry = entries.first(where: { $0.key.text == key }) else { return faults.add(text, at: node) }
        faults.add("\(key): \(text)", at: entry.place)
    }

    /// Reports the keys that nobody has asked for.
    func reportOthers() {
        for entry in entries where !known.contains(entry.key.text) {
            let name = entry.key.text
            let known = known.enumerated().filter { !self.known[..<$0.offset].contains($0.element) }.map(\.element)
            let meant = Advice.meant(name, among: (known + vocabulary).filter { !has($0) })
            let all = known.isEmpty ? "" : "; the keys are \(known.joined(separator: ", "))"
            faults.add("unknown key \(entry.key.described)\(meant.isEmpty ? all : meant)", at: entry.place)
        }
    }
}
