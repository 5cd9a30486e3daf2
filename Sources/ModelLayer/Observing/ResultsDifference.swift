import StoreProtocol

/// The changes that turn one list of results into another.
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
/// Apply the changes one after the other: each index is that of the list after the previous
/// changes. Removals come first, from the end to the beginning. Moves follow, then insertions from
/// the beginning to the end, then updates. As few elements move as possible.
public struct ResultsDifference<Element> {
  /// One change of a list.
  public enum Change {
    /// The element at an index is removed.
    case remove(at: Int)
    /// The element at an index moves to another index, counted without it.
    case move(from: Int, to: Int)
    /// An element is inserted at an index.
    case insert(Element, at: Int)
    /// The element at an index has other values.
    case update(Element, at: Int)
  }

  /// The changes in the order in which to apply them.
  public let changes: [Change]

  /// A Boolean value that indicates whether both lists are the same.
  public var isEmpty: Bool { changes.isEmpty }

  /// Compares two lists.
  ///
  /// - Parameters:
  ///   - old: The earlier list.
  ///   - new: The later list, whose elements have distinct identities.
  ///   - identity: Returns the value by which an element is the same in both lists.
  ///   - isUnchanged: Whether the same element has the same values in both.
  /// - Complexity: O(*n* log *n*) without moves, and O(*n*) more for each move.
  public init<ID: Hashable>(
    from old: [Element],
    to new: [Element],
    identifiedBy identity: (Element) -> ID,
    isUnchanged: (Element, Element) -> Bool
  ) {
    let positions = Dictionary(firstOf: new.enumerated().map { (identity($1), $0) })
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

  /// Returns the moves that sort numbers, one after the other.
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

  /// Returns the longest increasing subsequence of a list of distinct numbers.
  private static func longestRise(of numbers: [Int]) -> Set<Int> {
    // For each length, the index of the smallest number that ends such a subsequence.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      let place = ends.partitioningIndex { numbers[$0] >= number }
      previous[index] = place > 0 ? ends[place - 1] : nil
      if place < ends.count { ends[place] = index } else { ends.append(index) }
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
  /// Turns the list that a difference begins with into the one that it ends with.
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
