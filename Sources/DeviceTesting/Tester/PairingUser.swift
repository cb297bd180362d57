package import Host
import Transports

/// A person at the terminal who answers pairing prompts: types the digits that the device shows, types those of the
/// terminal on the device, or compares both.
package final class PairingUser {
    private let say: (String) -> Void
    /// The terminal; nil if keys arrive through `press`.
    private var keyboard: Keyboard?
    private var prompt: Pairing.Prompt?
    private var digits = ""
    private var answer: Pairing.Answer?

    /// - Parameter say: prints a text unchanged.
    package init(say: @escaping (String) -> Void) {
        self.say = say
    }

    /// Shows a prompt. Keys are read from the terminal unless they arrive through `press`.
    package func begin(_ prompt: Pairing.Prompt, hasKeys: Bool) {
        (self.prompt, digits, answer) = (prompt, "", nil)
        switch prompt {
        case .display(let digits): return say("Type this passkey on the device: \(Self.text(of: digits))\n")
        case .enterPasskey: say("Passkey that the device shows [six digits, Enter; Escape: none]: ")
        case .compare(let digits): say("Does the device show \(Self.text(of: digits))? [y/n] ")
        }
        if !hasKeys { keyboard = Keyboard() }
    }

    /// The answer; nil until there is one.
    package func poll() -> Pairing.Answer? {
        for key in keyboard?.pressed() ?? [] { press(key) }
        return answer
    }

    package func end() {
        if answer == nil, prompt.map({ $0.isQuestion }) == true { say("\n") }
        keyboard?.close()
        (keyboard, prompt) = (nil, nil)
    }

    /// Whether a prompt is waiting for an answer.
    package var isAsking: Bool { prompt.map { $0.isQuestion } == true && answer == nil }

    /// Handles a key pressed on the terminal.
    package func press(_ key: UInt8) {
        guard isAsking else { return }
        let character = Character(UnicodeScalar(key))
        if case .compare = prompt {
            guard "yYnN".contains(character) else { return }
            answer = character.lowercased() == "y" ? .same : .no
            return say("\(character)\n")
        }
        switch key {
        case UInt8(ascii: "0")...UInt8(ascii: "9") where digits.count < 6:
            digits.append(character)
            say("\(character)")
        // Backspace and Delete.
        case 0x08, 0x7F:
            guard digits.popLast() != nil else { return }
            say("\u{8} \u{8}")
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            guard let number = UInt32(digits) else { return }
            answer = .passkey(number)
            say("\n")
        // Escape.
        case 0x1B:
            answer = .no
            say("\n")
        default: break
        }
    }

    private static func text(of number: UInt32) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }
}

extension Pairing.Prompt {
    /// Whether the prompt expects an answer.
    fileprivate var isQuestion: Bool { if case .display = self { false } else { true } }
}
