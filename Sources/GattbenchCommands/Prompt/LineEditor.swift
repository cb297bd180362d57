import Bytes
import CEdit
import Glibc
import Workbench

/// A prompt with line editing, completion and history, based on libedit.
///
/// While it waits for keys, it calls `idle` for other work; the lines that `idle` returns are printed above the prompt.
@safe final class LineEditor {
    private let editor: OpaquePointer
    private let lines: OpaquePointer
    /// Called every 20 ms while no key is pressed; returns lines to print.
    private let idle: () throws -> [String]
    private let completion: RequestCompletion
    /// The error thrown by `idle`.
    private var failure: (any Error)?
    private var isStopped: () -> Bool

    /// Maximum number of lines remembered.
    private static let historySize: Int32 = 500

    /// Nil if standard input or output is not a terminal.
    init?(
        _ completion: RequestCompletion, history: [String], isStopped: @escaping () -> Bool,
        idle: @escaping () throws -> [String]
    ) {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
        // libedit uses the locale's character encoding.
        unsafe setlocale(LC_CTYPE, "")
        guard let editor = unsafe edit_init("gattbench") else { return nil }
        guard let lines = unsafe history_init() else {
            unsafe el_end(editor)
            return nil
        }
        unsafe self.editor = editor
        unsafe self.lines = lines
        self.completion = completion
        self.isStopped = isStopped
        self.idle = idle
        unsafe edit_set_owner(editor, Unmanaged.passUnretained(self).toOpaque())
        unsafe edit_set_reader(editor) { editor, character in unsafe LineEditor.owner(of: editor)?.read(character) ?? -1
        }
        unsafe edit_set_keys(editor) { editor, _ in unsafe LineEditor.owner(of: editor)?.complete() ?? UInt8(CC_ERROR) }
        unsafe edit_set_history(editor, lines, Self.historySize)
        for line in history { unsafe edit_remember(lines, line) }
    }

    deinit {
        unsafe el_end(editor)
        unsafe history_end(lines)
    }

    private static func owner(of editor: OpaquePointer?) -> LineEditor? {
        guard let pointer = unsafe edit_owner(editor) else { return nil }
        return unsafe Unmanaged<LineEditor>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The next line, without its line feed; nil at the end of input. Rethrows errors of `idle`.
    func next() throws -> String? {
        var count: Int32 = 0
        let text = unsafe el_gets(editor, &count)
        if let failure { throw failure }
        guard let text = unsafe text, count > 0 else { return nil }
        return unsafe String(cString: text).filter { !$0.isNewline }
    }

    func remember(_ line: String) { unsafe edit_remember(lines, line) }

    // MARK: - Keys

    /// Reads the next character; returns 1, or 0 at the end of input.
    private func read(_ character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
        var bytes: [UInt8] = []
        while true {
            if isStopped() { return 0 }
            do {
                let lines = try idle()
                if !lines.isEmpty {
                    try Console.write(painted: "\r\u{1B}[K" + lines.map { "\($0.legibleText())\n" }.joined())
                    unsafe edit_refresh(editor)
                }
            } catch {
                failure = error
                return 0
            }
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&input, 1, 20) > 0 else { continue }
            var byte: UInt8 = 0
            guard unsafe Glibc.read(STDIN_FILENO, &byte, 1) == 1 else { return 0 }
            // libedit turns signals off: Ctrl-C arrives as a character.
            if byte == 0x03 { return 0 }
            bytes.append(byte)
            var decoder = UTF8()
            var iterator = bytes.makeIterator()
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                unsafe character?.pointee = wchar_t(scalar.value)
                return 1
            // More bytes of the UTF-8 sequence follow.
            case .error where bytes.count < 4 && byte >= 0x80: continue
            case .error, .emptyInput: bytes = []
            }
        }
    }

    /// Completes the line up to the cursor, or lists the candidates.
    private func complete() -> UInt8 {
        guard let line = unsafe el_line(editor) else { return UInt8(CC_ERROR) }
        let count = unsafe line.pointee.cursor - line.pointee.buffer
        let typed = unsafe String(
            decoding: UnsafeRawBufferPointer(start: line.pointee.buffer, count: count), as: UTF8.self)
        let outcome = completion.outcome(for: typed)
        let added = String(outcome.common.dropFirst(outcome.typed.count))
        if outcome.candidates.isEmpty { return UInt8(CC_ERROR) }
        if !added.isEmpty {
            unsafe el_insertstr(editor, added)
            return UInt8(CC_REFRESH)
        }
        let list = outcome.candidates.map { $0.filter { $0 != " " } }.joined(separator: "  ")
        try? Console.write("\n\(list)\n")
        return UInt8(CC_REDISPLAY)
    }
}
