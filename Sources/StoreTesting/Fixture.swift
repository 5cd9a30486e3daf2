import Foundation
import OpenSwiftData

/// Objects for a test, as JSON.
///
/// ```swift
/// try container.seed("""
///   {
///     "Trip": [{"$id": "rome", "name": "Rome", "startDate": "2026-05-01"}],
///     "Stop": [{"title": "Forum", "trip": "rome"}, {"title": "Pantheon", "trip": "rome"}]
///   }
///   """)
/// ```
///
/// The objects are in lists by the names of their models. Each member is a property: attributes are
/// in their own `Codable` form, dates are strings. A relationship names objects by their `$id`, a
/// string or a number, alone or in a list, regardless of where the objects are. Alternatively it
/// contains the objects themselves, outside of the lists. It need be given only at one end. A
/// missing property has its initial value. Of two members with one name, the first counts. The document of a JSON store is read in the same way, by
/// its member `entities`.
public struct Fixture: Sendable, ExpressibleByStringLiteral {
  /// The file that the fixture was read from, for messages.
  let file: String?
  private let bytes: Data

  /// Creates a fixture from a string.
  public init(_ text: String) {
    file = nil
    bytes = Data(text.utf8)
  }

  /// Creates a fixture from a string.
  public init(stringLiteral text: String) { self.init(text) }

  /// Reads a file, such as a resource of the tests.
  ///
  /// - Throws: `DataStoreError.io` if it cannot be read.
  public init(contentsOf url: URL) throws {
    let path = url.path(percentEncoded: false)
    do {
      bytes = try Data(contentsOf: url)
    } catch {
      throw DataStoreError(.io, "the fixture cannot be read", file: path, cause: error)
    }
    file = path
  }

  /// Decodes the fixture.
  func document() throws -> FixtureValue {
    do {
      return try JSONDecoder().decode(FixtureValue.self, from: bytes)
    } catch DecodingError.dataCorrupted(let context) {
      // The decoder's own error has the line and the column.
      let place = (context.underlyingError as? NSError)?.userInfo[NSDebugDescriptionErrorKey]
      let reason = (place as? String) ?? context.debugDescription
      throw failure("the fixture is not valid JSON: \(reason)", cause: context.underlyingError)
    } catch {
      throw failure("the fixture is not valid JSON", cause: error)
    }
  }

  /// Returns an error that names a location in the fixture.
  func failure(
    _ reason: String,
    at path: String? = nil,
    entity: String? = nil,
    property: String? = nil,
    cause: (any Error)? = nil
  ) -> DataStoreError {
    DataStoreError(
      .invalidValue,
      path.map { "\($0): \(reason)" } ?? reason,
      entity: entity,
      property: property,
      file: file,
      cause: cause
    )
  }
}

/// The objects that a fixture added to a store.
public struct SeededObjects: Sendable {
  let identifiersByKey: [String: PersistentIdentifier]
  /// All objects, whether or not they have a `$id`.
  ///
  /// They are in the order of the names of their models, then in that of the fixture. Nested objects
  /// follow the one that contains them.
  public let identifiers: [PersistentIdentifier]

  /// The object with a `$id` in the fixture; a number is looked up by its digits.
  public subscript(key: String) -> PersistentIdentifier? { identifiersByKey[key] }
}

extension ModelContainer {
  /// Saves the objects of a fixture in one save, all or none.
  ///
  /// - Returns: The identifiers of the objects.
  /// - Throws: `DataStoreError.invalidValue` for invalid JSON, and with the location for an unknown
  ///   model or property, a value that does not fit, and a reference to a missing object; and errors of the
  ///   save.
  /// - Complexity: O(*n* · *m*) in the objects and those with relationships among them: a fixture
  ///   is a few hundred objects.
  @discardableResult
  public func seed(_ fixture: Fixture) throws -> SeededObjects {
    var reader = FixtureReader(fixture, schema: schema)
    try reader.read()
    let context = ModelContext(self)
    context.autosaveEnabled = false
    return try Seeding(fixture, reader.rows, in: context).run()
  }
}
