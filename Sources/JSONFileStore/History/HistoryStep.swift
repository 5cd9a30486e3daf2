import Foundation
import StoreHelpers
import StoreProtocol

/// An effect of a save on the history other than its own transaction.
enum HistoryStep {
  /// Deletes all transactions up to the number of a save that is not recorded.
  case cut(Int64, save: UUID)
  /// Deletes the transactions with these numbers.
  case forget([Int64])
  /// Sets the positions of readers.
  case move([HistoryReaderPosition])
  /// Removes a reader.
  case part(String)

  /// Applies the effect to the in-memory history.
  func apply(to history: inout History) {
    switch self {
    case .cut(let number, let save): history.cutAll(at: number, save: save)
    case .forget(let numbers): history.delete(.numbers(Set(numbers)))
    case .move(let readers): for reader in readers { history.set(reader) }
    case .part(let name): history.removeReader(name)
    }
  }
}

extension JSONPrinter {
  /// Appends the corresponding member of a journal record.
  mutating func append(_ step: HistoryStep) {
    switch step {
    case .cut(let number, let save):
      append(json: ",\"cutSave\":")
      append(save.text)
      append(json: ",\"cut\":")
      append(number)
    case .forget(let numbers):
      append(json: ",\"forget\":")
      append(.value(KeyRanges(numbers).storeValue), as: .codable)
    case .move(let readers):
      append(json: ",\"readers\":")
      append(elements: readers) { $0.append($1) }
    case .part(let name):
      append(json: ",\"part\":")
      append(name)
    }
  }
}

extension JSONPrinter {
  mutating func append(_ reader: HistoryReaderPosition) {
    append(json: "{\"name\":")
    append(reader.name)
    append(json: ",\"number\":")
    append(reader.number)
    if let save = reader.save {
      append(json: ",\"save\":")
      append(save.text)
    }
    append(json: ",\"time\":")
    append(taggedDate: reader.timestamp.timeIntervalSinceReferenceDate)
    append(UInt8(ascii: "}"))
  }
}

extension JSONScanner {
  mutating func readReaders() throws(JSONError) -> [HistoryReaderPosition] {
    var readers: [HistoryReaderPosition] = []
    var isFirst = true
    try beginArray()
    while try nextElement(&isFirst) { readers.append(try readReader()) }
    return readers
  }

  private mutating func readReader() throws(JSONError) -> HistoryReaderPosition {
    let start = position
    var name: String?
    var number: Int64?
    var save: UUID?
    var time: Date?
    var isFirst = true
    try beginObject()
    while let member = try nextMember(&isFirst) {
      switch try string(of: member) {
      case "name": name = try readString()
      case "number": number = try readSaveNumber()
      case "save": save = try readUUID()
      case "time": if case .date(let date) = try readTagged() { time = date }
      default: throw error(.invalidValue("a reader cannot have this key"), at: member.start)
      }
    }
    guard let name, let number, let time else {
      throw error(.invalidValue("a reader must have a name, a number and a time"), at: start)
    }
    return HistoryReaderPosition(name: name, number: number, save: save, timestamp: time)
  }
}
