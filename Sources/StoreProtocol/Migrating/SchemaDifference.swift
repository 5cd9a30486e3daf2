/// The difference between two schemas, step by step: the definition by which all stores migrate.
///
/// Entities are identified by their names. A property is identified by its name, or by the
/// `originalName` of the newer one, if the older name is no longer in use.
///
/// ```swift
/// let difference = SchemaDifference(from: stored, to: schema.storeSchema)
/// print(difference)                     // Trip.name: renamed from title
/// ```
public struct SchemaDifference: Sendable, CustomStringConvertible {
  /// The schema before the change.
  package let old: StoreSchema
  /// The schema after the change.
  package let new: StoreSchema
  /// The steps, ordered by entity and property name; empty if rows do not change.
  package let steps: [SchemaStep]

  /// Compares two schemas, ignoring their versions and the order of declarations.
  ///
  /// - Complexity: O(*n*) in the properties of both.
  public init(from old: StoreSchema, to new: StoreSchema) {
    self.old = old
    self.new = new
    var builder = SchemaStepBuilder(old: old, new: new)
    builder.build()
    steps = builder.steps
  }

  /// Whether the stored forms are identical.
  public var isEmpty: Bool { steps.isEmpty }

  /// The steps that need the program's code; a store makes a change without any, if its rows permit.
  package var obstacles: [SchemaStep] {
    steps.filter {
      if case .needsCode = $0.effort { true } else { false }
    }
  }

  /// The names of entities whose rows the change deletes.
  package var removedEntities: [String] {
    steps.filter { $0.kind == .entityRemoved }.map(\.entity)
  }

  /// The steps, one for each line.
  public var description: String {
    steps.isEmpty ? "no difference" : steps.map(\.description).joined(separator: "\n")
  }

  /// The difference in one line with both fingerprints, for errors.
  package var sentence: String { sentence(of: \.description) }

  /// The difference in one line with both fingerprints, for errors that refuse it.
  package var refusedSentence: String {
    "nothing was changed; " + sentence(of: \.refusedDescription)
  }

  private func sentence(of description: (SchemaStep) -> String) -> String {
    let listed = steps.prefix(8).map(description).joined(separator: "; ")
    let rest = steps.count > 8 ? "; and \(steps.count - 8) more" : ""
    return "from \(old.version) [\(old.fingerprint)] to \(new.version) [\(new.fingerprint)]: "
      + (steps.isEmpty ? "no difference" : listed + rest)
  }
}

extension SchemaDifference {
  /// Throws if the stored schema is of a later version than the program's, from which only a plan
  /// leads back.
  ///
  /// - Throws: ``DataStoreError/storeTooNew`` with both versions and the difference.
  package func requireNoLaterVersion(file: String?) throws {
    guard !isEmpty, let stored = Schema.Version(old.version),
      let supported = Schema.Version(new.version), stored > supported
    else { return }
    throw DataStoreError(
      .storeTooNew,
      "the store has version \(stored) of the schema and the program \(supported); update the "
        + "program; \(refusedSentence)",
      file: file
    )
  }

  /// Throws if the change needs code.
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
