/// What lies between two schemas, step by step: the one definition that all stores migrate by.
///
/// Entities are the same where they have one name. A property is the same where it has one name,
/// or where the newer one names the older as its `originalName` and the older name is no longer
/// in use.
///
/// ```swift
/// let difference = SchemaDifference(from: stored, to: schema.storeSchema)
/// print(difference)                     // Trip.name: renamed from title
/// ```
public struct SchemaDifference: Sendable, CustomStringConvertible {
  /// The schema that rows have.
  public let old: StoreSchema
  /// The schema that they are to have.
  public let new: StoreSchema
  /// The steps, by the names of entities and properties; none where rows stay as they are.
  public let steps: [SchemaStep]

  /// Compares two schemas; their versions and the order of declarations make no difference.
  ///
  /// - Complexity: O(*n*) in the properties of both.
  public init(from old: StoreSchema, to new: StoreSchema) {
    self.old = old
    self.new = new
    var builder = SchemaStepBuilder(old: old, new: new)
    builder.build()
    steps = builder.steps
  }

  /// Whether nothing that is stored differs.
  public var isEmpty: Bool { steps.isEmpty }

  /// Whether a store can make the change without a program's code, where its rows allow it.
  public var isLightweight: Bool { obstacles.isEmpty }

  /// The steps that need code.
  public var obstacles: [SchemaStep] {
    steps.filter {
      if case .needsCode = $0.effort { true } else { false }
    }
  }

  /// The names of entities whose rows the change removes.
  public var removedEntities: [String] {
    steps.filter { $0.kind == .entityRemoved }.map(\.entity)
  }

  /// The steps, one a line.
  public var description: String {
    steps.isEmpty ? "no difference" : steps.map(\.description).joined(separator: "\n")
  }

  /// The difference in one line with both fingerprints, for errors.
  package var sentence: String {
    let listed = steps.prefix(8).map(\.description).joined(separator: "; ")
    let rest = steps.count > 8 ? "; and \(steps.count - 8) more" : ""
    return "from \(old.version) [\(old.fingerprint)] to \(new.version) [\(new.fingerprint)]: "
      + (steps.isEmpty ? "no difference" : listed + rest)
  }
}

extension SchemaDifference {
  /// Refuses a change that needs code.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the first obstacle, both fingerprints and the
  ///   difference.
  package func requireLightweight(file: String?) throws {
    guard let obstacle = obstacles.first else { return }
    throw DataStoreError(
      .schemaMismatch,
      "\(obstacle.change), which needs a migration plan with a custom stage; \(sentence)",
      entity: obstacle.entity,
      property: obstacle.property,
      file: file
    )
  }
}
