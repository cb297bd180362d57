public import Bytes

extension GAP {
    /// A URI whose scheme is encoded as one character (CSS, Part A, 1.18; assigned numbers, 2.7).
    public struct URI: Value, Hashable {
        /// The scheme's code point, then the remaining URI, in UTF-8.
        public var utf8: [UInt8]

        public init(utf8: [UInt8]) {
            self.utf8 = utf8
        }

        /// The expanded URI, e.g. `https://example.org`; an unknown scheme remains one character.
        public var text: String {
            let text = String(decoding: utf8, as: UTF8.self)
            guard let first = text.unicodeScalars.first, let scheme = Self.scheme(first.value) else { return text }
            return scheme + String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            utf8 = reader.readRest(Fields.uri)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(utf8)
        }

        /// The scheme with its colon, e.g. "https:" for 0x17; nil for an unassigned number.
        public static func scheme(_ number: UInt32) -> String? {
            if number == 1 { return "" }
            guard number >= 2 else { return nil }
            var rest = Self.schemes.split(whereSeparator: \.isWhitespace).dropFirst(Int(number) - 2).makeIterator()
            return rest.next().map { $0 + ":" }
        }

        /// The schemes from 0x02 on, in numeric order (assigned numbers, 2.7, as of April 2026).
        private static let schemes = """
            aaa aaas about acap acct cap cid coap coaps crid data dav dict dns file ftp geo go gopher h323 http https
            iax icap im imap info ipp ipps iris iris.beep iris.xpc iris.xpcs iris.lwz jabber ldap mailto mid msrp msrps
            mtqp mupdate news nfs ni nih nntp opaquelocktoken pop pres reload rtsp rtsps rtspu service session shttp
            sieve sip sips sms snmp soap.beep soap.beeps stun stuns tag tel telnet tftp thismessage tn3270 tip turn
            turns tv urn vemmi ws wss xcon xcon-userid xmlrpc.beep xmlrpc.beeps xmpp z39.50r z39.50s acr adiumxtra afp
            afs aim apt attachment aw barion beshare bitcoin bolo callto chrome chrome-extension
            com-eventbrite-attendee content cvs dlna-playsingle dlna-playcontainer dtn dvb ed2k facetime feed feedready
            finger fish gg git gizmoproject gtalk ham hcp icon ipn irc irc6 ircs itms jar jms keyparc lastfm ldaps
            magnet maps market message mms ms-help ms-settings-power msnim mumble mvn notes oid palm paparazzi pkcs11
            platform proxy psyc query res resource rmi rsync rtmfp rtmp secondlife sftp sgn skype smb smtp soldat
            spotify ssh steam submit svn teamspeak teliaeid things udp unreal ut2004 ventrilo view-source webcal wtai
            wyciwyg xfire xri ymsgr example ms-settings-cloudstorage bluetooth bl
            """
    }
}
