import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// The channels of a connection, driven by the bytes of its packets.
private struct Link {
    var channels = L2CAP.CreditBasedChannels()

    @discardableResult
    mutating func signal(_ bytes: String, _ direction: L2CAP.Direction) throws -> [L2CAP.ChannelFault] {
        try readSignals(hex(bytes)).flatMap { channels.observe(try $0.get(), direction) }
    }

    /// Sends a K-frame's payload.
    mutating func frame(
        _ bytes: [UInt8], on cid: UInt16 = 0x41, _ direction: L2CAP.Direction = .sent
    ) throws -> L2CAP.CreditBasedChannels.Reception? {
        var reader = ByteReader(bytes.span)
        return try channels.receive(&reader, on: .init(cid), direction)
    }

    /// A channel from 0x40 (ours) to 0x41 (the peer's), MTU 64, MPS 23, 2 credits each way.
    static func open() throws -> Link {
        var link = Link()
        try link.signal("14 01 0a00 8100 4000 4000 1700 0200", .sent)
        try link.signal("15 01 0a00 4100 4000 1700 0200 0000", .received)
        return link
    }
}

@Test func channelIsLearnedFromRequestAndResponse() throws {
    var link = Link()
    try link.signal("14 01 0a00 8100 4000 0004 6400 0400", .received)
    #expect(link.channels.endpoint(.init(0x40), .sent) == nil)
    try link.signal("15 01 0a00 4200 0002 3000 0500 0000", .sent)
    let toRequester = try #require(link.channels.endpoint(.init(0x40), .sent))
    #expect(toRequester.spsm == L2CAP.SPSM(0x81))
    #expect(toRequester.mtu == 1024)
    #expect(toRequester.mps == 100)
    #expect(toRequester.credits == 4)
    #expect(toRequester.partner == L2CAP.ChannelID(0x42))
    let toResponder = try #require(link.channels.endpoint(.init(0x42), .received))
    #expect(toResponder.mtu == 512)
    #expect(toResponder.mps == 48)
    #expect(toResponder.credits == 5)
    #expect(link.channels.isCreditBased(.init(0x42), .received))
    #expect(!link.channels.isCreditBased(.init(0x42), .sent))
    #expect(!link.channels.isCreditBased(.att, .sent))
}

/// Each side numbers its own requests (Vol 3, Part A, 4).
@Test func requestsOfBothSidesMayHaveTheSameIdentifier() throws {
    var link = Link()
    try link.signal("14 01 0a00 8100 4000 4000 1700 0200", .sent)
    try link.signal("14 01 0a00 8100 5000 4000 1700 0200", .received)
    try link.signal("15 01 0a00 4200 4000 1700 0200 0000", .sent)
    try link.signal("15 01 0a00 4100 4000 1700 0200 0000", .received)
    #expect(link.channels.endpoint(.init(0x50), .sent)?.partner == L2CAP.ChannelID(0x42))
    #expect(link.channels.endpoint(.init(0x40), .received)?.partner == L2CAP.ChannelID(0x41))
}

@Test func refusedOrUnansweredChannelIsNotLearned() throws {
    var link = Link()
    try link.signal("14 01 0a00 8100 4000 0004 6400 0400", .received)
    try link.signal("15 01 0a00 0000 0000 0000 0000 0200", .sent)
    #expect(!link.channels.isCreditBased(.init(0x40), .sent))
    try link.signal("14 02 0a00 8100 4000 0004 6400 0400", .received)
    try link.signal("01 02 0200 0000", .sent)
    try link.signal("15 02 0a00 4200 0002 3000 0500 0000", .sent)
    #expect(!link.channels.isCreditBased(.init(0x40), .sent))
}

@Test func enhancedRequestOpensSeveralChannelsOrSome() throws {
    var link = Link()
    try link.signal("17 07 0e00 2700 4000 4000 0300 5000 5100 5200", .sent)
    try link.signal("18 07 0e00 8000 6000 0a00 0400 6000 0000 6200", .received)
    #expect(link.channels.endpoint(.init(0x50), .received)?.partner == L2CAP.ChannelID(0x60))
    #expect(link.channels.endpoint(.init(0x51), .received) == nil)
    let last = try #require(link.channels.endpoint(.init(0x62), .sent))
    #expect(last.spsm == .eatt)
    #expect(last.mtu == 128)
    #expect(last.mps == 96)
    #expect(last.credits == 10)
    try link.signal("19 08 0600 0001 8000 5200", .sent)
    try link.signal("1a 08 0200 0000", .received)
    #expect(link.channels.endpoint(.init(0x52), .received)?.mtu == 256)
    #expect(link.channels.endpoint(.init(0x52), .received)?.mps == 128)
    #expect(link.channels.endpoint(.init(0x50), .received)?.mtu == 64)
    try link.signal("19 09 0600 0001 8000 9900", .sent)
    #expect(try link.signal("1a 09 0200 0000", .received) == [.unknownChannel(.init(0x99))])
}

@Test func oneFrameHoldsAWholeSDU() throws {
    var link = try Link.open()
    let bytes = hex("0300 0a0300")
    var reader = ByteReader(bytes.span)
    let reception = try #require(try link.channels.receive(&reader, on: .init(0x41), .sent))
    #expect(reception.spsm == L2CAP.SPSM(0x81))
    #expect(reception.progress == .whole)
    #expect(reception.faults == [])
    let sdu = reader.restBytes
    #expect(sdu == hex("0a0300"))
}

@Test func framesMakeAnSDU() throws {
    var link = try Link.open()
    try link.signal("16 02 0400 4100 0a00", .received)
    #expect(try link.frame(hex("0700 010203"))?.progress == .part(received: 3, of: 7))
    #expect(try link.frame(hex("0405"))?.progress == .part(received: 5, of: 7))
    #expect(link.channels.endpoint(.init(0x41), .sent)?.expectsFirstFrame == false)
    #expect(try link.frame(hex("0607"))?.progress == .complete([1, 2, 3, 4, 5, 6, 7]))
    #expect(try link.frame(hex("0000"))?.progress == .whole)
    #expect(link.channels.endpoint(.init(0x41), .sent)?.credits == 8)
    #expect(link.channels.endpoint(.init(0x40), .received)?.credits == 2)
}

@Test func sduLengthIsRecordedInFirstFramesOnly() throws {
    var link = try Link.open()
    let recorder = FieldRecorder()
    for bytes in [hex("0400 0102"), hex("0304")] {
        var reader = ByteReader(bytes.span, origin: 13, recorder: recorder)
        _ = try link.channels.receive(&reader, on: .init(0x41), .sent)
    }
    #expect(recorded(recorder) == ["btl2cap.le_sdu_length=4"])
    #expect(recorder.fields.first?.offset == 13)
}

@Test func frameTooShortForItsSDULengthIsNamed() throws {
    var link = try Link.open()
    let error = #expect(throws: DecodeError.self) { _ = try link.frame([7]) }
    #expect(error?.field == "SDU Length")
}

@Test func faultsAreValues() throws {
    var link = try Link.open()
    #expect(try link.frame(hex("0200 010203"))?.faults == [.sduOverrun(announced: 2, received: 3)])
    #expect(try link.frame(hex("4100 01"))?.faults == [.sduExceedsMTU(length: 65, mtu: 64)])
    let long = try #require(try link.frame([UInt8](repeating: 0, count: 70)))
    #expect(long.progress == .discarded)
    #expect(
        long.faults == [
            .noCredit, .frameExceedsMPS(length: 70, mps: 23), .sduOverrun(announced: 65, received: 71),
        ])
    #expect(link.channels.endpoint(.init(0x41), .sent)?.expectsFirstFrame == true)
    #expect(try link.signal("16 02 0400 4100 ffff", .received) == [])
    #expect(try link.signal("16 03 0400 4100 0100", .received) == [.creditOverflow(total: 65536)])
    #expect(try link.signal("16 04 0400 7700 0100", .received) == [.unknownChannel(.init(0x77))])
    #expect(try link.frame(hex("0100 01"), on: 0x77) == nil)
}

@Test func closedChannelIsForgotten() throws {
    var link = try Link.open()
    try link.signal("06 05 0400 4000 4100", .received)
    #expect(link.channels.isCreditBased(.init(0x41), .sent))
    try link.signal("07 05 0400 4000 4100", .sent)
    #expect(!link.channels.isCreditBased(.init(0x41), .sent))
    #expect(!link.channels.isCreditBased(.init(0x40), .received))
}

@Test func sduWithLostBytesIsDiscarded() throws {
    var link = try Link.open()
    #expect(try link.frame(hex("0500 0102"))?.progress == .part(received: 2, of: 5))
    #expect(link.channels.lose(payload: [], length: 1, on: .init(0x41), .sent) == [])
    #expect(try link.frame(hex("0405"))?.progress == .discarded)
    #expect(link.channels.endpoint(.init(0x41), .sent)?.expectsFirstFrame == true)
    #expect(link.channels.lose(payload: hex("0400"), length: 4, on: .init(0x41), .sent) == [.noCredit])
    #expect(try link.frame(hex("0304"))?.progress == .discarded)
    _ = link.channels.lose(payload: hex("0400"), length: 6, on: .init(0x41), .sent)
    #expect(link.channels.endpoint(.init(0x41), .sent)?.expectsFirstFrame == true)
}

@Test func anSDUWhoseBytesWereForgottenIsDiscarded() throws {
    var link = try Link.open()
    #expect(try link.frame(hex("0400 0102"))?.progress == .part(received: 2, of: 4))
    #expect(link.channels.heldBytes == 2)
    link.channels.dropHeldBytes()
    #expect(link.channels.heldBytes == 0)
    #expect(try link.frame(hex("0304"))?.progress == .discarded)
    #expect(try link.frame(hex("0100 05"))?.progress == .whole)
}

@Test func aRequestIsForFiveChannelsAtMost() throws {
    var link = Link()
    try link.signal("17 07 1400 2700 4000 4000 0300 5000 5100 5200 5300 5400 5500", .sent)
    try link.signal("18 07 1400 8000 6000 0a00 0000 6000 6100 6200 6300 6400 6500", .received)
    #expect(link.channels.isCreditBased(.init(0x54), .received))
    #expect(!link.channels.isCreditBased(.init(0x55), .received))
    try link.signal("19 08 1000 0001 8000 9000 9100 9200 9300 9400 9500", .sent)
    #expect(try link.signal("1a 08 0200 0000", .received).count == 5)
}

@Test func channelsAreCapped() throws {
    var link = Link()
    for number in 0..<40 {
        let cid = hexText([UInt8(0x40 + number), 0])
        try link.signal("14 01 0a00 8100 \(cid) 4000 1700 0200", .sent)
        let faults = try link.signal("15 01 0a00 \(cid) 4000 1700 0200 0000", .received)
        #expect(faults == (number < L2CAP.CreditBasedChannels.capacity ? [] : [.tooManyChannels]))
    }
    try link.signal("14 01 0a00 8100 4000 4000 1700 0200", .sent)
    #expect(try link.signal("15 01 0a00 9900 4000 1700 0200 0000", .received) == [])
    #expect(link.channels.endpoint(.init(0x40), .received)?.partner == L2CAP.ChannelID(0x99))
}

@Test func randomTrafficNeitherTrapsNorGrows() throws {
    var generator = Xorshift(state: 0x5EED)
    var link = try Link.open()
    for _ in 0..<20_000 {
        let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
            UInt8.random(in: 0...9, using: &generator)
        }
        let direction: L2CAP.Direction = .random(in: 0...1, using: &generator) == 0 ? .sent : .received
        if .random(in: 0...1, using: &generator) == 0 {
            _ = try? link.frame(bytes, on: .random(in: 0x3F...0x42, using: &generator), direction)
        } else {
            let code = UInt8.random(in: 0x14...0x1A, using: &generator)
            for signal in readSignals([code, 1, UInt8(bytes.count), 0] + bytes.map { $0 | 0x40 }) {
                if let signal = try? signal.get() { _ = link.channels.observe(signal, direction) }
            }
        }
    }
}

/// A deterministic generator.
private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

@Test func channelsAreNumberedForBothEnds() throws {
    var link = Link()
    try link.signal("17 01 0e00 2700 6400 4000 0500 4000 4100 4200", .sent)
    try link.signal("18 01 0e00 5000 4000 0500 0400 5000 0000 5200", .received)
    #expect(link.channels.endpoint(.init(0x40), .received)?.number == 1)
    #expect(link.channels.endpoint(.init(0x50), .sent)?.number == 1)
    #expect(link.channels.endpoint(.init(0x41), .received) == nil)
    #expect(link.channels.endpoint(.init(0x52), .sent)?.number == 2)
    #expect(link.channels.mtus(of: .eatt) == [1: 80, 2: 80])
    try link.signal("19 02 0600 7800 4000 5200", .received)
    try link.signal("1a 02 0200 0000", .sent)
    #expect(link.channels.mtus(of: .eatt) == [1: 80, 2: 100])
    try link.signal("06 03 0400 5000 4000", .sent)
    try link.signal("07 03 0400 5000 4000", .received)
    #expect(link.channels.mtus(of: .eatt) == [2: 100])
    #expect(link.channels.mtus(of: .ots).isEmpty)
}

/// A channel number is reused only after all others.
@Test func numbersComeAgainLast() throws {
    var link = Link()
    for count in 1...256 {
        try link.signal("14 01 0a00 2700 4000 4000 4000 0200", .sent)
        try link.signal("15 01 0a00 4100 4000 4000 0200 0000", .received)
        #expect(Int(link.channels.endpoint(.init(0x41), .sent)?.number ?? 0) == (count - 1) % 255 + 1)
    }
}
