import StoreProtocol

extension QueryCompiler {
  /// Compiles access to a property of an object, or to a member of a composite value; the result is
  /// nil if there is no object.
  func property(_ name: String, of base: QueryExpression) throws -> Value {
    let site = PropertySite<Row>(name)
    if base == .element(0) { return { row, frame in try site.value(of: row, frame) } }
    if case .element(let variable) = base {
      return { _, frame in
        guard let row = try frame.row(of: variable) else {
          return frame.value(of: variable).member(name) ?? .null
        }
        return try site.value(of: row, frame)
      }
    }
    let base = try value(base)
    return { row, frame in
      switch try base(row, frame) {
      case .identifier(let identifier):
        try frame.row(of: identifier).map { try site.value(of: $0, frame) } ?? .null
      case let other: other.member(name) ?? .null
      }
    }
  }

  /// Compiles a test whether an object belongs to an entity or to one that inherits from it.
  func kindTest(_ object: QueryExpression, _ entity: String) throws -> Condition {
    let kinds = Set(schema.family(of: entity).map(\.name))
    guard !kinds.isEmpty else {
      throw DataStoreError(
        .invalidPredicate,
        "the query tests for an entity that the schema lacks",
        entity: entity
      )
    }
    if object == .element(0) { return { row, _ in kinds.contains(row.entity.name) } }
    let object = try value(object)
    return { row, frame in
      guard case .identifier(let identifier) = try object(row, frame) else { return false }
      return try frame.row(of: identifier).map { kinds.contains($0.entity.name) } ?? false
    }
  }

  /// Compiles the expressions that handle nil.
  func optional(_ expression: QueryExpression) throws -> Value {
    switch expression {
    case .coalesce(let first, let second):
      let (first, second) = (try value(first), try value(second))
      return { row, frame in
        let result = try first(row, frame)
        return result.isNull ? try second(row, frame) : result
      }
    case .map(let operand, let variable, let body):
      let (operand, body) = (try value(operand), try value(body))
      return { row, frame in
        let result = try operand(row, frame)
        if result.isNull { return .null }
        frame.bind(variable, to: result)
        return try body(row, frame)
      }
    case .unwrap(let operand):
      let operand = try value(operand)
      return { row, frame in
        let result = try operand(row, frame)
        if result.isNull { throw QueryTrap.noValue }
        return result
      }
    default: return { _, _ in .null }
    }
  }
}

/// A property reference in an expression, which caches its lookup for the last entity.
private final class PropertySite<Row: QueryRow> {
  private let name: String
  private var entity: StoreEntity?
  private var index = 0
  private var isToMany = false

  init(_ name: String) {
    self.name = name
  }

  func value(of row: Row, _ frame: QueryFrame<Row>) throws -> StoreValue {
    let current = row.entity
    if current !== entity { try resolve(current) }
    return isToMany ? try frame.members(of: row, index) : row.value(at: index)
  }

  private func resolve(_ current: StoreEntity) throws {
    guard let found = current.indexByName[name] else {
      throw DataStoreError(
        .invalidPredicate,
        "the query names a property that the entity lacks",
        entity: current.name,
        property: name
      )
    }
    entity = current
    index = found
    isToMany = current.properties[found].isToMany
  }
}
