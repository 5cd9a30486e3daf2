import Foundation
import StoreProtocol

/// A node that contains a value from outside the predicate.
protocol CapturedValue {
  var captured: Any { get }
}

extension PredicateExpressions.Value: CapturedValue {
  var captured: Any { value }
}

extension PredicateExpressions.Value: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try Self.constant(value)
  }
}

extension PredicateExpressions.KeyPath: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let base: QueryExpression
    do {
      base = try lowering.lower(root)
      if case .constant = base, let constant = try capturedConstant { return constant }
    } catch {
      // A captured range or interval has no stored form, but its bounds do.
      guard let constant = try capturedConstant else { throw error }
      return constant
    }
    guard let result = KeyPathSteps.of(keyPath)?.applied(to: base) else {
      let isModel = Root.Output.self is any PersistentModel.Type
      throw SwiftDataError.unsupportedPredicate.with(
        "KeyPath is not supported here: \((keyPath as AnyKeyPath).unstoredReason); in generic code, "
          + "replace the property of a protocol with a key path that the model provides, as in "
          + "T.where(T.key, …)",
        entity: isModel ? String(describing: Root.Output.self) : nil
      )
    }
    return result
  }
}

extension PredicateExpression {
  /// The value of a captured expression, or `nil` if the expression depends on the objects.
  ///
  /// - Throws: `SwiftDataError.unsupportedPredicate` for a value without a stored form.
  var capturedConstant: QueryExpression? {
    get throws { try (self as? any CapturedValue).map { try Self.constant($0.captured) } }
  }

  /// Returns a captured value as a constant.
  static func constant(_ captured: Any) throws -> QueryExpression {
    guard let stored = StoreValue(captured: captured) else {
      throw Lowering.unsupported(Self.self, "a captured \(Output.self) cannot be stored")
    }
    return .constant(stored)
  }
}

extension PredicateExpressions.KeyPath: CapturedValue where Root: CapturedValue {
  var captured: Any {
    func value(_ root: some Any) -> Any { (root as? Root.Output)?[keyPath: keyPath] as Any }
    return value(root.captured)
  }
}

extension PredicateExpressions.ForcedUnwrap: CapturedValue where Inner: CapturedValue {
  var captured: Any {
    func value(_ inner: some Any) -> Any { (inner as? Inner.Output).flatMap { $0 } as Any }
    return value(inner.captured)
  }
}

extension PredicateExpressions.NilLiteral: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression { .constant(.null) }
}

extension StoreValue {
  /// Creates the stored form of a captured value, or returns `nil` if it has none.
  ///
  /// In addition to all values that can be stored, objects are converted to their identifiers.
  package init?(captured value: Any) {
    // The most common kinds first: each failed cast costs a lookup.
    switch value {
    case let text as String: self = .string(text)
    case let number as Int: self = .integer(Int64(number))
    case let scalar as any StoreScalar: self = scalar.storeValue
    case let optional as any OptionalType:
      guard let wrapped = optional.wrappedValue else {
        self = .null
        return
      }
      self.init(captured: wrapped)
    case let identifier as PersistentIdentifier: self = .identifier(identifier)
    case let model as any PersistentModel: self = .identifier(model.persistentModelID)
    case let ordered as any OrderedForStoring:
      guard let stored = Self.stored(ordered) ?? Self.elements(of: value) else { return nil }
      self = stored
    case let text as Substring: self = .string(String(text))
    default:
      guard let stored = Self.elements(of: value) ?? StoreValue(any: value) else { return nil }
      self = stored
    }
  }

  // Sets of identifiers are Encodable too, but in predicates they are lists of objects.
  private static func stored(_ ordered: any OrderedForStoring) -> StoreValue? {
    ordered is Set<PersistentIdentifier> ? nil : try? ordered.stored(at: [])
  }

  private static func elements(of value: Any) -> StoreValue? {
    guard !(value is any StoreScalar), let list = value as? any Collection else { return nil }
    return elements(in: list)
  }

  private static func elements<C: Collection>(in list: C) -> StoreValue? {
    if C.Element.self is any PersistentModel.Type || C.Element.self == PersistentIdentifier.self {
      return .identifiers(
        list.compactMap { element in
          (element as? any PersistentModel)?.persistentModelID ?? element as? PersistentIdentifier
        }
      )
    }
    var elements: [StoreValue] = []
    elements.reserveCapacity(list.underestimatedCount)
    for element in list {
      guard let stored = StoreValue(captured: element) else { return nil }
      elements.append(stored)
    }
    return .array(elements)
  }
}
