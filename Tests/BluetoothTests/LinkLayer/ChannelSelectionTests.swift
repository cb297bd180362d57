import Bluetooth
import Testing

/// Sample data of Channel Selection Algorithm #2: channel identifier 0x305F with all channels, and with the nine channels
/// 9, 10, 21 to 23 and 33 to 36 (Vol 6, Part C, 3.1 and 3.2).
@Test(
    arguments: [
        (0, .all, 25), (1, .all, 20), (2, .all, 6), (3, .all, 21), (65536, .all, 25), (6, nineChannels, 23),
        (7, nineChannels, 9), (8, nineChannels, 34),
    ] as [(UInt64, ChannelMap, UInt8)])
func algorithm2FollowsItsSampleData(event: UInt64, map: ChannelMap, channel: UInt8) {
    let selection = LL.ChannelSelection.algorithm2(.advertising)
    #expect(selection.channel(ofEvent: event, in: map).rawValue == channel)
}

private let nineChannels = ChannelMap(bits: [9, 10, 21, 22, 23, 33, 34, 35, 36].reduce(0) { $0 | 1 << UInt64($1) })

/// The unmapped channel is one hop from that of the previous event; an unused one is mapped to the used channel with
/// index unmapped mod 9 (Vol 6, Part B, 4.5.8.2).
@Test func algorithm1HopsAndRemaps() {
    let selection = LL.ChannelSelection.algorithm1(hop: 7)
    #expect((0..<8).map { selection.channel(ofEvent: $0, in: .all).rawValue } == [7, 14, 21, 28, 35, 5, 12, 19])
    #expect(selection.channel(ofEvent: 37, in: .all).rawValue == 7)
    // 7 mod 9 is 7: channel 35; 14 mod 9 is 5: channel 33; 21 is used.
    #expect((0..<3).map { selection.channel(ofEvent: $0, in: nineChannels).rawValue } == [35, 33, 21])
    #expect(selection.channel(ofEvent: .max, in: nineChannels).rawValue < 37)
}

@Test(arguments: [LL.ChannelSelection.algorithm1(hop: 16), .algorithm2(.advertising)])
func channelsOutsideTheMapAreNotSelected(selection: LL.ChannelSelection) {
    for event in 0..<1000 as Range<UInt64> {
        #expect(nineChannels.contains(Int(selection.channel(ofEvent: event, in: nineChannels).rawValue)))
        #expect(selection.channel(ofEvent: event, in: ChannelMap(bits: 1 << 36)).rawValue == 36)
        #expect(selection.channel(ofEvent: event, in: ChannelMap(bits: 0)).rawValue < 37)
    }
}
