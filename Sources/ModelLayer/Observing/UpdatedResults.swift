import StoreProtocol

/// A result that an `ResultsUpdater` keeps up to date.
protocol UpdatedResults: AnyObject {
  var dependencies: QueryDependencies { get }
  /// Whether the result includes unsaved changes.
  var includesPendingChanges: Bool { get }
  /// Whether the result has objects that are deleted, or whose rows are.
  func hasMembers(among gone: Set<PersistentIdentifier>) -> Bool
  func contains(_ model: any PersistentModel) -> Bool
  /// Whether the current state of an object satisfies the filter.
  func accepts(_ model: any PersistentModel) throws -> Bool
  /// Notes that the result, or the values in it, may have changed.
  func mayHaveChanged(_ update: ResultsUpdate)
}

/// The possible change of a result.
enum ResultsChange: Int, Comparable {
  /// No change.
  case nothing
  /// Values of objects in it, without moving them.
  case values
  /// The objects in it, or their order.
  case list

  static func < (lhs: ResultsChange, rhs: ResultsChange) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The possible change of a result, and the objects that cause it.
struct ResultsUpdate {
  /// The largest number of moved objects; with more, the result is fetched again.
  private static let mostMoved = 16

  /// No change.
  static var nothing: ResultsUpdate { ResultsUpdate(change: .nothing, moved: []) }
  /// Any change.
  static var list: ResultsUpdate { ResultsUpdate(change: .list, moved: nil) }

  /// The kind of the possible change.
  private(set) var change: ResultsChange
  /// The objects that may have been added, removed or moved, or `nil` if others may have as well.
  private(set) var moved: [any PersistentModel]?

  /// Whether nothing more can be added.
  var isComplete: Bool { change == .list && moved == nil }

  /// Adds the effect of a changed object on the result.
  mutating func add(_ other: ResultsChange, by model: (any PersistentModel)?) {
    change = max(change, other)
    guard other == .list else { return }
    if let model, let count = moved?.count, count < Self.mostMoved {
      moved?.append(model)
    } else {
      moved = nil
    }
  }

  /// Adds other changes.
  mutating func add(_ other: ResultsUpdate) {
    change = max(change, other.change)
    guard let more = other.moved, let count = moved?.count, count + more.count <= Self.mostMoved
    else {
      moved = nil
      return
    }
    moved? += more
  }
}
