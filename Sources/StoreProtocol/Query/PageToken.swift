import Foundation

/// A position in the result of a fetch, from which a program continues later.
///
/// A token is a string without spaces that can be part of a URL, and remains valid when the program
/// restarts. It contains the sort values of one row, unencrypted. It is valid for every predicate,
/// but only for the store, the model and the order of its fetch. A client that edits it gets the page
/// of another position, or an error if the values are not of the kinds that the order has.
public struct PageToken: Hashable, Sendable, LosslessStringConvertible {
  /// The token as a string.
  public let description: String
  /// Identifies the store, the entity and the order of the fetch, and the kind of key.
  private let origin: UUID
  /// The values of the row's sort terms.
  private let values: [StoreValue]
  /// The key of the row.
  private let key: PersistentIdentifier.Key

  /// Creates a token from its string, or returns `nil` if the string is not that of a token.
  public init?(_ description: String) {
    guard let data = Data(urlText: description),
      let list = try? JSONDecoder().decode([CodedStoreValue].self, from: data).map(\.value),
      case .uuid(let origin)? = list.first, let key = list.dropFirst().first?.rowKey
    else { return nil }
    self.description = description
    self.origin = origin
    self.key = key
    values = Array(list.dropFirst(2))
  }

  /// Creates the token of a stored row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - values: The values of the query's deciding terms.
  ///   - query: The query without its position.
  ///   - store: The identifier of the store.
  /// - Throws: Errors of encoding.
  package init(
    _ row: PersistentIdentifier,
    _ values: [StoreValue],
    of query: StoreQuery,
    in store: String
  ) throws {
    self.values = values
    key = row.key
    origin = Self.origin(of: query, in: store, key)
    let list = [.uuid(origin), StoreValue(rowKey: key)] + values
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    description = try encoder.encode(list.map { CodedStoreValue(value: $0) }).urlText
  }

  /// Returns the query for the rows that follow the token's row.
  ///
  /// - Parameters:
  ///   - query: The query, in the order of the token.
  ///   - isBackward: Whether the result is in the opposite order, and has the rows before.
  ///   - schema: The schema of the store.
  ///   - scope: The scope of the store's identifiers.
  /// - Returns: The query with one more condition.
  /// - Throws: ``DataStoreError/invalidValue`` for a token of another store, entity or order, and for
  ///   values that no row has.
  package func rows(
    of query: StoreQuery,
    isBackward: Bool,
    _ schema: StoreSchema,
    _ scope: PersistentIdentifier.Scope
  ) throws -> StoreQuery {
    guard Self.origin(of: query, in: scope.storeIdentifier ?? "", key) == origin,
      values.count == query.decidingTerms.count
    else {
      throw DataStoreError(
        .invalidValue,
        "the page token is of a fetch from another store, of another model or in another order; "
          + "begin with the first page",
        entity: query.entity
      )
    }
    let check = PageTokenCheck(query: query, schema: schema)
    for (term, value) in zip(query.decidingTerms, values) { try check.check(value, of: term) }
    let row = PersistentIdentifier(scope: scope, key: key)
    return (isBackward ? query.reversed : query).following(row, values)
  }

  private static func origin(
    of query: StoreQuery,
    in store: String,
    _ key: PersistentIdentifier.Key
  ) -> UUID {
    var names = [store, query.entity] + query.decidingTerms.map(\.description)
    names += query.sort.dropFirst(query.decidingTerms.count).prefix(1).map(\.description)
    if case .text = key { names.append("text") }
    return UUID(derivedFrom: names.joined(separator: "\n"))
  }
}

extension PageToken: Codable {
  /// Decodes a token from its string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = PageToken(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "the string is not a page token"
      )
    }
    self = token
  }

  /// Encodes the token as its string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension StoreValue {
  fileprivate init(rowKey: PersistentIdentifier.Key) {
    switch rowKey {
    case .integer(let number): self = .integer(number)
    case .text(let text): self = .string(text)
    // The rows of a page are stored, so that their keys are permanent.
    case .temporary: self = .null
    }
  }

  fileprivate var rowKey: PersistentIdentifier.Key? {
    switch self {
    case .integer(let number): .integer(number)
    case .string(let text): .text(text)
    default: nil
    }
  }
}

extension Data {
  /// Base 64 with the alphabet for URLs, without padding (RFC 4648, section 5).
  fileprivate var urlText: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  fileprivate init?(urlText: String) {
    let text = urlText.replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }
}
