import Bluetooth
import Bytes
import Dissection
import PDUTestKit
import TestKit
import Testing

/// Declarations read by handle (Vol 3, Part G, 3.1 to 3.3.1).
struct DeclarationTests {
    private static let server = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(0xFFF0, .characteristic(0xFFF3, [.write, .notify], descriptors: 0xFFF3)))

    /// The parts of a declaration follow the handle and the type of the request, whatever the source of the type.
    @Test(arguments: [true, false])
    func aDeclarationIsTakenApart(_ isImported: Bool) {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.read(0x0004, [0xF0, 0xFF])
        let service = session.recording.packets.count
        link.read(0x0005, hex("18 0600 f3ff"))
        let characteristic = session.recording.packets.count
        if !isImported { link.discover(Self.server) }
        let story = Story(session.recording, imported: isImported ? [Cast.puck: Self.server.table] : [:])
        #expect(values(story, service, ATT.Fields.handle) == [0x0004])
        #expect(values(story, service, ATT.Fields.uuid16) == [0xFFF0])
        #expect(values(story, characteristic, ATT.Fields.handle) == [0x0005, 0x0006])
        #expect(values(story, characteristic, ATT.Fields.uuid16) == [0x2803, 0xFFF3])
    }

    @Test func anIncludeDeclarationIsTakenApart() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.request(ATT.FindInformationRequest(start: 0x0005, end: 0x0005))
        link.respond(ATT.FindInformationResponse(entries: [.init(handle: 0x0005, type: .include)]))
        link.request(ATT.ReadByTypeRequest(start: 0x0005, end: 0x0005, type: .include))
        link.respond(ATT.ReadByTypeResponse(entries: [.init(handle: 0x0005, value: hex("2000 2400 0f18"))]))
        let story = Story(session.recording)
        #expect(values(story, session.recording.packets.count, ATT.Fields.handle) == [0x0005, 0x0020])
    }

    /// A value whose length does not fit a declaration is not decoded as one.
    @Test func aValueOfAnotherLengthIsNoDeclaration() {
        let session = HCISession()
        session.connect(to: Cast.puck).read(0x0005, hex("18 0600 f3"))
        let story = Story(session.recording, imported: [Cast.puck: Self.server.table])
        #expect(values(story, session.recording.packets.count, ATT.Fields.handle) == [0x0005])
        #expect(story.dissected(session.recording.packets.count).diagnoses.isEmpty)
    }

    /// The handle distinguishes a descriptor that has the same type as its characteristic.
    @Test func aDescriptorOfTheValuesTypeIsNamedByItsHandle() {
        let session = HCISession()
        let link = session.connect(to: Cast.puck)
        link.discover(Self.server)
        link.notify(0x0007, [5, 2])
        let use = Story(session.recording).dissected(session.recording.packets.count).attribute
        #expect(use?.owner == "0xfff3")
        #expect(use?.name == "descriptor 0x0007")
    }

    private func values(_ story: Story, _ frame: Int, _ field: Field) -> [UInt64] {
        story.dissected(frame).recorder.fields.filter { $0.field == field }.map(\.value)
    }
}
