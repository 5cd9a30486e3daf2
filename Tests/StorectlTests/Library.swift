import CSQLite
import CommandLineSupport
import Foundation
import OpenSwiftData
import StoreTestSupport
import Testing

@testable import StoreTool

/// A store of books in a folder of its own, and the program that looks into it.
final class Library: Sendable {
  let folder: TemporaryFolder
  /// The store's URL.
  let url: String

  /// Text that means something in markup, on a terminal, in CSV and in JSON.
  static let hostile = "<b>\"Ärger\" & 'Co',\n\u{1B}[31m\u{202E}"

  /// Makes two authors with three books and two tags, the smallest store with everything in it.
  ///
  /// - Parameters:
  ///   - kind: The scheme of the store, and the ending of its file.
  ///   - folder: Where it is, nil for a folder of its own.
  ///   - oddText: The name of one author and the title of one book.
  /// - Throws: What making and saving throw.
  init(
    _ kind: String,
    folder: TemporaryFolder? = nil,
    oddText: String = Library.hostile
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    url = "\(kind):\(folder.file("books.\(kind)").path)"
    let context = ModelContext(try Self.container(url))
    let ada = Author(name: "Ada", born: Date(timeIntervalSinceReferenceDate: 0.25))
    let nobody = Author(name: oddText)
    ada.account = Account(number: "4711")
    let first = Book(title: "Numbers", pages: 120, key: Self.key(1))
    first.price = Decimal(string: "12.50")
    first.rating = 4.5
    first.size = Book.Size(width: 12.5, height: 20)
    first.cover = Data([0, 255])
    first.scan = Data(repeating: 7, count: 40_000)
    let second = Novel(title: "Letters", pages: 80, key: Self.key(2))
    second.series = "Old"
    let third = Book(title: oddText, pages: -3, key: Self.key(3))
    context.insert(ada)
    context.insert(nobody)
    for book in [first, second, third] { context.insert(book) }
    (first.author, second.author) = (ada, ada)
    let (new, old) = (Tag(word: "new"), Tag(word: "old"))
    first.tags = [old, new]
    second.tags = [old]
    try context.save()
  }

  static func key(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
  }

  /// The container with the models.
  static func container(_ url: String) throws -> ModelContainer {
    try ModelContainer(
      for: Author.self,
      Book.self,
      Novel.self,
      Tag.self,
      Account.self,
      store: url
    )
  }

  /// A store that is empty, or not there yet, beside this one.
  func other(_ kind: String, _ name: String = "other") -> String {
    "\(kind):\(folder.file("\(name).\(kind)").path)"
  }

  /// Changes the store past all rules of models.
  func apply(_ changes: StoreChanges) throws {
    _ = try OpenedStore(url, forWriting: true).store.apply(changes)
  }

  /// Executes statements on a file, like a program that ignores the store's rules.
  static func execute(_ sql: String, on path: String) throws {
    var handle: OpaquePointer?
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    try #require(sqlite3_exec(handle, "PRAGMA foreign_keys = OFF; " + sql, nil, nil, nil) == 0)
  }

  /// Replaces the history in the file by one transaction.
  ///
  /// - Parameter changes: The changes of the transaction, as JSON.
  /// - Throws: What reading and writing the file throws.
  func replaceHistory(by changes: String) throws {
    let sqlite = "sqlite:"
    if url.hasPrefix(sqlite) {
      let path = String(url.dropFirst(sqlite.count))
      return try Self.execute("UPDATE _history SET changes = '\(changes)'", on: path)
    }
    let path = folder.file("books.json").path
    let document = try String(contentsOfFile: path, encoding: .utf8)
    let start = try #require(document.range(of: "\"history\": ")).upperBound
    let line = "{\"number\":1,\"time\":{\"$date\":0},\"changes\":\(changes)}"
    try "\(document[..<start]){\"transactions\":[\(line)]}\n}\n"
      .write(toFile: path, atomically: false, encoding: .utf8)
  }

  /// Finds a row and gives its identifier, with the position of a property.
  func locate(
    _ entity: String,
    _ property: String,
    where name: String,
    is value: StoreValue
  ) throws -> (identifier: PersistentIdentifier, index: Int) {
    let opened = try OpenedStore(url)
    let found = try opened.objects(StoreQuery(entity: entity)).first { object in
      object.entity.indexByName[name].map { object.values[$0] } == value
    }
    guard let found, let index = found.entity.indexByName[property] else {
      throw CommandFailure("no \(entity) with \(name) \(value)")
    }
    return (found.identifier, index)
  }
}

/// What a run of the program left behind.
struct Run {
  let code: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Runs the program within the test.
  static func storectl(
    _ words: String...,
    terminal: Bool = false,
    width: Int = 80
  ) async -> Run {
    await storectl(words, terminal: terminal, width: width)
  }

  /// Runs the program within the test for a list of words.
  static func storectl(
    _ words: [String],
    terminal: Bool = false,
    width: Int = 80
  ) async -> Run {
    let console = Console.recording(isOutputTerminal: terminal, width: width)
    let code = await Storectl.command.run(words, environment: [:], console: console)
    return Run(
      code: code.rawValue,
      output: console.output.pendingText,
      errors: console.errors.pendingText
    )
  }
}
