import Foundation
import StoreHelpers
import StoreProtocol

/// The history of a store in memory.
typealias History = HistoryLog<HistoryLine>

extension History {
  /// The number of the last save in the history.
  var lastSave: Int64 { max(cut, entries.last?.number ?? 0) }

  /// Reads the member `history` of a document: `{"cut": 30, "cutSave": "…", "transactions": [ …
  /// ]}`.
  ///
  /// - Throws: `JSONError` for any other content.
  init(_ scanner: inout JSONScanner, _ bytes: UnsafeRawBufferPointer) throws(JSONError) {
    var lines: [HistoryLine] = []
    var cut: Int64 = 0
    var cutSave: UUID?
    var readers: [HistoryReaderPosition] = []
    var isFirst = true
    try scanner.beginObject()
    while let name = try scanner.nextMember(&isFirst) {
      switch try scanner.string(of: name) {
      case "cut": cut = try scanner.readSaveNumber()
      case "cutSave": cutSave = try scanner.readUUID()
      case "readers": readers = try scanner.readReaders()
      case "transactions":
        var isFirstLine = true
        try scanner.beginArray()
        while try scanner.nextElement(&isFirstLine) {
          let start = scanner.position
          let line = try HistoryLine(&scanner, bytes)
          guard line.number > lines.last?.number ?? 0 else {
            throw scanner.error(.invalidValue("transactions must be in ascending order"), at: start)
          }
          lines.append(line)
        }
      default: throw scanner.error(.invalidValue("a history cannot have this key"), at: name.start)
      }
    }
    self.init(lines, cut: cut, cutSave: cutSave, readers: readers)
  }
}

extension JSONScanner {
  mutating func readSaveNumber() throws(JSONError) -> Int64 {
    try readCounter("save numbers", from: 0)
  }
}
