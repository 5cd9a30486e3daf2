import ComposableStores
import Foundation
import OpenSwiftData
import PostgreSQLClient
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreTestSupport
import Synchronization

/// The stores of the farm's programs.
enum FarmStore: String, CaseIterable, Sendable {
  case memory, json, sqlite, sqliteInMemory, textKeys, postgres
  /// A store that wraps another.
  case wrapped

  /// The stores that can be tested here.
  static let available = allCases.filter {
    $0 != .postgres || PrivateCluster.isAvailable || PrivateCluster.isRequired
  }
}

/// A place at which programs run one after the other, each with an empty store.
final class FarmSite {
  private static let number = Atomic(0)
  private var configuration: PostgreSQLStoreConfiguration?
  private let store: FarmStore
  /// What the store records of each save, on which no object may depend.
  var history = HistoryOptions(.values)

  /// The models of the farm.
  static let schema = Schema([
    Farmer.self, Animal.self, Debt.self, Stall.self, Medal.self,
  ])

  /// Whether a save notices saves of other programs; a server would have to be asked.
  var savesNoticeOthers: Bool { store != .postgres }

  init(_ store: FarmStore) throws {
    self.store = store
    let number = Self.number.add(1, ordering: .relaxed).newValue
    configuration =
      store == .postgres
      ? try PostgreSQLStoreConfiguration(
        PrivateCluster.shared().configuration(),
        databaseSchema: "farm \(number)"
      ) : nil
  }

  deinit {
    if let configuration { _ = try? PostgreSQLStore.remove(configuration) }
  }

  /// Returns containers of an empty store: two that act like two processes if possible, else one.
  func open(in folder: TemporaryFolder) throws -> [ModelContainer] {
    let schema = Self.schema
    switch store {
    case .textKeys:
      return [try ModelContainer(for: schema, configurations: TextKeyStore.Configuration())]
    case .postgres:
      configuration?.history = history
      guard let configuration else { return [] }
      let containers = try (0..<2).map { _ in
        try ModelContainer(for: schema, configurations: configuration)
      }
      try containers.first?.erase()
      return containers
    case .wrapped:
      return try (0..<2).map { _ in
        var base = SQLiteStoreConfiguration(url: folder.file("store.db"))
        base.history = history
        return try ModelContainer(for: schema, configurations: base.logged { _ in })
      }
    default:
      guard let kind = EveryStore(rawValue: store.rawValue) else { return [] }
      return try (0..<(kind.persists ? 2 : 1)).map { _ in
        try ModelContainer(for: schema, store: kind.url(in: folder) + "?history=\(history.content)")
      }
    }
  }
}
