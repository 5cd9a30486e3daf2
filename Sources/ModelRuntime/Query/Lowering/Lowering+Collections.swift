import Foundation
import StoreProtocol

extension PredicateExpressions.SequenceContains: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .contains(try lowering.lower(sequence), try lowering.lower(element))
  }
}

extension PredicateExpressions.SequenceContainsWhere: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let elements = try lowering.elements(of: sequence, for: Self.self)
    let number = lowering.bind(variable)
    return .quantified(.some, elements, variable: number, try lowering.lower(test))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let elements = try lowering.elements(of: sequence, for: Self.self)
    let number = lowering.bind(variable)
    return .quantified(.every, elements, variable: number, try lowering.lower(test))
  }
}

extension PredicateExpressions.Filter: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    let elements = try lowering.elements(of: sequence, for: Self.self)
    let number = lowering.bind(variable)
    return .filter(elements, variable: number, try lowering.lower(filter))
  }
}

extension PredicateExpressions.SequenceMinimum: LoweredNode {
  static func checkOrder() throws {
    try StoredOrder.check(Elements.Output.Element.self, for: Self.self)
  }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .aggregate(.minimum, try lowering.elements(of: elements, for: Self.self))
  }
}

extension PredicateExpressions.SequenceMaximum: LoweredNode {
  static func checkOrder() throws {
    try StoredOrder.check(Elements.Output.Element.self, for: Self.self)
  }

  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .aggregate(.maximum, try lowering.elements(of: elements, for: Self.self))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    guard Index.Output.self == Int.self else {
      throw Lowering.unsupported(Self.self, "counts of elements are integers")
    }
    return .subscripted(try lowering.lower(wrapped), try lowering.lower(index))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    try lowering.entry(of: wrapped, key, for: Self.self)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LoweredNode {
  func lowered(by lowering: Lowering) throws -> QueryExpression {
    .coalesce(
      try lowering.entry(of: wrapped, key, for: Self.self),
      try lowering.lower(`default`)
    )
  }
}

extension Lowering {
  /// Returns a collection whose stored form contains its elements one by one.
  fileprivate func elements<S: PredicateExpression>(
    of sequence: S,
    for node: Any.Type
  ) throws -> QueryExpression where S.Output: Sequence {
    if S.Output.self is any StoredDictionary.Type {
      throw Self.unsupported(node, "the entries of a dictionary are not stored values")
    }
    return try lower(sequence)
  }

  fileprivate func entry<D: PredicateExpression, K: PredicateExpression>(
    of dictionary: D,
    _ key: K,
    for node: Any.Type
  ) throws -> QueryExpression {
    let type = K.Output.self
    guard type == String.self || type == Int.self || type is any CodingKeyRepresentable.Type else {
      throw Self.unsupported(node, "dictionary keys must be strings or integers")
    }
    return .subscripted(try lower(dictionary), try lower(key))
  }
}

/// A dictionary of any types.
private protocol StoredDictionary {}

extension Dictionary: StoredDictionary {}
