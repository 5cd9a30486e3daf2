import StoreProtocol

/// The answers of a context by the value that each requires of an attribute, so that a changed row is
/// compared only with those that it can concern.
struct RequiredValues {
  typealias Answer = ObjectIdentifier

  private struct Place: Hashable {
    let root: String
    let property: String
  }

  private struct Answers {
    var byValue: [StoreValue: Set<Answer>] = [:]
    /// The bits of all properties by which a row may join one of the answers.
    var joining: [String: UInt64] = [:]

    var all: [Answer] { byValue.values.flatMap { $0 } }
  }

  private var places: [Place: Answers] = [:]
  /// The answers that require no value.
  private(set) var others: Set<Answer> = []

  /// Adds an answer by its interest.
  mutating func insert(_ answer: Answer, _ interest: Interest) {
    guard let requirement = interest.requirement else {
      others.insert(answer)
      return
    }
    let place = Place(root: interest.root, property: requirement.property)
    places[place, default: Answers()].byValue[requirement.value, default: []].insert(answer)
    places[place]?.joining.merge(interest.joiningProperties, uniquingKeysWith: |)
  }

  /// Removes an answer that was added by an interest.
  mutating func remove(_ answer: Answer, _ interest: Interest) {
    guard let requirement = interest.requirement else {
      others.remove(answer)
      return
    }
    let place = Place(root: interest.root, property: requirement.property)
    places[place]?.byValue[requirement.value]?.remove(answer)
    if places[place]?.byValue[requirement.value]?.isEmpty == true {
      places[place]?.byValue[requirement.value] = nil
    }
    if places[place]?.byValue.isEmpty == true { places[place] = nil }
  }

  /// The answers with a requirement that a changed object can concern: those whose value it has, or all
  /// where it may have had another.
  func answers(
    _ entity: StoreEntity,
    changed bits: UInt64,
    value: (Int) -> StoreValue?
  ) -> [Answer] {
    var found: [Answer] = []
    for (place, answers) in places where place.root == entity.root {
      if let index = entity.indexByName[place.property], bits & _ModelState.bit(index) == 0,
        let value = value(index)
      {
        found += answers.byValue[value] ?? []
      } else {
        found += answers.all
      }
    }
    return found
  }

  /// Whether a changed row that the context has no object of may join an answer with a requirement.
  func mayJoin(
    _ row: PersistentIdentifier,
    by changed: SavedChanges.Rows,
    _ schema: StoreSchema
  ) -> Bool {
    guard let entity = schema.entity(named: row.entityName) else { return true }
    let bits = changed.inserted.contains(row) ? .max : changed.updated[row] ?? .max
    return places.contains { place, answers in
      guard place.root == entity.root, let joining = answers.joining[entity.name],
        joining & bits != 0
      else { return false }
      guard let index = entity.indexByName[place.property],
        let value = changed.value(of: row, at: index)
      else { return true }
      return answers.byValue[value] != nil
    }
  }
}
