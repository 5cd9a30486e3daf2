/// The rows of one entity that prevent a change of the schema, collected while they are converted.
struct RowProblems: Sendable {
  enum Fault: Int, Sendable {
    /// The value is invalid for the newer type.
    case unfit
    /// A required value is absent.
    case absent
    /// Several owners refer to the row, and the new inverse has room for one.
    case shared
  }

  private struct ProblemKey: Hashable {
    let index: Int
    let fault: Fault
  }

  private struct Problem {
    var count = 0
    let example: PersistentIdentifier
    let owners: [PersistentIdentifier]
  }

  private let entity: StoreEntity
  private var problems: [ProblemKey: Problem] = [:]

  /// Creates an empty collection.
  ///
  /// - Parameter entity: The entity in the newer schema.
  init(of entity: StoreEntity) { self.entity = entity }

  /// Adds a row, which is the example if it is the first one of its property and fault.
  mutating func note(
    _ fault: Fault,
    at index: Int,
    _ row: PersistentIdentifier,
    owners: [PersistentIdentifier] = []
  ) {
    let key = ProblemKey(index: index, fault: fault)
    problems[key, default: Problem(example: row, owners: owners)].count += 1
  }

  /// The violations, in the order of the properties.
  var violations: [SchemaViolation] {
    problems.sorted {
      ($0.key.index, $0.key.fault.rawValue) < ($1.key.index, $1.key.fault.rawValue)
    }
    .map { violation(at: $0.key, $0.value) }
  }

  private func violation(at key: ProblemKey, _ problem: Problem) -> SchemaViolation {
    let property = entity.properties[key.index]
    let (count, example) = (problem.count, problem.example)
    if key.fault == .unfit, let type = property.attributeType {
      return .unfit(property.name, of: entity.name, for: type, count: count, example: example)
    }
    guard key.fault == .shared else {
      return .absent(property.name, of: entity.name, count: count, example: example)
    }
    return .shared(
      property,
      of: entity.name,
      count: count,
      example: example,
      owners: problem.owners
    )
  }
}
