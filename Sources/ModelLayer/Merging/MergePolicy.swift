import StoreProtocol

/// What a save does when another came first: for the same object, from another context or process.
///
/// | here · there | `mergeByProperty` | `contextWins` | `storeWins` | `error` |
/// |---|---|---|---|---|
/// | the same property was changed on both sides | mine | mine | theirs | throws |
/// | different properties were changed | both | mine, the others as they were here | theirs | throws |
/// | changed here, deleted there | throws | throws | the object vanishes | throws |
/// | deleted here, changed there | deleted | deleted | the object stays, with theirs | throws |
/// | deleted on both sides | deleted | deleted | deleted | deleted |
/// | a list of members that the object keeps | by members | as a property | as a property | as a property |
///
/// Members that name their owner themselves are no property of the owner: who belongs to it is
/// settled by the members' own rows, and of two orders the later stays under every policy. A
/// relationship that both ends keep (one to one, many to many) is settled member by member under
/// ``mergeByProperty``: what either side added or removed is added or removed, at both ends, and of
/// two objects that took the same partner the later has it. Under the other policies each end is
/// settled with its own row. Where a deletion is taken back, what its delete rules did to other
/// objects stays.
///
/// When a save returns, the objects whose rows others had changed hold what the store holds; under
/// ``mergeByProperty`` they do so after the next fetch. When it throws, nothing was stored, all
/// changes are pending as before, and the error is ``DataStoreError/conflict`` with each object,
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

  /// The later save wins, for the properties that it changed.
  ///
  /// Nothing is compared but relationships that both ends keep, so that this policy costs nothing
  /// where there are none, and works on every store.
  public static let mergeByProperty = MergePolicy(kind: .mergeByProperty)

  /// The whole object is stored as this context sees it.
  public static let contextWins = MergePolicy(kind: .contextWins)

  /// What this context did to the object is dropped.
  public static let storeWins = MergePolicy(kind: .storeWins)

  /// The save throws, with all conflicts at once: no update can be lost.
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
  /// The closure is asked again for the same object when yet another save comes first. What it
  /// throws is thrown by the save, which then has stored nothing.
  public static func resolve(
    _ body: @escaping @Sendable (MergeConflict) throws -> MergeResolution
  ) -> MergePolicy {
    MergePolicy(kind: .resolve(body))
  }

  /// Whether a save has to know of all its rows that another came first.
  var needsVersions: Bool { !mergesMembers }

  /// Whether relationships that both ends keep are settled member by member.
  var mergesMembers: Bool {
    if case .mergeByProperty = kind { return true }
    return false
  }
}
