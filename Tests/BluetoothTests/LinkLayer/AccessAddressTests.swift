import Bluetooth
import Testing

@Test(
    arguments: [
        (0x50C2_1A97, true), (0x92DD_A6F5, true), (0x90C5_EE5B, true),
        // The advertising access address, and addresses one bit from it.
        (0x8E89_BED6, false), (0x8E89_FED6, false), (0x8F89_BED6, false),
        // Six and seven equal bits; equal octets; 31 changes; one change in the top six bits.
        (0x50C0_9A97, true), (0x50C0_5A97, false), (0x5A5A_5A5A, false), (0x5555_5556, false), (0x1F2C_6A97, false),
    ] as [(UInt32, Bool)])
func accessAddressesOfConnectionsFollowTheRules(address: UInt32, isValid: Bool) {
    #expect(LL.AccessAddress(rawValue: address).isValidForConnection == isValid)
}

/// D = (35 n + 42) mod 128 is 42, 77, 112 (Vol 6, Part B, 2.1.2).
@Test(arguments: [(0, 0x7A41_2493), (1, 0x85E3_2493), (2, 0x79D5_2493)] as [(UInt8, UInt32)])
func accessAddressesOfAGroupFollowFromTheSeed(stream: UInt8, address: UInt32) {
    #expect(LL.AccessAddress(seed: 0x78E5_2493, stream: stream).rawValue == address)
}
