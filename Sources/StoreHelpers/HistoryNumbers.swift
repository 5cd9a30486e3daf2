import StoreProtocol

/// The numbers of the transactions that may satisfy a filter.
///
/// Programs mostly request what follows a token, which is little of a long history.
public struct HistoryNumbers: Hashable, Sendable {
  /// The lowest number.
  public private(set) var lowest = Int64.min
  /// The highest number, which is less than the lowest if no transaction satisfies the filter.
  public private(set) var highest = Int64.max
  /// Whether all transactions with these numbers satisfy the filter.
  public private(set) var isExact = true

  /// Determines the numbers of a filter, where `nil` matches all transactions.
  public init(_ filter: StoreHistoryFilter?) {
    if let filter { add(filter) }
  }

  /// Determines the numbers up to a number.
  public init(upTo number: Int64) {
    highest = number
  }

  private mutating func add(_ filter: StoreHistoryFilter) {
    switch filter {
    case .constant(let holds): if !holds { highest = .min }
    case .number(.equal, let number): add(number, number)
    case .number(.greaterOrEqual, let number): add(number, .max)
    case .number(.lessOrEqual, let number): add(.min, number)
    case .number(.greater, let number) where number < .max: add(number + 1, .max)
    case .number(.less, let number) where number > .min: add(.min, number - 1)
    case .numbers(let list):
      add(list.min() ?? .max, list.max() ?? .min)
      isExact = false
    case .all(let conditions): for condition in conditions { add(condition) }
    default: isExact = false
    }
  }

  private mutating func add(_ lowest: Int64, _ highest: Int64) {
    self.lowest = max(self.lowest, lowest)
    self.highest = min(self.highest, highest)
  }
}
