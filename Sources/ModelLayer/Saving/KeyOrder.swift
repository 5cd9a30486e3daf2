import ModelRuntime
import StoreProtocol

/// The order of the keys that objects have, or will have when they are saved.
final class KeyOrder {
  /// An element of a to-many relationship, whose object need not be loaded.
  struct Member: Hashable {
    /// The object's identity, temporary for a new one.
    let identifier: PersistentIdentifier
    /// The position of a new object among those of its hierarchy.
    let position: Int64?
  }

  private let inserted: [any PersistentModel]
  /// Whether the temporary numbers of each hierarchy ascend, as they mostly do.
  ///
  /// An object gets its number when it is inserted, or when its identifier was read before.
  private lazy var areNumbered = Self.areNumbered(inserted)
  private lazy var positions = Dictionary(
    firstOf: inserted.enumerated().map { (ObjectIdentifier($1), Int64($0)) }
  )
  private let changes: () -> ChangesDuringSave?

  /// Creates the order from the new objects, in the order in which they get their keys.
  ///
  /// Objects that are inserted later, among some changes, get no keys.
  init(
    inserting inserted: [any PersistentModel],
    during changes: @escaping () -> ChangesDuringSave? = { nil }
  ) {
    self.inserted = inserted
    self.changes = changes
  }

  private static func areNumbered(_ models: [any PersistentModel]) -> Bool {
    var last: [ObjectIdentifier: Int64] = [:]
    for run in EntityRun.runs(of: models) {
      let hierarchy = ObjectIdentifier(run.registration.identityMap)
      var number = last[hierarchy] ?? .min
      for model in run.models {
        if model._$state.key <= number { return false }
        number = model._$state.key
      }
      last[hierarchy] = number
    }
    return true
  }

  /// Returns the position of a new object, or `nil` for another object.
  private func position(of model: any PersistentModel) -> Int64? {
    guard model._$state.flags.contains(.inserted) else { return nil }
    return areNumbered ? model._$state.key : positions[ObjectIdentifier(model)]
  }

  /// Whether a row can refer to an object: it is not deleted, and has a key or gets one.
  func canRefer(to model: any PersistentModel) -> Bool {
    !model.isDeleted && changes()?.hasInserted(model) != true
  }

  /// Returns an object as an element.
  func member(_ model: any PersistentModel) -> Member {
    Member(identifier: model.persistentModelID, position: position(of: model))
  }

  /// Whether a key comes before another one; new objects get the largest ones.
  func precedes(_ first: Member, _ second: Member) -> Bool {
    Self.precedes(first.position, second.position) { first.identifier < second.identifier }
  }

  private static func precedes(_ first: Int64?, _ second: Int64?, _ areStored: () -> Bool) -> Bool {
    switch (first, second) {
    case (let a?, let b?): a < b
    case (nil, .some): true
    case (.some, nil): false
    case (nil, nil): areStored()
    }
  }

  /// Whether elements are in the order of their keys.
  func isNatural(_ members: [Member]) -> Bool {
    zip(members, members.dropFirst()).allSatisfy(precedes)
  }

  /// Whether objects are in the order of their keys.
  func isNatural(_ models: [any PersistentModel]) -> Bool {
    zip(models, models.dropFirst()).allSatisfy { first, second in
      Self.precedes(position(of: first), position(of: second)) {
        first.persistentModelID < second.persistentModelID
      }
    }
  }

  /// Whether the new ones among some objects are in the order of the keys that they will get.
  func isRising(_ models: [any PersistentModel]) -> Bool {
    let ordinals = models.compactMap(position)
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
    var last: Int64?
    for model in models {
      if let position = position(of: model) {
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
