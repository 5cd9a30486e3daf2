import StoreProtocol
import Synchronization

/// A kind of store that can be named by a URL.
public struct StoreScheme: Sendable {
  /// The word before the colon.
  public let name: String
  /// One line on the kind of store, for lists.
  public let summary: String
  /// The names of the options that it takes.
  public let options: [String]
  /// Creates the configuration of a store from its URL.
  public let makeConfiguration:
    @Sendable (_ url: StoreURL, _ schema: Schema?) throws -> any DataStoreConfiguration

  /// Creates a scheme.
  public init(
    name: String,
    summary: String,
    options: [String] = [],
    makeConfiguration:
      @escaping @Sendable (_ url: StoreURL, _ schema: Schema?) throws
      -> any DataStoreConfiguration
  ) {
    self.name = name
    self.summary = summary
    self.options = options
    self.makeConfiguration = makeConfiguration
  }
}

extension StoreScheme {
  private static let registered = Mutex<[String: StoreScheme]>([:])

  /// Registers a scheme for the whole program; a later one of the same name replaces it.
  public static func register(_ scheme: StoreScheme) {
    registered.withLock { $0[scheme.name] = scheme }
  }

  // `OpenSwiftData` declares `all` and `configuration(for:schema:)` as well and registers the
  // built-in schemes first. These are for programs without that module.

  /// The registered schemes, by name.
  @_disfavoredOverload public static var all: [StoreScheme] { registeredSchemes }

  /// Returns the configuration of the store that a URL names.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` for an unknown scheme or option, with a list
  ///   of the known ones.
  @_disfavoredOverload
  public static func configuration(
    for text: String,
    schema: Schema? = nil
  ) throws -> any DataStoreConfiguration {
    try registeredConfiguration(for: text, schema: schema)
  }

  /// The registered schemes, by name.
  package static var registeredSchemes: [StoreScheme] {
    registered.withLock { $0.values.sorted { $0.name < $1.name } }
  }

  /// Returns the configuration of the store that a URL names, if its scheme is registered.
  package static func registeredConfiguration(
    for text: String,
    schema: Schema?
  ) throws -> any DataStoreConfiguration {
    let url = try StoreURL(text)
    guard let scheme = registered.withLock({ $0[url.scheme] }) else {
      let schemes = registeredSchemes
      let list = schemes.map { "\($0.name): (\($0.summary))" }.joined(separator: ", ")
      let nearest = nearest(to: url.scheme, among: schemes.map(\.name))
      throw StoreURL.error(
        (nearest.map { "did you mean \($0):? " } ?? "")
          + "no store has the scheme \(url.scheme):; the schemes are \(list)"
      )
    }
    for option in url.options.keys.sorted() where !scheme.options.contains(option) {
      let available = scheme.options.isEmpty ? "none" : scheme.options.joined(separator: ", ")
      throw StoreURL.error("\(scheme.name): has no option \(option); its options: \(available)")
    }
    return try scheme.makeConfiguration(url, schema)
  }

  /// Returns the name that a mistyped word most likely means, or `nil` if none is similar.
  private static func nearest(to word: String, among names: [String]) -> String? {
    // The comparison costs the square of the edits, in time and in memory.
    let near = names.filter { abs($0.count - word.count) <= 3 }
    let edits = near.map { name in (name: name, count: name.difference(from: word).count) }
    // A replaced letter counts twice: it is removed and inserted.
    return edits.filter { $0.count <= 3 && $0.count < $0.name.count / 2 + 1 }
      .min { $0.count < $1.count }?.name
  }
}
