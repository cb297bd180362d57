import Bluetooth
import Bytes
import Testing

@Test func controllerErrorsAreNamed() {
    #expect(ControllerError.success.name == "Success")
    #expect(ControllerError.connectionTimeout.name == "Connection Timeout")
    #expect(ControllerError.remoteUserTerminatedConnection.name == "Remote User Terminated Connection")
    #expect(ControllerError.instantPassed.name == "Instant Passed")
    #expect(ControllerError.connectionTerminatedByMICFailure.name == "Connection Terminated due to MIC Failure")
    #expect(ControllerError.operationCancelledByHost.name == "Operation Cancelled by Host")
    #expect(ControllerError(rawValue: 0x46).name == "Too Late")
    #expect(ControllerError(rawValue: 0x2B).name == nil)
    #expect((0x48...0xFF).allSatisfy { ControllerError(rawValue: $0).name == nil })
}

@Test func versionsAreNamed() {
    #expect(CoreVersion(rawValue: 6).name == "4.0")
    #expect(CoreVersion(rawValue: 13).name == "5.4")
    #expect(CoreVersion(rawValue: 200).name == nil)
}

@Test func featuresAreNamed() {
    let features = LinkLayerFeatures(bits: 1 | 1 << 12 | 1 << 44 | 1 << 60)
    #expect(features.contains(12))
    #expect(!features.contains(64))
    #expect(
        features.names == [
            "LE Encryption", "LE Extended Advertising", "Periodic Advertising with Responses - Scanner", "Feature 60",
        ])
}

@Test func channelMapCountsItsChannels() {
    #expect(ChannelMap.all.usedCount == 37)
    #expect(ChannelMap(bits: 0xE0_0000_0001).usedCount == 1)
    #expect(ChannelMap(bits: 0x10_0000_0000).contains(36))
    #expect(!ChannelMap(bits: 0x20_0000_0000).contains(37))
    #expect(ChannelMap.bitFields[10].label == "RF Channel 11 (2424 MHz - Data - 10)")
    #expect(ChannelMap.bitFields[11].label == "RF Channel 13 (2428 MHz - Data - 11)")
    #expect(ChannelMap.bitFields[36].label == "RF Channel 38 (2478 MHz - Data - 36)")
}
