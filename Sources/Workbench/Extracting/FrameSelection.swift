import Bluetooth
package import Conversation
package import Dissection

/// The frames that a user selects: those that satisfy all options that are given.
package struct FrameSelection: Sendable {
    package var filter: DisplayFilter?
    /// Numbers of connections, from 1.
    package var connections: [Int] = []
    /// Addresses or names of devices.
    package var devices: [String] = []
    /// Numbers of frames, which stand for the procedures that they belong to.
    package var procedures: [Int] = []

    package init() {}

    /// Adds a display filter, whose fields may be those of plugins.
    package mutating func setFilter(_ text: String, plugins: PluginSet) throws(FilterError) {
        filter = try DisplayFilter(text, catalog: .all(plugins: plugins))
    }

    package var isEmpty: Bool {
        filter == nil && connections.isEmpty && devices.isEmpty && procedures.isEmpty
    }

    /// The frames that the options besides the filter select.
    func frames(of outline: FrameOutline) throws(SelectionFault) -> FrameSet {
        for number in connections where !(1...max(1, outline.ends.count)).contains(number) || outline.ends.isEmpty {
            throw SelectionFault("there is no connection \(number)", "the capture has \(outline.ends.count)")
        }
        let wantedConnections = Set(connections.map { Int32($0 - 1) })
        var wantedDevices: Set<Int32> = []
        for name in devices {
            let address = Address(name)
            let found = outline.devices { address == nil ? $0.name == name : $0.address?.address == address }
            guard !found.isEmpty else {
                throw SelectionFault("there is no device \(name)", "“gattbench stats” lists the devices of a capture")
            }
            wantedDevices.formUnion(found)
        }
        var wantedProcedures: Set<UInt32> = []
        for number in procedures {
            guard let index = outline.index(ofFrame: number) else {
                throw SelectionFault("there is no frame \(number)", "the capture has \(outline.frames.count)")
            }
            wantedProcedures.insert(outline.frames[index].procedure)
        }
        var selected = FrameSet()
        for (index, frame) in outline.frames.enumerated() {
            if !connections.isEmpty, !wantedConnections.contains(frame.connection) { continue }
            if !procedures.isEmpty, !wantedProcedures.contains(frame.procedure) { continue }
            if !devices.isEmpty, outline.devices(of: index).isDisjoint(with: wantedDevices) { continue }
            selected.insert(Int(frame.number))
        }
        return selected
    }
}

extension FrameOutline {
    /// The devices that a frame concerns: its sender and receiver, the ends of its connection, the senders of its
    /// reports.
    func devices(of index: Int) -> Set<Int32> {
        let frame = frames[index]
        var devices: Set = [frame.sender, frame.receiver]
        if ends.indices.contains(Int(frame.connection)) {
            devices.insert(ends[Int(frame.connection)].sender)
            devices.insert(ends[Int(frame.connection)].receiver)
        }
        for device in reporters[index] ?? [] { devices.insert(resolved(device)) }
        devices.remove(-1)
        return devices
    }
}

/// A selection names something that is not in the capture.
package struct SelectionFault: Error, CustomStringConvertible {
    private let text: String
    private let advice: String

    init(_ text: String, _ advice: String) {
        (self.text, self.advice) = (text, advice)
    }

    package var description: String { "\(text); \(advice)" }
}
