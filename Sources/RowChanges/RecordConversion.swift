import StoreProtocol

/// Converts the records of a store from one schema to another, all of them in memory.
package struct RecordConversion {
  /// The number of records that are converted between two calls of `progress`.
  private static let recordsAtOnce = 20_000

  private let file: String
  private let progress: StructureProgress

  /// Creates a conversion.
  ///
  /// - Parameters:
  ///   - file: The name of the store in errors.
  ///   - progress: Called with the number of converted records.
  package init(file: String, progress: @escaping StructureProgress = { _, _ in }) {
    self.file = file
    self.progress = progress
  }

  /// Returns the records converted to the newest schema.
  ///
  /// - Throws: ``DataStoreError/schemaMismatch`` with the violations that prevent it.
  package func converted(
    _ records: [DefaultSnapshot],
    from schema: StoreSchema,
    through changes: [StructureChange]
  ) throws -> [DefaultSnapshot] {
    var records = records
    var schema = schema
    for change in changes {
      let difference = SchemaDifference(from: schema, to: change.schema)
      if !change.leavesValuesToCode { try difference.requireLightweight(file: file) }
      let (next, violations) = try converted(records, difference, change)
      if let first = violations.first { throw first.error(difference, file: file) }
      records = next
      schema = change.schema
    }
    return records
  }

  /// Returns the records converted to another schema, and the violations that prevent it.
  package func converted(
    _ records: [DefaultSnapshot],
    _ difference: SchemaDifference,
    _ change: StructureChange
  ) throws -> ([DefaultSnapshot], [SchemaViolation]) {
    try difference.new.validate()
    var converter = RecordConverter(difference, change)
    if converter.needsAllRecords {
      for record in records { converter.note(record) }
    }
    var next: [DefaultSnapshot] = []
    next.reserveCapacity(records.count)
    for (done, record) in records.enumerated() {
      if done % Self.recordsAtOnce == 0 { try progress(done, records.count) }
      if let converted = converter.converted(record) { next.append(converted) }
    }
    try progress(records.count, records.count)
    return (next, converter.violations + Self.equalValues(next, difference.new))
  }

  /// Returns the constraints that the records would violate.
  private static func equalValues(
    _ records: [DefaultSnapshot],
    _ schema: StoreSchema
  ) -> [SchemaViolation] {
    let catalog = Catalog(schema, storeIdentifier: "")
    var seen: Set<UniqueValues> = []
    var found: [StoreConstraint: (count: Int, example: PersistentIdentifier)] = [:]
    for record in records {
      for values in catalog.uniqueValues(of: record) where !seen.insert(values).inserted {
        found[values.constraint, default: (0, record.persistentIdentifier)].count += 1
      }
    }
    return found.map { constraint, rows in
      .equal(
        constraint.properties,
        of: constraint.entity,
        count: rows.count,
        example: rows.example
      )
    }
    .sorted { ($0.entity, $0.properties.joined()) < ($1.entity, $1.properties.joined()) }
  }
}
