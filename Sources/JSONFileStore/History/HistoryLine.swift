import Foundation
import StoreProtocol

/// One save in the history, as the text that the files have of it.
///
/// It is read when somebody asks for what it tells, so that opening a store costs little and a
/// transaction that nobody asks for is written again as it stands.
struct HistoryLine: HistoryEntry {
  let number: Int64
  let timestamp: Date
  /// The text, an object on one line unless a person laid it out.
  let text: [UInt8]

  var size: Int { text.count }

  /// The line of a save.
  init(_ record: HistoryRecord) {
    number = record.number
    timestamp = record.timestamp
    var printer = JSONPrinter()
    printer.append(.value(Self.value(of: record)), as: .codable)
    text = printer.bytes
  }

  private static func value(of record: HistoryRecord) -> StoreValue {
    var members = [
      StoreValue.Member("number", .integer(record.number)),
      StoreValue.Member("time", .date(record.timestamp)),
    ]
    if let author = record.author { members.append(.init("author", .string(author))) }
    members.append(.init("bundle", .string(record.bundle)))
    members.append(.init("process", .string(record.process)))
    members.append(.init("changes", .array(record.groups.map(\.storeValue))))
    return .composite(members)
  }

  /// Reads what all lines are asked for, and passes over the rest.
  ///
  /// - Throws: `JSONError` for an object without number or time.
  init(_ scanner: inout JSONScanner, _ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    _ = try scanner.nextToken()
    let start = scanner.position
    var number: Int64?
    var time: Date?
    var isFirst = true
    try scanner.beginObject()
    while let name = try scanner.nextMember(&isFirst) {
      switch try scanner.string(of: name) {
      case "number": number = try scanner.readInteger()
      case "time":
        if case .date(let date) = try scanner.readTagged() { time = date }
      default: try scanner.skipValue()
      }
    }
    guard let number, let time, (1...DocumentFormat.greatestNumber).contains(number) else {
      throw scanner.error(.invalidValue("a transaction has a number and a time"), at: start)
    }
    self.number = number
    timestamp = time
    text = Array(bytes[start..<scanner.position])
  }

  /// All that the line tells.
  ///
  /// - Throws: ``DataStoreError/storeDamaged`` where it is none of the store's.
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

  private var parsed: HistoryRecord? {
    let value = text.withUnsafeBytes { bytes -> StoreValue? in
      var scanner = JSONScanner(bytes)
      return try? scanner.readTagged()
    }
    guard let value, case .array(let changes)? = value.member("changes") else { return nil }
    let groups = changes.compactMap(HistoryGroup.init(storeValue:))
    guard groups.count == changes.count else { return nil }
    return HistoryRecord(
      number: number,
      timestamp: timestamp,
      author: Self.text("author", of: value),
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

  /// Whether the text can be read where a document has it, at the depth of its transactions.
  var fitsDocument: Bool {
    let nested = Array("[[[".utf8) + text + Array("]]]".utf8)
    return nested.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.skipValue()) != nil
    }
  }
}
