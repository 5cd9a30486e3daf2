/// The rule by which a save treats an object that another context or process saved first.
///
/// | here · there | `mergeByProperty` | `contextWins` | `storeWins` | `error` |
/// |---|---|---|---|---|
/// | the same property was changed on both sides | mine | mine | theirs | throws |
/// | different properties were changed | both | mine, the others as they were here | theirs | throws |
/// | changed here, deleted there | throws | throws | the object vanishes | throws |
/// | deleted here, changed there | deleted | deleted | the object stays, with theirs | throws |
/// | deleted on both sides | deleted | deleted | deleted | deleted |
/// | a list of related objects that the object keeps | by element | as a property | as a property | as a property |
///
/// Related objects that refer to their owner themselves are not a property of the owner. Their own
/// rows determine the owner, and of two orders the later is kept under every policy.
///
/// A relationship that both ends keep (one to one, many to many) is merged element by element under
/// ``mergeByProperty``. What either side added or removed is added or removed, at both ends. If two
/// objects took the same one-to-one counterpart, the later has it. Under the other policies each
/// end is resolved with its own row. If a deletion is reverted, what its delete rules did to other
/// objects is kept.
///
/// When a save returns, the objects whose rows others had changed have the stored values; under
/// ``mergeByProperty`` they have them after the next fetch. If it throws, nothing was stored, and
/// all changes are pending as before. The error is ``DataStoreError/conflict`` with each object,
/// its base, mine and theirs in ``DataStoreError/mergeConflicts``.
///
/// All but ``mergeByProperty`` need a store that keeps versions of its rows
/// (``StoreCapabilities/versions``), as every built-in one does.
public struct MergePolicy: Sendable {
  enum Kind: Sendable {
    case mergeByProperty, contextWins, storeWins, error
    case resolve(@Sendable (MergeConflict) throws -> MergeResolution)
  }

  let kind: Kind
  /// Whether a save has to detect earlier saves of all its rows.
  ///
  /// Otherwise relationships that both ends keep are merged element by element.
  var needsVersions = true

  /// The later save wins, for the properties that it changed.
  ///
  /// Only relationships that both ends keep are compared. This policy therefore costs nothing if
  /// there are none, and works on every store.
  public static let mergeByProperty = MergePolicy(kind: .mergeByProperty, needsVersions: false)

  /// The whole object is stored as it is in this context.
  public static let contextWins = MergePolicy(kind: .contextWins)

  /// The changes of this context to the object are dropped.
  public static let storeWins = MergePolicy(kind: .storeWins)

  /// The save throws, with all conflicts at once: no update can be lost.
  ///
  /// An object is compared as the context read it last. If a fetch or a save has noticed others since
  /// the program read a value, the object is read again with its next value, and a change that the
  /// program computes from the earlier one is no conflict. A program that fetches between the two uses
  /// the object's value, and not a copy of it.
  public static let error = MergePolicy(kind: .error)

  /// A closure decides for each object, property by property.
  ///
  /// ```swift
  /// context.mergePolicy = .resolve { conflict in
  ///   guard let stock = conflict[\Item.stock], let base = stock.base, let mine = stock.mine,
  ///     let theirs = stock.theirs
  ///   else { return .error }
  ///   return try .mine.setting(\Item.stock, to: theirs + mine - base)
  /// }
  /// ```
  ///
  /// The closure is called again for the same object if yet another save comes first. The save
  /// rethrows its errors, and then has stored nothing.
  public static func resolve(
    _ body: @escaping @Sendable (MergeConflict) throws -> MergeResolution
  ) -> MergePolicy {
    MergePolicy(kind: .resolve(body))
  }
}
