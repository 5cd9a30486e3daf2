import Foundation
import QueryEvaluation
import SQLTranslation
import StoreProtocol

/// A row for the evaluator with values from SQL: arguments of a row function or columns of a row.
final class LeafRow<Source: SQLRow>: QueryRow {
  let identifier: PersistentIdentifier
  let entity: StoreEntity
  let failure = EvaluationFailure()

  /// The current source of the values.
  var source: Source?

  private let contents: [LeafContent]
  private let offset: Int
  private let resolve: ((PersistentIdentifier) throws -> PersistentIdentifier)?

  /// Creates a row.
  ///
  /// - Parameters:
  ///   - contents: The kinds of the values.
  ///   - offset: The number of other values before them.
  ///   - resolve: Replaces identifiers by those with the rows' own entities, for values that leave
  ///     the store.
  init(
    _ contents: [LeafContent],
    offset: Int,
    resolve: ((PersistentIdentifier) throws -> PersistentIdentifier)? = nil
  ) {
    self.contents = contents
    self.offset = offset
    self.resolve = resolve
    entity = StoreEntity(
      name: "values of a row",
      properties: contents.indices.map {
        StoreProperty(name: String($0), kind: .attribute(.codable), isOptional: true)
      }
    )
    identifier = PersistentIdentifier(.integer(0), of: entity.name)
  }

  func value(at index: Int) -> StoreValue {
    guard let source else { return .null }
    do {
      if let value = source.value(at: index + offset, as: contents[index]) {
        return try resolve.map { try value.resolved($0) } ?? value
      }
      throw DataStoreError.invalidQueryValue
    } catch {
      failure.note(error)
      return .null
    }
  }
}

extension DataStoreError {
  /// The error of a value that the store never writes.
  static var invalidQueryValue: DataStoreError {
    DataStoreError(.storeDamaged, "the file has an invalid value of a property of the query")
  }
}

extension StoreValue {
  /// Returns the value with each identifier in it replaced.
  func resolved(
    _ resolve: (PersistentIdentifier) throws -> PersistentIdentifier
  ) rethrows -> StoreValue {
    switch self {
    case .identifier(let identifier): .identifier(try resolve(identifier))
    case .identifiers(let list): .identifiers(try list.map(resolve))
    case .array(let list): .array(try list.map { try $0.resolved(resolve) })
    default: self
    }
  }
}

extension SQLRow {
  /// Returns a value of a row, or `nil` if the file holds a value that the store never writes.
  func value(at index: Int, as content: LeafContent) -> StoreValue? {
    if case .value(let type) = content { return value(at: index, as: type) }
    let storage = storage(at: index)
    if storage == .null { return .null }
    switch content {
    case .value: return nil
    case .boolean: return .bool(integer(at: index) != 0)
    case .reference(let scope):
      guard storage == .integer else { return nil }
      return .identifier(PersistentIdentifier(scope: scope, key: .integer(integer(at: index))))
    case .keys(let scope):
      let keys = KeyList.decoded(text(at: index) ?? "")
      return .identifiers(keys.map { PersistentIdentifier(scope: scope, key: .integer($0)) })
    }
  }
}
