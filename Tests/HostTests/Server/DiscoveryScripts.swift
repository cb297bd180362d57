import Testing

/// Discovery of a server (GATT.TS, Server, GAC and GAD).
private let scripts = [
    PDUScript(
        "GATT/SR/GAC/BV-01-C", "exchanges the MTU",
        """
        > 02 4000
        < 03 4000
        = mtu 64
        """),
    PDUScript(
        "ATT 3.4.2.2", "the smaller MTU counts, 23 at least, and the first exchange",
        """
        > 02 1900
        < 03 4000
        = mtu 25
        > 02 4000
        < 03 4000
        > 0a 2300
        < 0b 000102030405060708090a0b0c0d0e0f1011121314151617
        """),
    PDUScript(
        "ATT 3.4.2.1", "an MTU below 23 changes nothing",
        """
        > 02 0500
        < 03 4000
        """),
    PDUScript(
        "GATT/SR/GAD/BV-01-C", "discovers all primary services",
        """
        > 10 0100 ffff 0028
        < 11 06 0100 0500 0018 0600 0d00 0118 1000 1300 0f18
        > 10 1400 ffff 0028
        < 11 14 2000 3600 ffeeddccbbaa0080004000000100 00f0
        > 10 3700 ffff 0028
        < 01 10 3700 0a
        """),
    PDUScript(
        "ATT 3.4.4.9", "a group type may be given in 128 bits",
        """
        > 10 0600 0600 fb349b5f80000080 00100000 00280000
        < 11 06 0600 0d00 0118
        """),
    PDUScript(
        "ATT 3.4.4.10", "a longer MTU holds more groups",
        """
        > 02 4000
        < 03 4000
        = mtu 64
        > 10 0100 ffff 0028
        < 11 06 0100 0500 0018 0600 0d00 0118 1000 1300 0f18
        """),
    PDUScript(
        "GATT/SR/GAD/BV-01-C", "discovers secondary services likewise",
        """
        > 10 0100 ffff 0128
        < 11 06 4000 4000 0a18
        """),
    PDUScript(
        "GATT/SR/GAD/BI-01-C", "a characteristic is no group to be read by",
        """
        > 10 0100 ffff 0328
        < 01 10 0100 10
        """),
    PDUScript(
        "ATT 3.4.4.9", "Read By Group Type: handle 0 and a range that is upside down",
        """
        > 10 0000 ffff 0028
        < 01 10 0000 01
        > 10 0500 0400 0028
        < 01 10 0500 01
        """),
    PDUScript(
        "GATT/SR/GAD/BV-02-C", "discovers a primary service by its 16-bit UUID",
        """
        > 06 0100 ffff 0028 0f18
        < 07 1000 1300
        > 06 1400 ffff 0028 0f18
        < 01 06 1400 0a
        """),
    PDUScript(
        "GATT/SR/GAD/BV-02-C", "discovers a primary service by its 128-bit UUID",
        """
        > 06 0100 ffff 0028 ffeeddccbbaa0080004000000100 00f0
        < 07 2000 3600
        """),
    PDUScript(
        "ATT 3.4.3.3", "Find By Type Value: other attributes are groups by themselves, unreadable ones do not count",
        """
        > 06 0100 ffff 002a 54657374
        < 07 0300 0300
        > 06 0100 ffff 04ff 04
        < 01 06 0100 0a
        > 06 0100 ffff 07ff
        < 01 06 0100 0a
        """),
    PDUScript(
        "ATT 3.4.3.3", "Find By Type Value: handle 0 and a range that is upside down",
        """
        > 06 0000 ffff 0028 0f18
        < 01 06 0000 01
        > 06 0200 0100 0028 0f18
        < 01 06 0200 01
        """),
    PDUScript(
        "GATT/SR/GAD/BV-03-C", "finds included services",
        """
        > 08 2000 3600 0228
        < 09 08 2100 1000 1300 0f18
        > 08 2200 3600 0228
        < 01 08 2200 0a
        """),
    PDUScript(
        "GATT/SR/GAD/BV-04-C", "discovers all characteristics of a service",
        """
        > 08 0600 0d00 0328
        < 09 07 0700 20 0800 052a 0a00 0a 0b00 292b 0c00 02 0d00 2a2b
        > 08 0d00 0d00 0328
        < 01 08 0d00 0a
        """),
    PDUScript(
        "GATT/SR/GAD/BV-05-C", "discovers characteristics by UUID: the client looks through all of a service",
        """
        > 08 1000 1300 0328
        < 09 07 1100 12 1200 192a
        > 08 1200 1300 0328
        < 01 08 1200 0a
        """),
    PDUScript(
        "GATT/SR/GAD/BV-06-C", "discovers all descriptors of a characteristic",
        """
        > 04 1300 1300
        < 05 01 1300 0229
        > 04 2400 2400
        < 05 01 2400 0129
        > 04 1400 1f00
        < 01 04 1400 0a
        """),
    PDUScript(
        "ATT 3.4.3.1", "Find Information: all types of a response are of one length, and fit",
        """
        > 04 0100 ffff
        < 05 01 0100 0028 0200 0328 0300 002a 0400 0328 0500 012a
        > 04 0600 0a00
        < 05 01 0600 0028 0700 0328 0800 052a 0900 0229 0a00 0328
        """),
    PDUScript(
        "ATT 3.4.3.1", "Find Information: handle 0 and a range that is upside down",
        """
        > 04 0000 ffff
        < 01 04 0000 01
        > 04 0300 0200
        < 01 04 0300 01
        """),
    PDUScript(
        "GATT/SR/GPA/BV-01-C", "a primary service's declaration can be read",
        """
        > 0a 1000
        < 0b 0f18
        """),
    PDUScript(
        "GATT/SR/GPA/BV-02-C", "a secondary service's declaration can be read",
        """
        > 0a 4000
        < 0b 0a18
        """),
    PDUScript(
        "GATT/SR/GPA/BV-03-C", "an include declaration can be read",
        """
        > 0a 2100
        < 0b 1000 1300 0f18
        """),
    PDUScript(
        "GATT/SR/GPA/BV-04-C", "a characteristic's declaration can be read, not written",
        """
        > 0a 1100
        < 0b 12 1200 192a
        > 12 1100 00
        < 01 12 1100 03
        """),
    PDUScript(
        "GATT/SR/GPA/BV-06-C", "a characteristic's user description can be read",
        """
        > 0a 2400
        < 0b 436f756e74
        """),
    PDUScript(
        "GATT/SR/GPA/BV-07-C", "a client's configuration can be read, and is 0 at first",
        """
        > 0a 1300
        < 0b 0000
        """),
    PDUScript(
        "GATT/SR/UNS/BI-01-C", "a request that is not known is refused",
        """
        > bf 00
        < 01 bf 0000 06
        > 3e
        < 01 3e 0000 06
        """),
    PDUScript(
        "GATT/SR/UNS/BI-02-C", "a command that is not known is passed over",
        """
        > ff 00
        > 0a 0300
        < 0b 54657374
        """),
    PDUScript(
        "ATT 3.3", "responses and notifications that a client sends are passed over",
        """
        > 0b 00
        > 1b 0300 00
        > 1d 0300 00
        > 1e
        """),
    PDUScript(
        "ATT 3.4.1.1", "requests of the wrong length are refused as invalid",
        """
        > 0a 03
        < 01 0a 0000 04
        > 0a 0300 00
        < 01 0a 0000 04
        > 10 0100 ffff 00
        < 01 10 0000 04
        > 08 0100 ffff 001122
        < 01 08 0000 04
        > 04 0100
        < 01 04 0000 04
        > 02
        < 01 02 0000 04
        > 18
        < 01 18 0000 04
        > 12
        < 01 12 0000 04
        """),
    PDUScript(
        "ATT 3.2.8", "a request longer than the MTU is refused as invalid",
        """
        > 12 2300 000102030405060708090a0b0c0d0e0f101112131415
        < 01 12 0000 04
        """),
]

@Test(arguments: scripts)
func serverIsDiscovered(script: PDUScript) {
    var server = ScriptedServer()
    script.run { server($0) }
}
