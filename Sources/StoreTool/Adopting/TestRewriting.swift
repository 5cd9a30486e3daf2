import ModelMacroExpansion

/// Copies of XCTest files, with the changes that XCTest needs on Linux.
///
/// There, XCTest aborts when it finds a synchronous test that is isolated to the main actor, and its
/// classes are not isolated.
struct TestRewriting {
  /// A class of a file of tests.
  struct Class {
    let name: String
    let superclass: String
    let isOnMainActor: Bool
  }

  private var cursor: TokenCursor
  /// Strings to insert before offsets, or to replace ranges by.
  private var edits: [(range: Range<Int>, text: String)] = []
  private let isOnMainActor: Bool
  private let testClasses: Set<String>
  private let isolatedClasses: Set<String>

  /// Makes the changes that a file needs.
  ///
  /// - Parameters:
  ///   - source: The source of a file.
  ///   - isOnMainActor: Whether declarations of its target are isolated to the main actor.
  ///   - classes: The classes in all files of its target.
  /// - Returns: The changed source, or `nil` if it needs no change.
  static func rewritten(
    _ source: String,
    isOnMainActor: Bool,
    classes: [Class]
  ) -> String? {
    let text = SourceText(source)
    var rewriting = TestRewriting(
      cursor: TokenCursor(text),
      isOnMainActor: isOnMainActor,
      classes: classes
    )
    rewriting.readFile()
    guard !rewriting.edits.isEmpty else { return nil }
    var (result, end) = ("", 0)
    for edit in rewriting.edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += text[end..<edit.range.lowerBound] + edit.text
      end = edit.range.upperBound
    }
    return result + text[end..<text.bytes.count]
  }

  /// Returns the classes of a file that have a superclass.
  static func classes(in source: String) -> [Class] {
    var (cursor, head) = (TokenCursor(SourceText(source)), DeclarationHead())
    var found: [Class] = []
    while !cursor.isAtEnd {
      if cursor.at("class"), cursor.string(2) == ":" {
        found.append(
          Class(
            name: cursor.string(1),
            superclass: cursor.string(3),
            isOnMainActor: head.isOnMainActor
          )
        )
      } else if head.take(&cursor) {
        continue
      }
      cursor.advance()
      head = DeclarationHead()
    }
    return found
  }

  private init(cursor: TokenCursor, isOnMainActor: Bool, classes: [Class]) {
    self.cursor = cursor
    self.isOnMainActor = isOnMainActor
    testClasses = Self.names(["XCTestCase"], inheritedIn: classes)
    let isolated = classes.filter(\.isOnMainActor).map(\.name)
    isolatedClasses = Self.names(Set(isolated), inheritedIn: classes)
  }

  /// Returns names of classes, with those of all their subclasses.
  private static func names(_ names: Set<String>, inheritedIn classes: [Class]) -> Set<String> {
    var (names, count) = (names, -1)
    // A class may be declared before its superclass.
    while count != names.count {
      count = names.count
      names.formUnion(classes.filter { names.contains($0.superclass) }.map(\.name))
    }
    return names
  }

  private mutating func readFile() {
    var head = DeclarationHead()
    while !cursor.isAtEnd {
      if cursor.at("class"), cursor.string(2) == ":", testClasses.contains(cursor.string(3)) {
        readClass(head)
        head = DeclarationHead()
      } else if !head.take(&cursor) {
        cursor.advance()
        head = DeclarationHead()
      }
    }
  }

  /// Reads a class of tests from its keyword on.
  private mutating func readClass(_ head: DeclarationHead) {
    let isIsolated = head.isOnMainActor || isolatedClasses.contains(cursor.string(1))
    // Isolation by default makes a subclass that does not compile; its members may have it.
    let movesIsolation = isOnMainActor && !head.isNonisolated && !isIsolated
    if movesIsolation { insert("nonisolated ", at: head.start ?? cursor.offset) }
    while !cursor.isAtEnd, !cursor.at("{") { cursor.advance() }
    cursor.advance()
    var member = DeclarationHead()
    while !cursor.isAtEnd, !cursor.at("}") {
      if cursor.at("func") {
        readFunction(member, isolated: isIsolated || movesIsolation)
      }
      if movesIsolation, isMember(member) {
        insert("@MainActor ", at: member.start ?? cursor.offset)
      }
      if member.take(&cursor) { continue }
      member = DeclarationHead()
      skipMemberPart()
    }
  }

  /// Whether a member without isolation begins that may have one: an override has that of its
  /// superclass.
  private func isMember(_ head: DeclarationHead) -> Bool {
    guard ["func", "var", "let"].contains(cursor.word), !head.isIsolated else { return false }
    return !head.isOverride || (!head.isStatic && Self.preparations[cursor.string(1)] != nil)
  }

  /// Skips one token, or a pair of brackets.
  private mutating func skipMemberPart() {
    if ["(", "[", "{"].contains(cursor.word) { cursor.skipBrackets() } else { cursor.advance() }
  }

  /// Makes a function asynchronous if it is a test, or prepares one, and is isolated.
  private mutating func readFunction(_ head: DeclarationHead, isolated: Bool) {
    guard head.isOnMainActor || (isolated && !head.isNonisolated), !head.isStatic else { return }
    var look = cursor
    look.advance()
    let name = look.word
    let nameRange = look.offset..<(look.offset + name.utf8.count)
    look.advance()
    guard look.at("("), look.string(1) == ")" else { return }
    look.skipBrackets()
    let end = look.previousEnd
    guard !look.at("async") else { return }
    if name.hasPrefix("test"), !head.isOverride {
      return insert(" async", at: end)
    }
    guard head.isOverride, let asynchronous = Self.preparations[name] else { return }
    insert(look.at("throws") ? " async" : " async throws", at: end)
    if asynchronous != name { edits.append((nameRange, asynchronous)) }
    while !look.isAtEnd, !look.at("{") { look.advance() }
    rewriteSuperCalls(in: look)
  }

  /// The functions before and after each test, with the names of their asynchronous forms.
  private static let preparations = [
    "setUp": "setUp", "setUpWithError": "setUp", "tearDown": "tearDown",
    "tearDownWithError": "tearDown",
  ]

  private mutating func rewriteSuperCalls(in body: TokenCursor) {
    var (look, end) = (body, body)
    end.skipBrackets()
    while look.index < end.index {
      if look.at("super"), let name = Self.preparations[look.string(2)] {
        let hasTry = look.string(-1) == "try"
        insert(hasTry ? "await " : "try await ", at: look.offset)
        look.advance()
        look.advance()
        let range = look.offset..<(look.offset + look.word.utf8.count)
        if name != look.word { edits.append((range, name)) }
      }
      look.advance()
    }
  }

  private mutating func insert(_ text: String, at offset: Int) {
    edits.append((offset..<offset, text))
  }
}
