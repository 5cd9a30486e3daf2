import Testing

/// The built-in stores by URL, each at a new location.
public enum EveryStore: String, CaseIterable, CustomTestStringConvertible, Sendable {
  case sqlite, json, memory, sqliteInMemory

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
    }
  }
}
