import Testing

/// Writing values (GATT.TS, Server, GAW).
private let scripts = [
    PDUScript(
        "GATT/SR/GAW/BV-01-C", "writes without a response",
        """
        > 52 2300 0102
        = written 0023 0102 command
        > 0a 2300
        < 0b 0102
        """),
    PDUScript(
        "ATT 3.4.5.3", "a command that cannot be obeyed is passed over",
        """
        > 52 0001 01
        > 52 2600 01
        > 52 2a00 01
        > 52 2800 01
        > 52 1300 0200
        > 0a 1300
        < 0b 0000
        > 52 23
        """),
    PDUScript(
        "GATT/SR/GAW/BV-02-C", "a signed write without a key is passed over",
        """
        > d2 2300 01 00000000 0102030405060708
        > 0a 1200
        < 0b 64
        """),
    PDUScript(
        "GATT/SR/GAW/BV-03-C", "writes a value",
        """
        > 12 2300 a1a2a3
        = written 0023 a1a2a3 request
        < 13
        > 0a 2300
        < 0b a1a2a3
        """),
    PDUScript(
        "GATT/SR/GAW/BI-02-C", "a handle that is not there",
        """
        > 12 0001 01
        < 01 12 0001 01
        """),
    PDUScript(
        "GATT/SR/GAW/BI-03-C", "a value that may not be written",
        """
        > 12 2600 01
        < 01 12 2600 03
        """),
    PDUScript(
        "GATT/SR/GAW/BI-04-C", "the owner does not authorize writing",
        """
        > 12 3000 01
        = asked to write 0030 01
        ! refuse 08
        < 01 12 3000 08
        """),
    PDUScript(
        "GATT/SR/GAW/BI-05-C", "a client that has not paired",
        """
        > 12 2a00 01
        < 01 12 2a00 05
        ! bonded
        > 12 2a00 01
        < 01 12 2a00 0f
        ! secure encrypted
        > 12 2a00 01
        = written 002a 01 request
        < 13
        > 12 2c00 01
        < 01 12 2c00 05
        """),
    PDUScript(
        "GATT/SR/GAW/BI-06-C", "a key that is too short",
        """
        ! secure encrypted 7
        > 12 2e00 01
        < 01 12 2e00 0c
        """),
    PDUScript(
        "GATT/SR/GAW/BI-32-C", "a value of a length that is not allowed",
        """
        > 12 2800 01
        < 01 12 2800 0d
        > 12 2800 010203
        < 01 12 2800 0d
        > 12 2800 0102
        = written 0028 0102 request
        < 13
        """),
    PDUScript(
        "GATT/SR/GAW/BV-05-C", "writes a long value",
        """
        > 16 2300 0000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0001
        < 17 2300 0000 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0001
        > 16 2300 1200 020304
        < 17 2300 1200 020304
        > 18 01
        = written 0023 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0001020304 long
        < 19
        > 0c 2300 1000
        < 0d 0001020304
        """),
    PDUScript(
        "GATT/SR/GAW/BV-05-C", "a part inside of a value leaves the rest",
        """
        > 16 2400 0100 6f
        < 17 2400 0100 6f
        > 18 01
        = written 0024 436f756e74 long
        < 19
        """),
    PDUScript(
        "GATT/SR/GAW/BI-07-C", "a part for a handle that is not there",
        """
        > 16 0001 0000 01
        < 01 16 0001 01
        """),
    PDUScript(
        "GATT/SR/GAW/BI-08-C", "a part of a value that may not be written",
        """
        > 16 2600 0000 01
        < 01 16 2600 03
        """),
    PDUScript(
        "GATT/SR/GAW/BI-09-C", "a part behind the value's end",
        """
        > 16 2400 0600 01
        < 17 2400 0600 01
        > 18 01
        < 01 18 2400 07
        > 0a 2400
        < 0b 436f756e74
        > 18 01
        < 19
        """),
    PDUScript(
        "GATT/SR/GAW/BI-11-C", "the owner does not authorize a long write",
        """
        > 16 3000 0000 01
        < 17 3000 0000 01
        > 18 01
        = asked to write 0030 01
        ! refuse 08
        < 01 18 3000 08
        > 18 01
        < 19
        """),
    PDUScript(
        "GATT/SR/GAW/BI-12-C", "a part, for a client that has not paired",
        """
        > 16 2a00 0000 01
        < 01 16 2a00 05
        """),
    PDUScript(
        "GATT/SR/GAW/BI-13-C", "a part, with a key that is too short",
        """
        ! secure encrypted 7
        > 16 2e00 0000 01
        < 01 16 2e00 0c
        """),
    PDUScript(
        "GATT/SR/GAW/BI-33-C", "a long value of a length that is not allowed",
        """
        > 16 2800 0000 010203
        < 17 2800 0000 010203
        > 18 01
        < 01 18 2800 0d
        """),
    PDUScript(
        "GATT/SR/GAW/BV-06-C", "writes reliably: what is repeated is what was sent",
        """
        > 16 2300 0000 01
        < 17 2300 0000 01
        > 16 2400 0000 41
        < 17 2400 0000 41
        > 18 01
        = written 0023 01 long
        = written 0024 41 long
        < 19
        """),
    PDUScript(
        "GATT/SR/GAW/BV-10-C", "of a reliable write all parts are written or none",
        """
        > 16 2300 0000 01
        < 17 2300 0000 01
        > 16 2800 0000 01
        < 17 2800 0000 01
        > 18 01
        < 01 18 2800 0d
        > 0a 2300
        < 0b 000102030405060708090a0b0c0d0e0f101112131415
        """),
    PDUScript(
        "ATT 3.4.6.3", "the owner is asked only when the server itself refuses no part",
        """
        > 16 3000 0000 01
        < 17 3000 0000 01
        > 16 2800 0000 01
        < 17 2800 0000 01
        > 18 01
        < 01 18 2800 0d
        """),
    PDUScript(
        "GATT/SR/GAW/BV-07-C", "a queue that is cancelled writes nothing",
        """
        > 16 2300 0000 01
        < 17 2300 0000 01
        > 18 00
        < 19
        > 18 01
        < 19
        """),
    PDUScript(
        "ATT 3.4.6.3", "flags that are not defined",
        """
        > 18 02
        < 01 18 0000 04
        """),
    PDUScript(
        "ATT 3.4.6.1", "a queue that is full",
        """
        > 16 2300 0000 00
        < 17 2300 0000 00
        > 16 2300 0100 01
        < 17 2300 0100 01
        > 16 2300 0200 02
        < 17 2300 0200 02
        > 16 2300 0300 03
        < 17 2300 0300 03
        > 16 2300 0400 04
        < 01 16 2300 09
        > 18 01
        = written 0023 00010203 long
        < 19
        """),
    PDUScript(
        "ATT 3.4.6.1", "a queue that is full to the byte takes no byte more",
        """
        > 16 2300 0000 000102030405060708090a0b0c0d0e0f1011
        < 17 2300 0000 000102030405060708090a0b0c0d0e0f1011
        > 16 2300 1200 000102030405060708090a0b0c0d0e0f1011
        < 17 2300 1200 000102030405060708090a0b0c0d0e0f1011
        > 16 2300 2400 0001020304
        < 01 16 2300 09
        > 16 2300 2400 00010203
        < 17 2300 2400 00010203
        > 18 00
        < 19
        """),
    PDUScript(
        "GATT/SR/GAW/BV-08-C", "writes a descriptor",
        """
        > 12 2400 41
        = written 0024 41 request
        < 13
        """),
    PDUScript(
        "GATT/SR/GAW/BV-09-C", "writes a long descriptor",
        """
        > 16 2400 0000 4142
        < 17 2400 0000 4142
        > 16 2400 0200 43
        < 17 2400 0200 43
        > 18 01
        = written 0024 414243 long
        < 19
        """),
    PDUScript(
        "ATT 3.4.6.1", "a queue does not outlive its connection",
        """
        > 16 2300 0000 01
        < 17 2300 0000 01
        ! reconnect
        > 18 01
        < 19
        """),
    PDUScript(
        "GATT/SR/GAW/BV-11-C", "the owner accepts a write, and refuses one with an error of its own",
        """
        > 12 3000 01
        = asked to write 0030 01
        ! accept
        = written 0030 01 request
        < 13
        > 12 3000 02
        = asked to write 0030 02
        ! refuse 80
        < 01 12 3000 80
        > 0a 3000
        = asked to read 0030
        ! accept
        < 01 0a 3000 0e
        """),
]

@Test(arguments: scripts)
func serverIsWritten(script: PDUScript) {
    var server = ScriptedServer()
    script.run { server($0) }
}
