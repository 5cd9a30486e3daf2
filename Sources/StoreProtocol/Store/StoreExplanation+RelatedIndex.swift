extension StoreExplanation {
  /// Names an index of a related entity, unless one of the query's own entity is missing.
  ///
  /// It is for a store that finds the related rows of a condition such as `$0.project?.key == "a"`
  /// first, and the rows that refer to them by the index that each reference has.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - schema: The schema of the store.
  ///   - indexes: Returns the properties of an entity's indexes, or `nil` if the store does not scan
  ///     the entity's rows.
  /// - Throws: The errors of `indexes`.
  package mutating func addRelatedIndex(
    for query: StoreQuery,
    in schema: StoreSchema,
    _ indexes: (StoreEntity) throws -> [[String]]?
  ) throws {
    guard missingIndex.isEmpty else { return }
    for condition in query.filter?.conditions ?? [] {
      guard let path = condition.comparedValue?.path(from: 0), path.count > 1,
        let name = path.last,
        let entity = schema.destination(of: path.dropLast(), from: query.entity),
        entity.isScalar(name), let present = try indexes(entity),
        !present.contains(where: { $0.first == name })
      else { continue }
      (missingIndexEntity, missingIndex) = (entity.name, [name])
      return
    }
  }
}

extension QueryExpression {
  /// The value that a condition compares with constants in a way that an index can.
  fileprivate var comparedValue: QueryExpression? {
    switch self {
    // A value behind an absent reference is nil too, so no row of the other entity decides.
    case .compare(_, _, .constant(.null)), .compare(_, .constant(.null), _): nil
    case .compare(let comparison, let value, .constant) where comparison != .notEqual,
      .compare(let comparison, .constant, let value) where comparison != .notEqual:
      value
    case .isInRange(let value, lower: .constant, upper: .constant, _): value
    default: nil
    }
  }

  /// Returns the names of the properties from a variable to the value, or `nil` for another form.
  fileprivate func path(from variable: Int) -> [String]? {
    switch self {
    case .element(variable): []
    case .property(let base, let name): base.path(from: variable).map { $0 + [name] }
    case .map(let operand, let inner, let body):
      operand.path(from: variable).flatMap { head in body.path(from: inner).map { head + $0 } }
    default: nil
    }
  }
}

extension StoreSchema {
  /// Returns the entity at the end of to-one relationships, or `nil` if one of them is none.
  fileprivate func destination(
    of path: ArraySlice<String>,
    from entity: String
  ) -> StoreEntity? {
    path.reduce(self.entity(named: entity)) { entity, name in
      guard let property = entity?.property(named: name), property.isToOne,
        let relationship = property.relationship
      else { return nil }
      return self.entity(named: relationship.destination)
    }
  }
}
