import Foundation
import StoreProtocol

/// One save in an in-memory history.
public protocol HistoryEntry: HistoryColumns, Sendable {
  /// The approximate size in bytes.
  var size: Int { get }
  /// The identifier of the save, or `nil` if it was recorded without one.
  var save: UUID? { get }
}

/// An in-memory history.
///
/// Numbers increase strictly. All of them are above the cut, except those that precede a deleted
/// transaction.
public struct HistoryLog<Entry: HistoryEntry>: Sendable {
  /// The transactions in ascending order of number.
  public private(set) var entries: [Entry] = []
  /// The number up to which transactions may be deleted.
  public private(set) var cut: Int64 = 0
  /// The identifier of the save at the cut, or `nil` if it was recorded without one.
  public private(set) var cutSave: UUID?
  /// The positions of named readers, by name.
  public private(set) var readers: [String: HistoryReaderPosition] = [:]
  private var size = 0
  private var nextCheck: Int64 = 0

  /// Creates an empty history, or a history with existing entries.
  public init(
    _ entries: [Entry] = [],
    cut: Int64 = 0,
    cutSave: UUID? = nil,
    readers: [HistoryReaderPosition] = []
  ) {
    self.readers = Dictionary(lastOf: readers.map { ($0.name, $0) })
    self.entries = entries
    self.cut = cut
    self.cutSave = cutSave
    size = entries.reduce(0) { $0 + $1.size }
  }

  /// Replaces each transaction for which a closure returns another of the same number.
  public mutating func replace(_ replacement: (Entry) throws -> Entry?) rethrows {
    for index in entries.indices {
      guard let new = try replacement(entries[index]) else { continue }
      size += new.size - entries[index].size
      entries[index] = new
    }
  }

  /// Adds the transaction of a save.
  public mutating func append(_ entry: Entry) {
    entries.append(entry)
    size += entry.size
  }

  /// Deletes the oldest transactions that exceed the retention: a few at a time at intervals, or
  /// all of them at once.
  ///
  /// - Parameters:
  ///   - retention: The retention.
  ///   - last: The number of the last save.
  ///   - completely: Whether to delete all of them at once.
  ///   - now: The current time.
  public mutating func prune(
    _ retention: HistoryRetention,
    last: Int64,
    completely: Bool = false,
    now: Date = StoreEnvironment.current.now()
  ) {
    guard completely || last >= nextCheck else { return }
    nextCheck = last + HistoryRetention.interval
    let reader = readers.values.map(\.number).min()
    var count = 0
    var left = size
    for entry in entries.prefix(completely ? entries.count : HistoryRetention.step) {
      guard
        retention.isOver(
          entry.number,
          entry.timestamp,
          sizeAfter: left,
          last: last,
          now: now,
          reader: reader
        )
      else { break }
      left -= entry.size
      count += 1
    }
    guard count > 0 else { return }
    moveCut(to: entries[count - 1])
    entries.removeFirst(count)
    size = left
  }

  /// Deletes the transactions that match a filter, or all of them if the filter is `nil`.
  public mutating func delete(_ filter: StoreHistoryFilter?) {
    let gone = entries.filter { filter?.matches($0) ?? true }
    guard let last = gone.last else { return }
    entries.removeAll { filter?.matches($0) ?? true }
    moveCut(to: last)
    size -= gone.reduce(0) { $0 + $1.size }
  }

  /// Deletes transactions by their numbers, in ranges of any order that may overlap.
  ///
  /// - Complexity: O(*n* + *m* log *m*) in the numbers of transactions and of ranges.
  public mutating func delete(_ ranges: [ClosedRange<Int64>]) {
    let ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
    var next = ranges.startIndex
    // The end of the ranges that start at or before the transaction.
    var end = Int64.min
    var last: Entry?
    entries.removeAll { entry in
      while next < ranges.endIndex, ranges[next].lowerBound <= entry.number {
        end = max(end, ranges[next].upperBound)
        next += 1
      }
      guard entry.number <= end else { return false }
      last = entry
      size -= entry.size
      return true
    }
    if let last { moveCut(to: last) }
  }

  /// Deletes all transactions up to a save that recorded none.
  ///
  /// - Parameters:
  ///   - number: The number of the save.
  ///   - save: The identifier of the save, or `nil` if it is unknown.
  public mutating func cutAll(at number: Int64, save: UUID?) {
    entries = []
    size = 0
    moveCut(to: number, save)
  }

  /// Sets the position of a reader.
  public mutating func set(_ reader: HistoryReaderPosition) { readers[reader.name] = reader }

  /// Removes a reader.
  public mutating func removeReader(_ name: String) {
    readers[name.composed] = nil
  }

  /// The positions of readers, ordered by name.
  public var sortedReaders: [HistoryReaderPosition] { readers.values.sorted { $0.name < $1.name } }

  private mutating func moveCut(to entry: Entry) { moveCut(to: entry.number, entry.save) }

  private mutating func moveCut(to number: Int64, _ save: UUID?) {
    guard number >= cut else { return }
    cut = number
    cutSave = save
  }

  /// Returns the identifier of the last save at or before a number.
  ///
  /// - Parameters:
  ///   - number: The number, not below the cut.
  ///   - store: The identifier of the store.
  /// - Returns: The identifier, or `nil` if there was no save.
  public func saveIdentifier(at number: Int64, in store: String) -> UUID? {
    let end = index(after: number)
    if end > 0, entries[end - 1].number > cut {
      let entry = entries[end - 1]
      return entry.save ?? UUID(ofSave: entry.number, in: store)
    }
    return cut == 0 ? nil : cutSave ?? UUID(ofSave: cut, in: store)
  }

  /// Returns the transactions that satisfy a query.
  ///
  /// - Complexity: The filter is evaluated for the transactions whose numbers may satisfy it.
  public func entries(_ query: StoreHistoryQuery) -> [Entry] {
    let numbers = HistoryNumbers(query.filter)
    guard numbers.lowest <= numbers.highest else { return [] }
    let start = numbers.lowest == .min ? 0 : index(after: numbers.lowest - 1)
    return query.evaluate(over: entries[start..<index(after: numbers.highest)])
  }

  /// Returns the index of the first transaction after a number.
  private func index(after number: Int64) -> Int {
    entries.partitioningIndex { $0.number > number }
  }

  /// Returns the bounds of the history of a store.
  ///
  /// - Parameters:
  ///   - last: The number of the last save.
  ///   - store: The identifier of the store.
  /// - Returns: The bounds, with the save identifiers at both ends.
  public func bounds(last: Int64, in store: String) -> HistoryBounds {
    HistoryBounds(
      cut: cut,
      last: last,
      cutSave: saveIdentifier(at: cut, in: store),
      lastSave: saveIdentifier(at: last, in: store)
    )
  }
}

extension HistoryRecord: HistoryEntry {
  /// The approximate size in bytes.
  public var size: Int {
    groups.reduce(96) { sum, group in
      let values = ((group.before ?? []) + (group.after ?? [])).joined()
      return sum + 48 + group.keys.ranges.count * 12 + values.reduce(0) { $0 + $1.roughSize }
    }
  }
}

extension StoreValue {
  /// The approximate size of the value as text, in bytes.
  fileprivate var roughSize: Int {
    switch self {
    case .string(let text): 2 + text.utf8.count
    case .data(let data): 2 + data.count * 4 / 3
    case .identifiers(let list): list.count * 48
    case .array(let values): values.reduce(2) { $0 + $1.roughSize }
    case .composite(let members): members.reduce(2) { $0 + 4 + $1.value.roughSize }
    default: 16
    }
  }
}

extension HistoryOptions.Content {
  /// The support for history that a store with this option declares.
  public var support: StoreCapabilities.Support {
    self == .off ? .unsupported("the store's configuration has history off") : .native
  }
}
