/// Reader of a mapping. It tracks the keys requested and reports all others.
package final class Keys {
    let node: YAMLNode
    let faults: FaultList
    private let entries: [YAMLNode.Entry]
    /// Keys requested so far, present or not, in that order; may contain duplicates.
    private var known: [String] = []
    /// Keys valid elsewhere, used to suggest corrections of misspelled keys.
    private var vocabulary: [String] = []

    init(_ entries: [YAMLNode.Entry], of node: YAMLNode, _ faults: FaultList) {
        self.entries = entries
        self.node = node
        self.faults = faults
    }

    package var place: SourcePlace { node.place }

    /// The node under a key; records the key as requested.
    func node(_ key: String) -> YAMLNode? {
        known.append(key)
        return entries.first { $0.key.text == key }?.value
    }

    /// Whether a key is present. Does not record it as requested.
    package func has(_ key: String) -> Bool {
        entries.contains { $0.key.text == key }
    }

    /// Whether any of several keys is present.
    package func hasAny(_ keys: [String]) -> Bool { keys.contains(where: has) }

    /// The value of an optional key; nil if the key is missing or the value is invalid.
    package func take<Value>(_ key: String, _ form: @autoclosure () -> Form<Value>) -> Value? {
        node(key).flatMap { form().read($0, faults) }
    }

    /// The value of a required key; a missing key is a fault.
    package func require<Value>(_ key: String, _ form: Form<Value>) -> Value? {
        guard let node = node(key) else {
            missing("\"\(key)\", \(form.expected)")
            return nil
        }
        return form.read(node, faults)
    }

    /// The elements of an optional list.
    func list<Element>(_ key: String, of form: @autoclosure () -> Form<Element>) -> [Element] {
        take(key, .list(of: form())) ?? []
    }

    /// The value of the one key, out of several, that must be present.
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

    /// Reports keys that are valid only elsewhere; `names` lists them.
    func refuse(_ names: [String], _ text: String) {
        vocabulary += names
        for name in names where has(name) && !known.contains(name) {
            known.append(name)
            report(text, at: name)
        }
    }

    /// Accepts all remaining keys, because a fault already reported makes them meaningless.
    package func passOver() {
        known += entries.map(\.key.text)
    }

    /// Reports a missing key or value.
    public func missing(_ what: String) {
        faults.add("expected \(what); it is missing", at: node)
    }

    /// Reports a fault of a key.
    public func report(_ text: String, at key: String) {
        guard let entry = entries.first(where: { $0.key.text == key }) else { return faults.add(text, at: node) }
        faults.add("\(key): \(text)", at: entry.place)
    }

    /// Reports unknown keys: those never requested.
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
