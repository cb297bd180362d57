import Foundation
import PDUTestKit
import TestKit
import Testing

/// The Markdown pages of the repository: links resolve, indexes are complete, named types and targets exist.
struct DocumentationTests {
    @Test(arguments: MarkdownPage.all)
    func everyLinkResolves(_ page: String) throws {
        let folder = Repository.url(page).deletingLastPathComponent()
        for link in try MarkdownPage(page).links {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? Repository.url(page) : folder.appending(path: parts[0]).standardizedFileURL
            guard FileManager.default.fileExists(atPath: target.path) else {
                Issue.record("\(page): no file \(link)")
                continue
            }
            guard parts.count == 2, target.pathExtension == "md" else { continue }
            let text = try String(contentsOf: target, encoding: .utf8)
            #expect(MarkdownPage(text: text).anchors.contains(parts[1]), "\(page): no heading \(link)")
        }
    }

    /// docs/README.md links to every page of docs/, docs/decisions/README.md to every decision.
    @Test(arguments: ["docs", "docs/decisions"])
    func everyPageIsInTheIndex(_ folder: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))
        let pages = files.filter { ($0.hasSuffix(".md") && $0 != "README.md") || $0.hasSuffix(".schema.json") }
        let listed = Set(try MarkdownPage("\(folder)/README.md").links)
        #expect(pages.filter { !listed.contains($0) } == [])
    }

    /// The pages about the code name only existing types, modules and files.
    @Test(arguments: ["docs/architecture.md", "docs/limits.md", "CONTRIBUTING.md", "SECURITY.md"])
    func namedTypesExist(_ page: String) throws {
        let words = Self.wordsOfTheCode.union(Self.examples)
        #expect(try MarkdownPage(page).types.filter { !words.contains($0) && !words.contains($0 + "Tests") } == [])
    }

    @Test func namedTargetsOfMakeExist() throws {
        let text = try Repository.text("CONTRIBUTING.md")
        let targets = Set(text.matches(of: /`make ([a-z-]+)/).map { String($0.1) })
        let makefile = try Repository.text("Makefile").split(separator: "\n")
        #expect(targets.count > 3)
        #expect(targets.filter { target in !makefile.contains { $0.hasPrefix("\(target):") } } == [])
    }

    /// Placeholder names in instructions.
    private static let examples: Set = ["Aspect", "Sensor", "SensorTests"]

    /// Words of Swift files, and names of files and folders.
    private static let wordsOfTheCode: Set<String> = {
        var words: Set<String> = []
        for folder in ["Sources", "Plugins", "Templates", "Tests"] {
            words.insert(folder)
            let paths = FileManager.default.enumerator(atPath: Repository.path(folder))?.compactMap { $0 as? String }
            for path in paths ?? [] {
                words.formUnion(path.split { "/.".contains($0) }.map(String.init))
                guard path.hasSuffix(".swift"), let text = try? Repository.text("\(folder)/\(path)") else { continue }
                words.formUnion(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
            }
        }
        return words
    }()
}

/// A Markdown page.
struct MarkdownPage {
    /// The hand-written pages, by path.
    static let all: [String] = {
        var pages = ["captures/README.md", "captures/known-differences.md"]
        for folder in [".", "docs", "docs/decisions"] {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))) ?? []
            pages += files.filter { $0.hasSuffix(".md") }.map { folder == "." ? $0 : "\(folder)/\($0)" }
        }
        let plugins = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("Plugins"))) ?? []
        pages += plugins.map { "Plugins/\($0)/README.md" }
        return pages.sorted()
    }()

    /// The text outside code blocks, and the text of diagrams: blocks without a language and without commands.
    private let lines: [Substring]
    private let diagrams: [Substring]

    init(_ path: String) throws {
        self.init(text: try Repository.text(path))
    }

    init(text: String) {
        let parts = ("\n" + text).components(separatedBy: "\n```")
        var prose: [Substring] = []
        var diagrams: [Substring] = []
        for (index, part) in parts.enumerated() {
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
            if index.isMultiple(of: 2) {
                prose += lines.dropFirst()
            } else if lines[0].isEmpty, !part.contains("\n$ ") {
                diagrams += lines.dropFirst()
            }
        }
        lines = prose
        self.diagrams = diagrams
    }

    /// Link targets within the repository.
    var links: [String] {
        let targets = lines.flatMap { $0.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) } }
        return targets.filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
    }

    /// Anchors of headings, as generated by GitHub.
    var anchors: Set<String> {
        Set(
            lines.filter { $0.hasPrefix("#") }.map { line in
                let title = line.drop { $0 == "#" }.dropFirst().lowercased()
                let kept = title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                return kept.replacing(" ", with: "-")
            })
    }

    /// Names of types: in code spans, words that begin with a capital letter and contain a lower-case one; in diagrams,
    /// words of several such parts.
    var types: [String] {
        let spans = lines.flatMap { line in
            line.matches(of: /`([^`]+)`/).flatMap { span in
                span.1.replacing(/<\w+>/, with: "").split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            }
        }
        let drawn = diagrams.flatMap { line in
            line.matches(of: /\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/).map { String($0.0) }
        }
        return spans.filter { $0.first?.isUppercase == true && $0.contains { $0.isLowercase } } + drawn
    }
}
