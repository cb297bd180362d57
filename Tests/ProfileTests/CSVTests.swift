import Profile
import Testing

@Suite struct CSVTests {
    private func rows(_ text: String, separator: UInt8 = UInt8(ascii: ",")) throws(CSV.Fault) -> [CSV.Row] {
        var reader = CSV.Reader(Array(text.utf8), separator: separator)
        var rows: [CSV.Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    /// The examples of RFC 4180, section 2.
    @Test(arguments: [
        ("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
        ("aaa,bbb,ccc\r\nzzz,yyy,xxx", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
        ("\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
        ("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx", [["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"]]),
        ("\"aaa\",\"b\"\"bb\",\"ccc\"", [["aaa", "b\"bb", "ccc"]]),
    ])
    func theExamplesOfTheSpecification(_ text: String, _ expected: [[String]]) throws {
        #expect(try rows(text).map(\.fields) == expected)
    }

    @Test func fieldsAreSeparatedByAnotherByte() throws {
        let semicolon = UInt8(ascii: ";")
        #expect(try rows("a;1,5\n\"b;c\";2\n", separator: semicolon).map(\.fields) == [["a", "1,5"], ["b;c", "2"]])
        #expect(throws: CSV.Fault.self) { try rows("\"a\",b\n", separator: semicolon) }
    }

    @Test(arguments: [
        ("=1+2", true), ("+cmd", true), ("-2+3", true), ("@SUM(A1)", true), ("\tx", true), ("\rx", true), ("-", true),
        ("-60,-61", true), ("-nan", true), ("", false), ("-60", false), ("+1.5", false), ("a=b", false),
        ("'=1", false), ("2026-11-27", false),
    ])
    func anApostropheStandsBeforeAFormula(cell: String, isFormula: Bool) {
        #expect(CSV.isFormula(cell.utf8) == isFormula)
        #expect(CSV.asText(cell) == (isFormula ? "'" : "") + cell)
    }

    @Test func linesAreCountedAsAnEditorDoes() throws {
        #expect(try rows("a\n\n\"b\nc\",d\r\ne\n").map(\.line) == [1, 3, 5])
        #expect(try rows("").isEmpty)
        #expect(try rows("\n\r\n\n").isEmpty)
        #expect(try rows(",\n").map(\.fields) == [["", ""]])
        #expect(try rows("\u{FEFF}a\n").map(\.fields) == [["a"]])
    }

    @Test(arguments: [
        ("a\n\"b", 2, "the quote that opens a field here is not closed"), ("a\"b\"\n", 1, "a quote in a field"),
        ("\"a\"b\n", 1, "a comma or the line's end"), ("a\rb\n", 1, "a comma or the line's end"),
        ("a\r", 1, "a comma or the line's end"),
    ])
    func whatIsNoCSVIsRefused(_ text: String, _ line: Int, _ start: String) {
        do throws(CSV.Fault) {
            _ = try rows(text)
            Issue.record("no fault was found")
        } catch {
            #expect(error.line == line && error.text.hasPrefix(start), "\(error)")
        }
    }

    @Test func bytesThatAreNoTextAreRefused() {
        var reader = CSV.Reader([0x61, 0x0A, 0xFF, 0x0A])
        #expect(throws: CSV.Fault(line: 2, "the text is not UTF-8")) {
            while try reader.next() != nil {}
        }
    }

    @Test(arguments: [
        ["a", "b"], ["", ""], ["a,b", "c"], ["\"", "\"\""], ["two\nlines", "two\r\nlines"], [" space ", "ä"],
    ])
    func whatIsWrittenIsReadBack(_ fields: [String]) throws {
        #expect(try rows(String(decoding: CSV.line(fields), as: UTF8.self)).map(\.fields) == [fields])
    }

    @Test func onlyWhatMustBeQuotedIs() {
        #expect(CSV.line(["a b", "c;d", "e,f", "g\"h"]) == Array("a b,c;d,\"e,f\",\"g\"\"h\"\r\n".utf8))
    }
}
