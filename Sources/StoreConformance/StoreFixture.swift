import StoreProtocol

/// What the suite has to know to try a store: how to make, open and remove one.
///
/// ```swift
/// struct Fixture: StoreFixture {
///   func makePlace() throws -> URL { … }
///   func open(_ place: URL, schema: Schema?) throws -> MyStore { … }
///   func destroy(_ place: URL) throws { … }
/// }
///
/// @Test(arguments: try Rule.all(for: Fixture()))
/// func keeps(_ rule: Rule) throws { try rule.check(Fixture()) }
/// ```
public protocol StoreFixture: Sendable {
  /// The kind of store.
  associatedtype Store: RecordStore
  /// What names the place of one store, such as a file or a configuration.
  associatedtype Place

  /// Returns a place where no store ever was.
  func makePlace() throws -> Place

  /// Opens the store of a place, making it where there is none.
  ///
  /// The suite lets go of a store, closed, before it opens its place again.
  ///
  /// - Parameters:
  ///   - place: Where.
  ///   - schema: The models; nil leaves them to what the store finds.
  /// - Returns: The open store.
  /// - Throws: The store's error, as the store throws it.
  func open(_ place: Place, schema: Schema?) throws -> Store

  /// Closes a store, where that takes more than to let go of it.
  func close(_ store: Store) throws

  /// Removes a place with all that is in it; its store is closed.
  func destroy(_ place: Place) throws
}

extension StoreFixture {
  /// Does nothing: the store closes when nobody holds it.
  public func close(_ store: Store) throws {}
}
