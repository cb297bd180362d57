import Bluetooth
import Profile

/// Drafts a profile from a C header: a type for each struct, with the layout of a little-endian device.
package enum CHeader {
    /// The draft, with notes on omissions and assumptions by line.
    package struct Reading: Sendable {
        package var draft: ProfileDraft
        package var notes: [(line: Int, text: String)]
    }

    /// Reads a header; throws if it contains no readable struct.
    package static func read(_ header: String, id: String) throws(CHeaderError) -> Reading {
        let parser = CParser(header)
        var maker = CTypeMaker(parser.found)
        maker.makeAll()
        let notes = maker.notes.sorted { $0.line < $1.line }.map { (line: $0.line, text: $0.text) }
        guard !maker.types.isEmpty else { throw CHeaderError(notes: notes) }

        var draft = ProfileDraft(id: id)
        draft.comments = [
            "Made from a C header: types and their fields are the structs'; numbers are little-endian.",
            "To do: put in the UUIDs of the device, the properties of the characteristics, units, ranges and vectors of",
            "real values. Then: gattbench plugins lint --strict profile.yaml",
        ]
        draft.types = maker.types
        let service = uuid(0)
        draft.evidence = [ProfileDraft.Evidence(.service(service), weight: 100)]
        var attributes = ProfileDraft.Service(
            uuid: service, name: id, comment: "The UUIDs are made up: no device has them.")
        for (index, name) in maker.wholes.enumerated() {
            var characteristic = ProfileDraft.Characteristic(
                uuid: uuid(index + 1), name: name, properties: [.read, .notify])
            characteristic.values = [(nil, name)]
            attributes.characteristics.append(characteristic)
        }
        draft.services = [attributes]
        draft.samples = maker.samples
        return Reading(draft: draft, notes: notes)
    }

    /// Placeholder UUIDs, to be replaced by the device's.
    private static func uuid(_ number: Int) -> UUID {
        UUID(value: UInt128(0xFFFF_0000 + UInt32(truncatingIfNeeded: number)) << 96 | 0x0000_4000_8000_00805F9B34FB)
    }
}

/// The header contains no readable struct.
package struct CHeaderError: Error, Sendable {
    /// The reasons, by line.
    package var notes: [(line: Int, text: String)]
}
