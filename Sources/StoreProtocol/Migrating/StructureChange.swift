/// One change of a store's structure, from its current schema to another.
public struct StructureChange: Sendable {
  /// The target schema.
  public let schema: StoreSchema
  /// Whether entities that the schema lacks are removed with their rows.
  ///
  /// Without a plan, a store keeps them and throws, because the program may have named only some of
  /// its models.
  public let removesEntities: Bool
  /// Whether changes that cannot be inferred are made anyway, because the code of a stage converts
  /// the values.
  ///
  /// Then properties of another type lose their values, and required properties get empty values.
  public let leavesValuesToCode: Bool

  /// Creates a change.
  package init(
    to schema: StoreSchema,
    removesEntities: Bool = false,
    leavesValuesToCode: Bool = false
  ) {
    self.schema = schema
    self.removesEntities = removesEntities
    self.leavesValuesToCode = leavesValuesToCode
  }
}

/// The result of a change of a store's structure.
public struct StructureReport: Sendable {
  /// The executed statements, if the store has any.
  public var statements: [String] = []
  /// The number of written rows.
  public var rowsWritten = 0
  /// The number of rows that were deleted with their entities.
  public var rowsRemoved = 0

  /// Creates an empty report.
  public init() {}
}

/// A closure that receives the progress of a change as a number of rows and their total, and throws
/// to cancel it.
public typealias StructureProgress = (_ rows: Int, _ total: Int) throws -> Void
