import Foundation
import StoreHelpers
import StoreProtocol

/// One save in the history, as the text in the files.
///
/// It is parsed only on demand, so opening a store is cheap, and a transaction that is not
/// requested is written again unchanged.
struct HistoryLine: HistoryEntry {
  let number: Int64
  let timestamp: Date
  let save: UUID?
  /// The text: an object on one line, unless a person reformatted it.
  let text: [UInt8]

  var size: Int { text.count }

  /// Creates the line of a save.
  init(_ record: HistoryRecord) {
    number = record.number
    timestamp = record.timestamp
    save = record.save
    var printer = JSONPrinter()
    printer.append(record)
    text = printer.bytes
  }

  /// Reads the members that all lines need, and skips the rest.
  ///
  /// - Throws: `JSONError` for an object without a number or a time.
  init(_ scanner: inout JSONScanner, _ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    _ = try scanner.nextToken()
    let start = scanner.position
    var number: Int64?
    var time: Date?
    var save: UUID?
    var isFirst = true
    try scanner.beginObject()
    while let name = try scanner.nextMember(&isFirst) {
      switch try scanner.string(of: name) {
      case "number": number = try scanner.readInteger()
      case "time":
        if case .date(let date) = try scanner.readTagged() { time = date }
      case "save": save = try scanner.readUUID()
      default: try scanner.skipValue()
      }
    }
    guard let number, let time, (1...StoreNumbers.greatest).contains(number) else {
      throw scanner.error(.invalidValue("a transaction must have a number and a time"), at: start)
    }
    self.number = number
    self.save = save
    timestamp = time
    text = Array(bytes[start..<scanner.position])
  }

  /// Returns the whole content of the line.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` if it is not a valid record.
  func record(file: String) throws -> HistoryRecord {
    guard let record = parsed else {
      throw DataStoreError(
        .storeDamaged,
        "transaction \(number) of the history cannot be read; delete the history, or restore a backup",
        file: file
      )
    }
    return record
  }

  /// Returns the line with the names after a migration, or `nil` if they are the same.
  ///
  /// A line that is not valid stays as it is, for the error when it is read.
  func renamed(by renaming: HistoryRenaming) -> HistoryLine? {
    parsed?.renamed(by: renaming).map { HistoryLine($0) }
  }

  private var parsed: HistoryRecord? {
    let value = text.withUnsafeBytes { bytes -> StoreValue? in
      var scanner = JSONScanner(bytes)
      return try? scanner.readTagged()
    }
    guard let value, case .array(let changes)? = value.member("changes"),
      let groups = HistoryGroup.groups(changes)
    else { return nil }
    return HistoryRecord(
      number: number,
      save: save,
      timestamp: timestamp,
      author: Self.text("author", of: value),
      origin: Self.text("origin", of: value).map(SaveOrigin.init) ?? .program,
      bundle: Self.text("bundle", of: value) ?? "",
      process: Self.text("process", of: value) ?? "",
      groups: groups
    )
  }

  private static func text(_ name: String, of value: StoreValue) -> String? {
    if case .string(let text)? = value.member(name) { return text }
    return nil
  }

  func text(_ text: StoreHistoryFilter.Text) -> String? { parsed?.text(text) }

  func changes(anyOf entities: Set<String>) -> Bool {
    parsed?.changes(anyOf: entities) ?? false
  }

  /// Whether the text is valid in a document, at the depth of its transactions.
  var fitsDocument: Bool {
    text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      scanner.depth = DocumentFormat.depths.row
      return (try? scanner.skipValue()) != nil
    }
  }
}

extension JSONPrinter {
  /// Appends the whole content of a save's line.
  fileprivate mutating func append(_ record: HistoryRecord) {
    append(json: "{\"number\":")
    append(record.number)
    append(json: ",\"time\":")
    append(taggedDate: record.timestamp.timeIntervalSinceReferenceDate)
    if let save = record.save {
      append(json: ",\"save\":")
      append(save.text)
    }
    if record.origin != .program {
      append(json: ",\"origin\":")
      append(record.origin.rawValue)
    }
    if let author = record.author {
      append(json: ",\"author\":")
      append(author)
    }
    append(json: ",\"bundle\":")
    append(record.bundle)
    append(json: ",\"process\":")
    append(record.process)
    append(json: ",\"changes\":")
    append(elements: record.groups) { $0.append($1) }
    append(UInt8(ascii: "}"))
  }

  private mutating func append(_ group: HistoryGroup) {
    append(UInt8(ascii: "{"))
    append(group.kind.rawValue)
    append(UInt8(ascii: ":"))
    append(group.entity)
    append(json: ",\"keys\":")
    append(elements: group.keys.ranges) { $0.append($1) }
    if group.cause != .program {
      append(json: ",\"cause\":")
      append(group.cause.rawValue)
    }
    if !group.properties.isEmpty {
      append(json: ",\"properties\":")
      append(elements: group.properties) { $0.append($1) }
    }
    if !group.clearedProperties.isEmpty {
      append(json: ",\"cleared\":")
      append(elements: group.clearedProperties) { $0.append($1) }
    }
    if let before = group.before {
      append(json: ",\"before\":")
      append(elements: before) { $0.append(tagged: .array($1)) }
    }
    if let after = group.after {
      append(json: ",\"after\":")
      append(elements: after) { $0.append(tagged: .array($1)) }
    }
    append(UInt8(ascii: "}"))
  }

  private mutating func append(_ range: ClosedRange<Int64>) {
    if range.lowerBound == range.upperBound { return append(range.lowerBound) }
    append(UInt8(ascii: "["))
    append(range.lowerBound)
    append(UInt8(ascii: ","))
    append(range.upperBound)
    append(UInt8(ascii: "]"))
  }
}
