/// One change of a store's structure, from the schema that it has to another.
public struct StructureChange: Sendable {
  /// The schema to come.
  public let schema: StoreSchema
  /// Whether entities that the schema lacks are removed with their rows.
  ///
  /// Without a plan a store keeps them and throws: the program may have named some of its models
  /// only.
  public let removesEntities: Bool
  /// Whether what cannot be inferred is carried out nevertheless, since a stage's code brings the
  /// values over: properties of another type lose theirs, and required ones get an empty one.
  public let leavesValuesToCode: Bool

  /// Creates a change.
  public init(
    to schema: StoreSchema,
    removesEntities: Bool = false,
    leavesValuesToCode: Bool = false
  ) {
    self.schema = schema
    self.removesEntities = removesEntities
    self.leavesValuesToCode = leavesValuesToCode
  }
}

/// What a change of a store's structure did.
public struct StructureReport: Sendable {
  /// The statements that ran, where the store has any.
  public var statements: [String] = []
  /// The rows that were written.
  public var rowsWritten = 0
  /// The rows that were removed with their entities.
  public var rowsRemoved = 0

  /// Creates an empty report.
  public init() {}
}

/// Says how far a change has come, in rows of all that there are, and throws to stop it.
public typealias StructureProgress = (_ rows: Int, _ total: Int) throws -> Void
