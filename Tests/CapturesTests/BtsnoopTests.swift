import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

@Test func h4RecordsTellTypeDirectionAndTime() throws {
    let capture = try ReadCapture(
        Build.btsnoop(
            1002,
            [
                Build.btsnoopRecord(Build.reset, flags: 2),
                Build.btsnoopRecord(Build.resetComplete, flags: 3, time: Build.time + 1),
                Build.btsnoopRecord(Build.notification, flags: 1, time: Build.time + 2),
            ]))
    #expect(capture.format == .btsnoop)
    #expect(capture.packets.map(\.number) == [1, 2, 3])
    #expect(capture.packets.map(\.time.nanoseconds) == [0, 1, 2].map { (Build.time + $0) * 1000 })
    #expect(capture.packets.map(\.direction) == [.sent, .received, .received])
    #expect(capture.views.map { $0?.type } == [.command, .event, .acl])
    #expect(capture.bytes == [Build.reset, Build.resetComplete, Build.notification])
    #expect(capture.payloads == capture.bytes.map { Array($0.dropFirst()) })
    #expect(capture.packets.map(\.frameLength) == capture.bytes.map(\.count))
    #expect(capture.warnings.isEmpty)
}

@Test(
    arguments: [
        (0, .acl, .sent), (1, .acl, .received), (2, .command, .sent), (3, .event, .received),
    ] as [(UInt32, H4PacketType, Direction)])
func h1FlagsTellThePacketType(flags: UInt32, type: H4PacketType, direction: Direction) throws {
    let capture = try ReadCapture(Build.btsnoop(1001, [Build.btsnoopRecord(hex("030c00"), flags: flags)]))
    let view = try #require(capture.views[0])
    #expect(view.type == type)
    #expect(view.direction == direction)
    #expect(capture.payloads[0] == hex("030c00"))
}

@Test func monitorRecordsTellOpcodeAndAdapter() throws {
    let capture = try ReadCapture(
        Build.btsnoop(
            2001,
            MonitorOpcode.table.map { Build.btsnoopRecord([1, 2, 3], flags: 7 << 16 | UInt32($0.opcode.rawValue)) }))
    #expect(capture.packets.count == 20)
    #expect(capture.packets.allSatisfy { $0.adapter == 7 && $0.encapsulation == .monitor })
    let views = capture.views.compactMap { $0 }
    #expect(views.map(\.recordType) == Array(0..<20))
    #expect(
        views.filter { $0.type != nil }.map {
            [Int($0.recordType), Int($0.type?.rawValue ?? 0), Int($0.direction.rawValue)]
        }
            == [[2, 1, 1], [3, 4, 2], [4, 2, 1], [5, 2, 2], [6, 3, 1], [7, 3, 2], [18, 5, 1], [19, 5, 2]])
    #expect(MonitorOpcode.systemNote.name == "System Note")
    #expect(MonitorOpcode(rawValue: 20).name == nil)
}

@Test func unknownMonitorOpcodeIsARecord() throws {
    let capture = try ReadCapture(Build.btsnoop(2001, [Build.btsnoopRecord([1], flags: 0xFFFF_1234)]))
    let view = try #require(capture.views[0])
    #expect(view.type == nil)
    #expect(view.recordType == 0x1234)
    #expect(view.adapter == 0xFFFF)
}

@Test func aCutRecordIsMarked() throws {
    let capture = try ReadCapture(
        Build.btsnoop(
            1002, [Build.btsnoopRecord(Build.reset, original: 0xFFFF_FFFF), Build.btsnoopRecord(Build.reset)]))
    #expect(capture.packets.map(\.isCut) == [true, false])
    #expect(capture.packets[0].originalLength == 0xFFFF_FFFF)
}

@Test func aRecordLongerThanItsOriginalIsReadWithAWarning() throws {
    let capture = try ReadCapture(Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset, original: 2)]))
    #expect(capture.packets.map(\.originalLength) == [4])
    #expect(capture.warnings.map(\.offset) == [16])
}

@Test(arguments: [Int64.min, 0, .max])
func extremeTimesDoNotOverflow(raw: Int64) throws {
    var file = Build.btsnoop(1002, [Build.btsnoopRecord(Build.reset)])
    file.replaceSubrange(32..<40, with: Build.integer(raw, .bigEndian))
    let capture = try ReadCapture(file)
    #expect(capture.packets[0].time.nanoseconds == (raw <= 0 ? .min : .max))
}

@Test func anotherDataLinkIsNamed() {
    let error = #expect(throws: CaptureError.self) { try ReadCapture(Build.btsnoop(1003, [])) }
    #expect(error?.kind == .unsupported)
    #expect(
        error?.description
            == "test: offset 12: btsnoop data link HCI over BCSP (1003) is not read; "
            + "1001 (H1), 1002 (H4), 1004 (H5) and 2001 (Linux monitor) are")
}

@Test func anotherVersionIsRefused() {
    var file = Build.btsnoop(1002, [])
    file[11] = 2
    let error = #expect(throws: CaptureError.self) { try ReadCapture(file) }
    #expect(error?.kind == .unsupported)
    #expect(error?.finding.offset == 8)
}

@Test func cumulativeDropsMarkThePacketAfterADrop() throws {
    let capture = try ReadCapture(
        Build.btsnoop(1002, [0, 0, 2, 2, 3].map { Build.btsnoopRecord(Build.notification, flags: 1, drops: $0) }))
    #expect(capture.packets.map(\.followsDrop) == [false, false, true, false, true])
    #expect(capture.packets.allSatisfy { $0.adapter == 0 })
}

@Test func monitorRecordsKeepTheirAdapterBesideADrop() throws {
    let capture = try ReadCapture(
        Build.btsnoop(2001, [0, 1].map { Build.btsnoopRecord([1], flags: 0xFFFF_0002, drops: $0) }))
    #expect(capture.packets.map(\.followsDrop) == [false, true])
    #expect(capture.packets.map(\.adapter) == [0xFFFF, 0xFFFF])
}
