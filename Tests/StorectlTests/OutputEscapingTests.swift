import CSVFiles
import CommandLineSupport
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreTool

/// Reads each output format back by bytes or scalars, as its readers do.
///
/// The strings consist of the special characters of the formats and of scalars that hide them from
/// `Character`.
@Suite("Stored strings are escaped")
struct OutputEscapingTests {
  /// Known attacks, followed by random strings.
  static let strings: [String] =
    [
      "\u{0600}<meta http-equiv=refresh content=\"0;url=http://a.example\">",
      "\"\u{301} onmouseover='x'", "<\u{20E3}script>", "&\u{301}lt;", "'\u{301}",
      "a\",\"b\u{301}\"",
      "\"\u{301},\"\u{301}\r\n=1+1", "|\u{301}a|", "}\u{301}\n  class X", "\\\u{301}\"",
      ">\u{301}];",
      "\u{1B}]0;title\u{7}", "\u{9B}2J", "\u{202E}gpj.exe", "\u{2028}\u{2029}\u{85}", "\u{7F}\u{0}",
      "\r\n\r\n", "a\u{FEFF}", "\u{FFFF}\u{10FFFF}", "]]>", "-->", "</title></style></script>",
    ] + (0..<400).map(random)

  private static let pieces: [String] = [
    "<", ">", "\"", "'", "&", "`", "\\", "/", ",", ";", ":", "{", "}", "[", "]", "|", "%", "#", "~",
    "\n", "\r", "\r\n", "\t", " ", "a", "é", "日", "👩‍👧", "\u{301}", "\u{20E3}", "\u{600}", "\u{200D}",
    "\u{FE0F}", "\u{1B}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{85}", "\u{0}", "\u{7F}",
    "script", "-->", "&lt;", "\\u{1B}", "\\u009b",
  ]

  private static func random(_ seed: Int) -> String {
    var generator = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 1...12, using: &generator)
    return (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }
      .joined()
  }

  private static func hasControls(_ text: String) -> Bool {
    text.unicodeScalars.contains { scalar in
      scalar != "\n" && scalar.properties.generalCategory == .control
        || (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
  }

  private static func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

  @Test(arguments: strings)
  func `in text and attributes of a page`(text: String) {
    let html = HTML { $0.element("p", [("title", text)], text: text) }
    let bytes = Array(html.source.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    // Two quotes around the attribute, two tags, and no other markup characters.
    #expect(parts.count == 3, "\(html.source)")
    for sign in "<>" { #expect(bytes.count { $0 == sign.asciiValue } == 2, "\(html.source)") }
    #expect(!bytes.contains(UInt8(ascii: "'")) && !Self.hasControls(html.source))
    let plain = Self.unescaped(Array(parts[1]))
    #expect(plain.elementsEqual(text.visible.utf8))
    #expect(Array("<p title=".utf8) == Array(parts[0]))
  }

  /// Returns the bytes that a browser decodes from text in a page.
  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var text = String(decoding: bytes, as: UTF8.self).utf8.map { $0 }[...]
    let names = ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&amp;": "&"]
    var result: [UInt8] = []
    while let byte = text.first {
      let found = names.first { text.starts(with: $0.key.utf8) }
      result += found.map { Array($0.value.utf8) } ?? [byte]
      text = text.dropFirst(found?.key.utf8.count ?? 1)
    }
    return result
  }

  @Test(arguments: strings)
  func `in the address of a page`(text: String) throws {
    let link = PageLink.entity(text, sort: text)
    let allowed = Array(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%/?=".utf8
    )
    #expect(link.utf8.allSatisfy(allowed.contains))
    guard link.utf8.count <= HTTPRequest.longestTarget else { return }
    let request = "GET \(link) HTTP/1.1\r\nHost: localhost:1\r\n\r\n"
    let read = try HTTPRequest(Array(request.utf8), hosts: ["localhost:1"])
    #expect(read.path.map(Self.scalars) == [Self.scalars("entities"), Self.scalars(text)])
    #expect(read.query["sort"].map(Self.scalars) == Self.scalars(text))
  }

  @Test func `in fields of comma-separated values`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("table.csv")
    let rows = Self.strings.map { [$0, "plain", $0] }
    let lines = CSVText.line(["a", "b", "c"]) + rows.map(CSVText.line).joined()
    try lines.write(to: file, atomically: true, encoding: .utf8)
    let reader = try CSVReader(path: file.path)
    var count = 0
    while let row = try reader.next() {
      #expect(try row.texts().map(Self.scalars) == rows[count].map(Self.scalars), "row \(count)")
      count += 1
    }
    #expect(count == rows.count)
  }

  @Test(arguments: strings)
  func `in JSON`(text: String) throws {
    let json = try JSONText.encoding([text: [text]])
    #expect(!Self.hasControls(json))
    let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [String]]
    #expect(read?.keys.first.map(Self.scalars) == Self.scalars(text))
    #expect(read?.values.first?.first.map(Self.scalars) == Self.scalars(text))
  }

  @Test(arguments: strings)
  func `in cells of a table`(text: String) {
    var table = TextTable([.text(text), .whole(text), .number(text)])
    table.append([text, text, text])
    for width in [1, 20, 80, 500] {
      let shown = table.text(width: width)
      #expect(shown.utf8.count { $0 == 0x0A } == 3 && !Self.hasControls(shown), "\(width)")
    }
    #expect(!text.shown(to: 5).unicodeScalars.contains("\n"))
    #expect(text.shown(to: 5).displayWidth <= 5)
  }

  @Test(arguments: strings)
  func `in names of diagrams`(text: String) {
    let entity = StoreEntity(
      name: text,
      properties: [
        StoreProperty(name: text, kind: .attribute(.string)),
        StoreProperty(name: "r\(text)", kind: .toMany(StoreRelationship(destination: text))),
      ]
    )
    let schema = StoreSchema(entities: [entity])
    let mermaid = SchemaText.mermaid(schema).utf8.split(separator: 0x0A)
    #expect(mermaid.count == 5)
    for line in mermaid {
      let isClass = line.starts(with: "  class E0[\"".utf8)
      let isEdge = line.starts(with: "  E0 \"*\" --> \"*\" E0 : ".utf8)
      #expect(line.count { $0 == UInt8(ascii: "\"") } == (isEdge ? 4 : isClass ? 2 : 0))
      for sign in "`#;%~" { #expect(!line.contains(sign.asciiValue ?? 0)) }
    }
    let dot = SchemaText.graphviz(schema)
    #expect(!Self.hasControls(SchemaText.mermaid(schema)) && !Self.hasControls(dot))
    let lines = dot.utf8.split(separator: 0x0A)
    #expect(lines.count == 7)
    // In an HTML label, only the program writes markup characters. In a string, each quote ends it.
    let box = lines.first { $0.starts(with: "  E0 [".utf8) } ?? lines[0]
    #expect(box.count { $0 == UInt8(ascii: "<") } == 15, "\(dot)")
    let edge = Array(lines.first { $0.starts(with: "  E0 -> ".utf8) } ?? lines[0])
    var quotes = 0
    var index = 0
    while index < edge.count {
      if edge[index] == UInt8(ascii: "\\") {
        index += 1
      } else if edge[index] == UInt8(ascii: "\"") {
        quotes += 1
      }
      index += 1
    }
    #expect(quotes == 6, "\(dot)")
  }

  @Test(arguments: strings)
  func `in names of Swift source`(text: String) {
    func source(_ name: String, _ option: String) -> [Substring] {
      let property = StoreProperty(
        name: name + "x",
        kind: .attribute(.string),
        options: [option]
      )
      let schema = StoreSchema(entities: [StoreEntity(name: name + "y", properties: [property])])
      return SwiftSource.text(schema, shapes: [:]).split(separator: "\n")
    }
    let (written, plain) = (source(text, text), source("a b", "a b"))
    #expect(written.count == plain.count)
    for line in written {
      #expect(line.utf8.count { $0 == UInt8(ascii: "`") }.isMultiple(of: 2), "\(line)")
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 }, "\(line)")
    }
  }

  @Test(arguments: strings)
  func `on a terminal, and are unchanged in a pipe`(text: String) {
    let terminal = Console.recording(isOutputTerminal: true)
    terminal.write(text)
    terminal.print(text)
    terminal.printError(text)
    #expect(!Self.hasControls(terminal.output.pendingText))
    #expect(!Self.hasControls(terminal.errors.pendingText))
    let pipe = Console.recording()
    pipe.write(text)
    pipe.printError(text)
    #expect(pipe.output.pendingText.utf8.elementsEqual(text.utf8))
    #expect(!Self.hasControls(pipe.errors.pendingText))
  }

  @Test(arguments: ["sqlite", "json"])
  func `in the output of each command`(kind: String) async throws {
    let text = "\u{0600}<b\u{301}>\"\u{301},\u{1B}[31m\u{9B}2J\u{202E}\n\u{2028}|\u{7F}"
    let library = try Library(kind, oddText: text)
    let export = await Run.storectl("export", library.url)
    let commands = [
      ["list", library.url, "Author"], ["list", library.url, "Author", "--format", "json"],
      ["list", library.url, "Author", "--format", "csv"],
      ["list", library.url, "Author", "--format", "ndjson"],
      ["show", library.url, "Author/2"], ["show", library.url, "Author/2", "--format", "json"],
      ["stats", library.url], ["stats", library.url, "--format", "json"], ["export", library.url],
      ["history", library.url], ["info", library.url], ["list", library.url, text],
      ["show", library.url, text + "/1"], ["list", library.url, "Author", "--sort", text],
      ["list", library.url, "Author", "--where", text], [text],
      ["diff", library.url, library.url], ["verify", library.url],
    ]
    for words in commands {
      let run = await Run.storectl(words, terminal: true)
      #expect(!Self.hasControls(run.output) && !Self.hasControls(run.errors), "\(words)")
    }
    let file = library.folder.file("export.ndjson")
    try export.output.write(to: file, atomically: true, encoding: .utf8)
    let other = library.other(kind)
    #expect(await Run.storectl("import", file.path, other).code == 0)
    #expect(await Run.storectl("diff", library.url, other).code == 0)
  }
}
