import ModelRuntime
import StoreProtocol

/// The objects that snapshots of other types read as related ones while a context saves.
///
/// A record has only identifiers. Their objects are found at the first access.
final class RelatedObjects {
  /// Returns the objects of identifiers that have any.
  typealias Search = ([PersistentIdentifier]) throws -> [any PersistentModel]

  private let search: Search
  private var found: [PersistentIdentifier: any PersistentModel] = [:]
  /// The first error of a search.
  private(set) var failure: (any Error)?

  /// Creates the objects that a search finds.
  ///
  /// The default is for records that are saved without a context.
  init(_ search: @escaping Search = { _ in [] }) {
    self.search = search
  }

  /// Returns the objects of identifiers, in their order.
  ///
  /// An object without a row is a stand-in that has the identifier and placeholder values.
  func objects<M: PersistentModel>(
    of type: M.Type,
    for identifiers: [PersistentIdentifier]
  ) -> [M] {
    let missing = identifiers.filter { found[$0] == nil }
    if !missing.isEmpty {
      do {
        for model in try search(missing) { found[model.persistentModelID] = model }
      } catch {
        failure = failure ?? error
      }
    }
    return identifiers.map { found[$0] as? M ?? standIn(type, $0) }
  }

  private func standIn<M: PersistentModel>(
    _ type: M.Type,
    _ identifier: PersistentIdentifier
  ) -> M {
    let actual = ModelLayout.of(type).descendant(named: identifier.entityName)?.type as? M.Type
    guard let made = MissingObjects.object(of: actual ?? type, identifier: identifier) else {
      preconditionFailure(
        "A snapshot read an object of \(type) that has no row, and no placeholder can replace it; "
          + "give its properties default values."
      )
    }
    found[identifier] = made
    return made
  }
}
