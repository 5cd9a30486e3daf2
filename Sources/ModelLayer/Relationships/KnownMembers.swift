import StoreProtocol

/// Who belongs to relationships that an insertion meets again and again, looked up once.
struct KnownMembers {
  private struct End: Hashable {
    let object: ObjectIdentifier
    let index: Int
  }

  private var members: [End: Set<ObjectIdentifier>] = [:]

  /// Whether an object is in a relationship of another, or is about to join it.
  mutating func contain(
    _ model: any PersistentModel,
    at index: Int,
    of other: any PersistentModel
  ) -> Bool {
    if let changes = other.existingExtra?.members[index] {
      if changes.adds(model) { return true }
      if changes.removed.contains(ObjectIdentifier(model)) { return false }
    }
    let end = End(object: ObjectIdentifier(other), index: index)
    if let known = members[end] { return known.contains(ObjectIdentifier(model)) }
    guard case .models(let found) = ContentWriter.content(of: index, in: other) else {
      return false
    }
    guard found.count > 1 else { return found.first === model }
    let known = Set(found.map(ObjectIdentifier.init))
    members[end] = known
    return known.contains(ObjectIdentifier(model))
  }

  /// Notes that an object joined a relationship of another.
  mutating func add(_ model: any PersistentModel, at index: Int, of other: any PersistentModel) {
    members[End(object: ObjectIdentifier(other), index: index)]?.insert(ObjectIdentifier(model))
  }
}
