import Testing

/// Reading values (GATT.TS, Server, GAR).
private let scripts = [
    PDUScript(
        "GATT/SR/GAR/BV-01-C", "reads a value",
        """
        > 0a 0300
        < 0b 54657374
        """),
    PDUScript(
        "GATT/SR/GAR/BI-01-C", "a value that may not be read",
        """
        > 0a 2800
        < 01 0a 2800 02
        """),
    PDUScript(
        "GATT/SR/GAR/BI-02-C", "a handle that is not there",
        """
        > 0a 0001
        < 01 0a 0001 01
        > 0a 0000
        < 01 0a 0000 01
        """),
    PDUScript(
        "GATT/SR/GAR/BI-03-C", "the owner does not authorize reading",
        """
        > 0a 3000
        = asked to read 0030
        ! refuse 08
        < 01 0a 3000 08
        """),
    PDUScript(
        "GATT/SR/GAR/BI-04-C", "a client that has not paired",
        """
        > 0a 2a00
        < 01 0a 2a00 05
        ! bonded
        > 0a 2a00
        < 01 0a 2a00 0f
        ! secure encrypted
        > 0a 2a00
        < 0b 04
        > 0a 2c00
        < 01 0a 2c00 05
        ! secure authenticated
        > 0a 2c00
        < 0b 05
        """),
    PDUScript(
        "GATT/SR/GAR/BI-05-C", "a key that is too short",
        """
        ! secure encrypted 7
        > 0a 2e00
        < 01 0a 2e00 0c
        ! secure encrypted 16
        > 0a 2e00
        < 0b 06
        """),
    PDUScript(
        "GATT/SR/GAR/BV-03-C", "reads a value by its UUID",
        """
        > 08 0100 ffff 192a
        < 09 03 1200 64
        > 08 0100 ffff fb349b5f80000080 00100000 192a0000
        < 09 03 1200 64
        """),
    PDUScript(
        "GATT/SR/GAR/BI-06-C", "by UUID, a value that may not be read",
        """
        > 08 0100 ffff 03ff
        < 01 08 2800 02
        """),
    PDUScript(
        "GATT/SR/GAR/BI-07-C", "by UUID, a type that is not there",
        """
        > 08 0100 ffff eeee
        < 01 08 0100 0a
        """),
    PDUScript(
        "GATT/SR/GAR/BI-08-C", "by UUID, handle 0 and a range that is upside down",
        """
        > 08 0000 ffff 192a
        < 01 08 0000 01
        > 08 1300 1200 192a
        < 01 08 1300 01
        """),
    PDUScript(
        "GATT/SR/GAR/BI-09-C", "by UUID, the owner does not authorize reading",
        """
        > 08 0100 ffff 07ff
        = asked to read 0030
        ! refuse 08
        < 01 08 3000 08
        """),
    PDUScript(
        "GATT/SR/GAR/BI-10-C", "by UUID, a client that has not paired",
        """
        > 08 0100 ffff 04ff
        < 01 08 2a00 05
        """),
    PDUScript(
        "GATT/SR/GAR/BI-11-C", "by UUID, a key that is too short",
        """
        ! secure encrypted 15
        > 08 0100 ffff 06ff
        < 01 08 2e00 0c
        """),
    PDUScript(
        "ATT 3.4.4.1", "by UUID, a long value is cut",
        """
        > 08 0100 ffff 01ff
        < 09 15 2300 000102030405060708090a0b0c0d0e0f101112
        """),
    PDUScript(
        "ATT 3.4.4.1", "by UUID, values of another length wait for the next request",
        """
        > 08 0100 ffff 0229
        < 09 04 0900 0000 1300 0000 3300 0000 3600 0000
        > 08 0200 0700 0328
        < 09 07 0200 02 0300 002a 0400 02 0500 012a 0700 20 0800 052a
        """),
    PDUScript(
        "GATT/SR/GAR/BV-04-C", "reads a long value",
        """
        > 0a 2300
        < 0b 000102030405060708090a0b0c0d0e0f101112131415
        > 0c 2300 1600
        < 0d 161718191a1b1c1d
        > 0c 2300 1e00
        < 0d
        """),
    PDUScript(
        "GATT/SR/GAR/BI-12-C", "a part of a value that may not be read",
        """
        > 0c 2800 0000
        < 01 0c 2800 02
        """),
    PDUScript(
        "GATT/SR/GAR/BI-13-C", "a part behind the value's end",
        """
        > 0c 2300 1f00
        < 01 0c 2300 07
        """),
    PDUScript(
        "GATT/SR/GAR/BI-14-C", "a part of a value that is not there",
        """
        > 0c 0001 0000
        < 01 0c 0001 01
        """),
    PDUScript(
        "GATT/SR/GAR/BI-15-C", "the owner does not authorize reading a part",
        """
        > 0c 3000 0000
        = asked to read 0030
        ! refuse 08
        < 01 0c 3000 08
        """),
    PDUScript(
        "GATT/SR/GAR/BI-16-C", "a part, for a client that has not paired",
        """
        > 0c 2a00 0000
        < 01 0c 2a00 05
        """),
    PDUScript(
        "GATT/SR/GAR/BI-17-C", "a part, with a key that is too short",
        """
        ! secure encrypted 7
        > 0c 2e00 0000
        < 01 0c 2e00 0c
        """),
    PDUScript(
        "GATT/SR/GAR/BV-05-C", "reads several values at once",
        """
        > 0e 0300 1200
        < 0f 54657374 64
        > 0e 1200 2300
        < 0f 64 000102030405060708090a0b0c0d0e0f1011121314
        """),
    PDUScript(
        "GATT/SR/GAR/BI-18-C", "of several values one may not be read",
        """
        > 0e 0300 2800
        < 01 0e 2800 02
        """),
    PDUScript(
        "GATT/SR/GAR/BI-19-C", "of several values one is not there",
        """
        > 0e 0300 0001
        < 01 0e 0001 01
        """),
    PDUScript(
        "GATT/SR/GAR/BI-20-C", "of several values the owner does not authorize one",
        """
        > 0e 0300 3000
        = asked to read 0030
        ! refuse 08
        < 01 0e 3000 08
        """),
    PDUScript(
        "GATT/SR/GAR/BI-21-C", "several values, for a client that has not paired",
        """
        > 0e 2a00 0300
        < 01 0e 2a00 05
        """),
    PDUScript(
        "GATT/SR/GAR/BI-22-C", "several values, with a key that is too short",
        """
        ! secure encrypted 7
        > 0e 0300 2e00
        < 01 0e 2e00 0c
        """),
    PDUScript(
        "ATT 3.4.4.7", "several values are two at least",
        """
        > 0e 0300
        < 01 0e 0000 04
        > 20 0300
        < 01 20 0000 04
        """),
    PDUScript(
        "GATT/SR/GAR/BV-09-C", "reads several values with their lengths",
        """
        > 20 0300 1200
        < 21 0400 54657374 0100 64
        > 20 2300 1200
        < 21 1e00 000102030405060708090a0b0c0d0e0f10111213
        > 20 0300 0001
        < 01 20 0001 01
        """),
    PDUScript(
        "GATT/SR/GAR/BV-06-C", "reads a descriptor",
        """
        > 0a 2400
        < 0b 436f756e74
        > 0c 2400 0200
        < 0d 756e74
        """),
    PDUScript(
        "GATT/SR/GAR/BV-10-C", "the owner answers what is asked, also in parts and among others",
        """
        > 0a 3000
        = asked to read 0030
        ! answer 000102030405060708090a0b0c0d0e0f1011121314151617
        < 0b 000102030405060708090a0b0c0d0e0f101112131415
        > 0c 3000 1600
        = asked to read 0030
        ! answer 000102030405060708090a0b0c0d0e0f1011121314151617
        < 0d 1617
        > 0e 1200 3000
        = asked to read 0030
        ! answer 99
        < 0f 64 99
        """),
    PDUScript(
        "ATT 3.3.2", "a second request before the first is answered is passed over, a command is not",
        """
        > 0a 3000
        = asked to read 0030
        > 0a 0300
        > 52 2300 01
        = written 0023 01 command
        ! answer 07
        < 0b 07
        ! answer 08
        """),
    PDUScript(
        "GATT/SR/GAS/BV-02-C", "reads the database hash",
        """
        > 08 0100 ffff 2a2b
        < 09 12 0d00 \(exampleHash)
        """),
]

/// Computed independently of the server, with OpenSSL's AES-CMAC, from the attributes listed in the example's doc
/// comment.
private let exampleHash = "09369383328c3cbebe8e11a868b1a5a3"

@Test(arguments: scripts)
func serverIsRead(script: PDUScript) {
    var server = ScriptedServer()
    script.run { server($0) }
}
