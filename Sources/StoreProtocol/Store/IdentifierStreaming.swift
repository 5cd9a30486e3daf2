/// A store that gives identifiers one by one, without a list of them all.
package protocol IdentifierStreaming: RecordStore {
  /// Gives what ``RecordStore/identifiers(_:)`` gives, in the same order.
  func identifiers(_ query: StoreQuery, _ body: (PersistentIdentifier) throws -> Void) throws
}
