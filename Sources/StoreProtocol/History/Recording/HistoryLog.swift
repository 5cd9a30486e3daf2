import Foundation

/// An entry of a history in memory: one save.
public protocol HistoryEntry: HistoryColumns, Sendable {
  /// The approximate size in bytes.
  var size: Int { get }
}

/// A history in memory.
///
/// Numbers rise strictly, and all of them are above the cut but for those that came before a
/// transaction which was deleted.
public struct HistoryLog<Entry: HistoryEntry>: Sendable {
  /// The transactions by rising number.
  public private(set) var entries: [Entry] = []
  /// The number up to which transactions may be gone.
  public private(set) var cut: Int64 = 0
  private var size = 0
  private var nextLook: Int64 = 0

  /// Creates an empty history, or one with entries that were read.
  public init(_ entries: [Entry] = [], cut: Int64 = 0) {
    self.entries = entries
    self.cut = cut
    size = entries.reduce(0) { $0 + $1.size }
  }

  /// Adds the transaction of a save.
  public mutating func append(_ entry: Entry) {
    entries.append(entry)
    size += entry.size
  }

  /// Removes the oldest transactions that the retention does not keep: every few saves some of them,
  /// or all of them at once.
  public mutating func prune(
    _ retention: HistoryRetention,
    last: Int64,
    completely: Bool = false
  ) {
    guard completely || last >= nextLook else { return }
    nextLook = last + HistoryRetention.interval
    let now = StoreEnvironment.current.now()
    var count = 0
    var left = size
    for entry in entries.prefix(completely ? entries.count : HistoryRetention.step) {
      guard
        retention.isOver(entry.number, entry.timestamp, sizeAfter: left, last: last, now: now)
      else { break }
      left -= entry.size
      count += 1
    }
    guard count > 0 else { return }
    cut = max(cut, entries[count - 1].number)
    entries.removeFirst(count)
    size = left
  }

  /// Removes the transactions that satisfy a filter, or all of them for `nil`.
  public mutating func delete(_ filter: StoreHistoryFilter?) {
    let gone = entries.filter { filter?.judges($0) ?? true }
    guard let last = gone.last else { return }
    entries.removeAll { filter?.judges($0) ?? true }
    cut = max(cut, last.number)
    size -= gone.reduce(0) { $0 + $1.size }
  }

  /// Removes transactions by their numbers, in ranges of any order that may overlap.
  ///
  /// - Complexity: O(*n* + *m* log *m*) in the counts of the transactions and of the ranges.
  public mutating func delete(_ ranges: [ClosedRange<Int64>]) {
    let ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
    var next = ranges.startIndex
    // The end of the ranges that begin at or before the transaction.
    var end = Int64.min
    var last: Int64?
    entries.removeAll { entry in
      while next < ranges.endIndex, ranges[next].lowerBound <= entry.number {
        end = max(end, ranges[next].upperBound)
        next += 1
      }
      guard entry.number <= end else { return false }
      last = entry.number
      size -= entry.size
      return true
    }
    cut = max(cut, last ?? cut)
  }

  /// Removes all transactions up to a save that added none.
  public mutating func cutAll(at save: Int64) {
    entries = []
    size = 0
    cut = max(cut, save)
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
  /// About how many bytes the value takes as a text.
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
  /// The support for history that a store with this content declares.
  public var support: StoreCapabilities.Support {
    self == .off ? .unsupported("the configuration of the store has its history off") : .native
  }
}
