import Testing

/// Notifications and indications (GATT.TS, Server, GAN, GAI and GAS).
private let scripts = [
    PDUScript(
        "GATT/SR/GAN/BV-01-C", "notifies a client that has subscribed, until it no longer wants it",
        """
        ! tell 0012 63
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        > 0a 1300
        < 0b 0100
        ! tell 0012 62
        < 1b 1200 62
        > 12 1300 0000
        = subscribed 0012 0
        < 13
        ! tell 0012 61
        """),
    PDUScript(
        "GATT/SR/GAN/BV-01-C", "writing the same again tells nothing new",
        """
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        > 12 1300 0100
        < 13
        """),
    PDUScript(
        "ATT 3.4.7.1", "a notification that is too long is cut",
        """
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        ! notify 0012 000102030405060708090a0b0c0d0e0f10111213ff
        < 1b 1200 000102030405060708090a0b0c0d0e0f10111213
        """),
    PDUScript(
        "GATT/SR/GAI/BV-01-C", "indicates, and waits for the confirmation before the next",
        """
        > 12 3300 0200
        = subscribed 0032 2
        < 13
        ! tell 0032 01
        < 1d 3200 01
        ! tell 0032 02
        > 0a 0300
        < 0b 54657374
        > 1e
        = confirmed 0032
        < 1d 3200 02
        > 1e
        = confirmed 0032
        > 1e
        """),
    PDUScript(
        "GATT/SR/GAI/BV-01-C", "a client that wants both is told as the owner says",
        """
        > 12 3600 0300
        = subscribed 0035 3
        < 13
        ! tell 0035 01
        < 1b 3500 01
        ! indicate 0035 02
        < 1d 3500 02
        ! notify 0035 03
        < 1b 3500 03
        """),
    PDUScript(
        "ATT 3.3.3", "an indication that is not confirmed in 30 s ends the bearer",
        """
        > 12 3300 0200
        = subscribed 0032 2
        < 13
        ! tell 0032 01
        < 1d 3200 01
        ! wait 29
        ! wait 1
        = indication timed out
        > 0a 0300
        ! tell 0032 02
        > 1e
        """),
    PDUScript(
        "GATT 3.3.3.3", "a client may ask only for what the characteristic does",
        """
        > 12 1300 0200
        < 01 12 1300 fd
        > 12 3300 0100
        < 01 12 3300 fd
        > 12 3300 02
        < 01 12 3300 0d
        """),
    PDUScript(
        "GATT 3.3.3.3", "without a bond a subscription ends with the connection",
        """
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        ! reconnect
        > 0a 1300
        < 0b 0000
        """),
    PDUScript(
        "GATT/SR/GAS/BV-01-C", "with a bond a subscription stays, and what changed meanwhile is indicated",
        """
        ! identify
        > 12 0900 0200
        = subscribed 0008 2
        < 13
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        ! reconnect
        > 0a 1300
        < 0b 0000
        ! replace
        ! identify
        < 1d 0800 4000 5000
        > 0a 1300
        < 0b 0100
        """),
    PDUScript(
        "GATT 3.3.3.3", "what a bonded client sets before the connection is encrypted holds afterwards",
        """
        ! identify
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        > 12 3300 0200
        = subscribed 0032 2
        < 13
        ! reconnect
        > 12 1300 0000
        < 13
        > 12 3600 0100
        = subscribed 0035 1
        < 13
        ! identify
        > 0a 1300
        < 0b 0000
        > 0a 3300
        < 0b 0200
        > 0a 3600
        < 0b 0100
        """),
    PDUScript(
        "GATT 3.3.3.3", "a new bond begins with what the client has set on its connection",
        """
        ! identify
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        ! reconnect
        > 12 3300 0200
        = subscribed 0032 2
        < 13
        ! pair
        > 0a 1300
        < 0b 0000
        > 0a 3300
        < 0b 0200
        """),
    PDUScript(
        "GATT 7.1", "Service Changed that a bonded client has not confirmed comes again on its next connection",
        """
        ! identify
        > 12 0900 0200
        = subscribed 0008 2
        < 13
        ! replace
        < 1d 0800 4000 5000
        ! reconnect
        ! identify
        < 1d 0800 4000 5000
        ! wait 30
        = indication timed out
        ! reconnect
        ! identify
        < 1d 0800 4000 5000
        > 1e
        = confirmed 0008
        ! reconnect
        ! identify
        """),
    PDUScript(
        "GATT/SR/GAS/BV-01-C", "a change of the database is indicated to a client that is there",
        """
        > 12 0900 0200
        = subscribed 0008 2
        < 13
        ! replace
        < 1d 0800 4000 5000
        > 1e
        = confirmed 0008
        """),
    PDUScript(
        "GATT/SR/GAS/BV-03-C", "what a client can do is kept with its bond, and cannot be taken back",
        """
        ! identify
        > 0a 0b00
        < 0b 00
        > 12 0b00 01
        = written 000b 01 request
        < 13
        > 12 0b00 00
        < 01 12 0b00 13
        > 12 0b00
        < 01 12 0b00 13
        ! reconnect
        > 0a 0b00
        < 0b 00
        ! identify
        > 0a 0b00
        < 0b 01
        """),
    PDUScript(
        "GATT/SR/GAS/BV-04-C", "a client that knows an old database is refused once, commands are passed over",
        """
        > 12 0b00 01
        = written 000b 01 request
        < 13
        ! replace
        > 52 2300 01
        > 0a 0300
        < 01 0a 0300 12
        > 0a 0300
        < 0b 54657374
        > 52 2300 01
        = written 0023 01 command
        """),
    PDUScript(
        "GATT 2.5.2.1", "a client that knows an old database gets no values but Service Changed",
        """
        > 12 0b00 01
        = written 000b 01 request
        < 13
        > 12 1300 0100
        = subscribed 0012 1
        < 13
        > 12 3300 0200
        = subscribed 0032 2
        < 13
        ! tell 0032 01
        < 1d 3200 01
        ! tell 0032 02
        ! replace
        > 1e
        = confirmed 0032
        ! tell 0012 63
        ! tell 0032 03
        > 0a 0300
        < 01 0a 0300 12
        > 0a 0300
        < 0b 54657374
        ! tell 0012 62
        < 1b 1200 62
        """),
    PDUScript(
        "GATT/SR/GAS/BV-05-C", "a client that reads the database hash knows the database with its next request",
        """
        > 12 0b00 01
        = written 000b 01 request
        < 13
        ! replace
        > 08 0100 ffff 2a2b
        < 09 12 0d00 \(changedHash)
        > 0a 0300
        < 0b 54657374
        """),
    PDUScript(
        "GATT/SR/GAS/BV-06-C", "a client that confirms Service Changed knows the database",
        """
        > 12 0b00 01
        = written 000b 01 request
        < 13
        > 12 0900 0200
        = subscribed 0008 2
        < 13
        ! replace
        < 1d 0800 4000 5000
        > 1e
        = confirmed 0008
        > 0a 0300
        < 0b 54657374
        """),
    PDUScript(
        "GATT 2.5.2.1", "a confirmation of an earlier change says nothing of a later one",
        """
        > 12 0b00 01
        = written 000b 01 request
        < 13
        > 12 0900 0200
        = subscribed 0008 2
        < 13
        ! replace
        < 1d 0800 4000 5000
        ! replace back
        > 1e
        = confirmed 0008
        < 1d 0800 4000 5000
        > 0a 0300
        < 01 0a 0300 12
        > 1e
        = confirmed 0008
        > 0a 0300
        < 0b 54657374
        """),
    PDUScript(
        "ATT 3.3.3", "as many indications wait as there is room for, and no more",
        """
        > 12 3300 0200
        = subscribed 0032 2
        < 13
        ! tell 0032 01
        < 1d 3200 01
        ! tell 0032 02
        ! tell 0032 03
        ! tell 0032 04
        > 1e
        = confirmed 0032
        < 1d 3200 02
        > 1e
        = confirmed 0032
        < 1d 3200 03
        > 1e
        = confirmed 0032
        """),
    PDUScript(
        "GATT/SR/GAS/BV-07-C", "a client without robust caching is never refused",
        """
        ! replace
        > 0a 0300
        < 0b 54657374
        """),
]

/// Computed independently of the server, with OpenSSL's AES-CMAC.
private let changedHash = "a2318cfa9aca5bfb1e8dd6eeace4671b"

@Test(arguments: scripts)
func serverTells(script: PDUScript) {
    var server = ScriptedServer()
    script.run { server($0) }
}
