import StoreProtocol

/// The elements of the relationships that a graph walk has visited, so that long ones are searched
/// once.
struct LoadedMembers {
  /// A relationship of an object.
  typealias Relationship = (object: any PersistentModel, index: Int)

  private struct End: Hashable {
    let object: ObjectIdentifier
    let index: Int
  }

  /// The relationship that was checked last: mostly the next check is of the same one.
  private var last: (end: End, members: Set<ObjectIdentifier>)?
  private var others: [End: Set<ObjectIdentifier>] = [:]
  private let related: RelationshipReader
  /// An object, and a relationship that is known to contain it.
  private let known: (model: any PersistentModel, end: End)?

  init(
    _ related: RelationshipReader,
    containing model: (any PersistentModel)? = nil,
    in relationship: Relationship? = nil
  ) {
    self.related = related
    known = model.flatMap { model in
      relationship.map { (model, End(object: ObjectIdentifier($0.object), index: $0.index)) }
    }
  }

  /// Whether an object is in a relationship of another, or is about to be added to it.
  mutating func contain(
    _ model: any PersistentModel,
    at index: Int,
    of other: any PersistentModel
  ) -> Bool {
    let end = End(object: ObjectIdentifier(other), index: index)
    if let known, known.model === model, known.end == end { return true }
    if let changes = other.existingExtra?.members[index] {
      if changes.adds(model) { return true }
      if changes.removed.contains(ObjectIdentifier(model)) { return false }
    }
    if let last, last.end == end { return last.members.contains(ObjectIdentifier(model)) }
    guard related.read(index, of: other) else { return false }
    if let target = related.target { return target === model }
    // Few are compared without a set.
    guard related.members.count > 8 else { return related.members.contains { $0 === model } }
    turn(to: end)
    return last?.members.contains(ObjectIdentifier(model)) == true
  }

  /// Notes that an object was added to a relationship of another.
  mutating func add(_ model: any PersistentModel, at index: Int, of other: any PersistentModel) {
    let end = End(object: ObjectIdentifier(other), index: index)
    if last?.end == end {
      last?.members.insert(ObjectIdentifier(model))
    } else {
      others[end]?.insert(ObjectIdentifier(model))
    }
  }

  /// Makes a relationship the last one, whose elements have just been read.
  private mutating func turn(to end: End) {
    if let last { others[last.end] = last.members }
    last = nil
    let former = others.removeValue(forKey: end)
    last = (end, former ?? Set(related.members.map(ObjectIdentifier.init)))
  }
}
