import StoreProtocol

/// What has to be done to one list of results to make another of it.
///
/// ```swift
/// for try await difference in container.differences(of: descriptor) {
///   for change in difference.changes {
///     switch change {
///     case .remove(let index): table.deleteRow(index)
///     case .move(let from, let to): table.moveRow(from, to)
///     case .insert(let trip, let index): table.insertRow(index, trip.name)
///     case .update(let trip, let index): table.setRow(index, trip.name)
///     }
///   }
/// }
/// ```
///
/// The changes are to be made one after the other: each index is that of the list as the changes
/// before it have left it. Removals come first, from the end to the beginning, then moves, then
/// insertions from the beginning to the end, then updates. As few elements move as possible.
public struct ResultsDifference<Element> {
  /// One change of a list.
  public enum Change {
    /// The element at an index goes.
    case remove(at: Int)
    /// The element at an index goes to another, counted without it.
    case move(from: Int, to: Int)
    /// An element comes to an index.
    case insert(Element, at: Int)
    /// The element at an index has other values.
    case update(Element, at: Int)
  }

  /// The changes in the order in which they are to be made.
  public let changes: [Change]

  /// Whether both lists are the same.
  public var isEmpty: Bool { changes.isEmpty }

  /// Compares two lists.
  ///
  /// - Parameters:
  ///   - old: The list as it was.
  ///   - new: The list as it is; no two of its elements have one identity.
  ///   - identity: What makes an element the same in both lists.
  ///   - isUnchanged: Whether the same element has the same values in both.
  /// - Complexity: O(*n* log *n*) without moves, and O(*n*) more for each move.
  public init<ID: Hashable>(
    from old: [Element],
    to new: [Element],
    identifiedBy identity: (Element) -> ID,
    isUnchanged: (Element, Element) -> Bool
  ) {
    let positions = Dictionary(
      new.enumerated().map { (identity($1), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var changes: [Change] = []
    var kept: [Int] = []
    var updates: [Change] = []
    var seen: Set<Int> = []
    for (index, element) in old.enumerated() {
      guard let position = positions[identity(element)], seen.insert(position).inserted else {
        changes.append(.remove(at: index))
        continue
      }
      kept.append(position)
      if !isUnchanged(element, new[position]) {
        updates.append(.update(new[position], at: position))
      }
    }
    changes.reverse()
    changes += Self.moves(ordering: kept).map { .move(from: $0.from, to: $0.to) }
    for position in new.indices where !seen.contains(position) {
      changes.append(.insert(new[position], at: position))
    }
    self.changes = changes + updates
  }

  /// The moves that bring numbers into their order, one after the other.
  private static func moves(ordering numbers: [Int]) -> [(from: Int, to: Int)] {
    let staying = longestRise(of: numbers)
    guard staying.count < numbers.count else { return [] }
    var list = numbers
    var moves: [(from: Int, to: Int)] = []
    var before: Int?
    for number in numbers.sorted() {
      defer { before = number }
      guard !staying.contains(number), let from = list.firstIndex(of: number) else { continue }
      list.remove(at: from)
      let to = before.flatMap { list.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      list.insert(number, at: to)
      moves.append((from, to))
    }
    return moves
  }

  /// The longest part of a list of different numbers that rises already.
  private static func longestRise(of numbers: [Int]) -> Set<Int> {
    // For each length the index of the smallest number that ends such a part.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      previous[index] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var found: Set<Int> = []
    var next = ends.last
    while let index = next {
      found.insert(numbers[index])
      next = previous[index]
    }
    return found
  }
}

extension ResultsDifference: Sendable where Element: Sendable {}
extension ResultsDifference.Change: Sendable where Element: Sendable {}
extension ResultsDifference: Equatable where Element: Equatable {}
extension ResultsDifference.Change: Equatable where Element: Equatable {}

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
  /// Makes of the list that a difference begins with the one that it ends with.
  ///
  /// - Precondition: The list is the one that the difference begins with.
  public mutating func apply(_ difference: ResultsDifference<Element>) {
    for change in difference.changes {
      switch change {
      case .remove(let index): remove(at: index)
      case .move(let from, let to): insert(remove(at: from), at: to)
      case .insert(let element, let index): insert(element, at: index)
      case .update(let element, let index): self[index] = element
      }
    }
  }
}
