import ModelRuntime
import StoreProtocol

/// The order of the keys that objects have, or will have when they are saved.
final class KeyOrder {
  /// An element of a to-many relationship, whose object need not be loaded.
  struct Member: Hashable {
    /// The object's identity, temporary for a new one.
    let identifier: PersistentIdentifier
    /// The index of a new object among the new ones.
    let position: Int?
  }

  private let inserted: [any PersistentModel]
  /// The indices of the new objects, computed when a relationship first needs one.
  private lazy var positions = Dictionary(
    firstOf: inserted.enumerated().map { (ObjectIdentifier($1), $0) }
  )
  private let changes: ChangesDuringSave?

  /// Creates the order from the new objects, in the order in which they get their keys.
  ///
  /// Objects that are inserted later, among some changes, get no keys.
  init(inserting inserted: [any PersistentModel], during changes: ChangesDuringSave? = nil) {
    self.inserted = inserted
    self.changes = changes
  }

  /// Whether a row can refer to an object: it is not deleted, and has a key or gets one.
  func canRefer(to model: any PersistentModel) -> Bool {
    !model.isDeleted && changes?.hasInserted(model) != true
  }

  /// Returns an object as an element.
  func member(_ model: any PersistentModel) -> Member {
    Member(identifier: model.persistentModelID, position: positions[ObjectIdentifier(model)])
  }

  /// Whether a key comes before another one; new objects get the largest ones.
  func precedes(_ first: Member, _ second: Member) -> Bool {
    switch (first.position, second.position) {
    case (let a?, let b?): a < b
    case (nil, .some): true
    case (.some, nil): false
    case (nil, nil): first.identifier < second.identifier
    }
  }

  /// Whether elements are in the order of their keys.
  func isNatural(_ members: [Member]) -> Bool {
    zip(members, members.dropFirst()).allSatisfy(precedes)
  }

  /// Whether the new ones among some objects are in the order of the keys that they will get.
  func isRising(_ models: [any PersistentModel]) -> Bool {
    let ordinals = models.compactMap { positions[ObjectIdentifier($0)] }
    return zip(ordinals, ordinals.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Returns elements in the order of a store that finds them by their own references.
  ///
  /// Those of a list come first, then the others by their keys.
  func ordered(_ members: [Member], by list: [PersistentIdentifier]) -> [Member] {
    let present = Dictionary(firstOf: members.map { ($0.identifier, $0) })
    var seen: Set<PersistentIdentifier> = []
    let listed = list.compactMap { seen.insert($0).inserted ? present[$0] : nil }
    return listed + members.filter { !seen.contains($0.identifier) }.sorted(by: precedes)
  }

  /// Whether objects are a subsequence of others, followed by new objects.
  ///
  /// A store that has the others in that order then returns the objects in order without a stored
  /// list.
  func follows(_ models: [any PersistentModel], from others: [any PersistentModel]) -> Bool {
    var rest = others[...]
    var last: Int?
    for model in models {
      if let position = positions[ObjectIdentifier(model)] {
        if let last, last > position { return false }
        last = position
      } else {
        guard last == nil, let index = rest.firstIndex(where: { $0 === model }) else {
          return false
        }
        rest = rest[(index + 1)...]
      }
    }
    return true
  }
}
