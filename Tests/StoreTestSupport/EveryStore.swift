import Testing

/// The stores that tests use, each at a new location.
public enum EveryStore: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case sqlite, json, memory, sqliteInMemory

  /// A ``TextKeyStore``, which has no URL.
  case textKeys

  /// The built-in stores.
  public static let allCases: [EveryStore] = [.sqlite, .json, .memory, .sqliteInMemory]

  /// The built-in stores, and one whose keys are texts.
  public static let withTextKeys = allCases + [.textKeys]

  /// Whether the data is there when the store is opened again.
  public var persists: Bool { self == .sqlite || self == .json }

  public var testDescription: String { rawValue }

  /// The URL of a store in a folder.
  public func url(in folder: TemporaryFolder) -> String {
    switch self {
    case .sqlite: "sqlite:\(folder.file("store.db").path)"
    case .json: "json:\(folder.file("store.json").path)"
    case .memory: "memory:"
    case .sqliteInMemory: "sqlite::memory:"
    case .textKeys: ""
    }
  }
}
