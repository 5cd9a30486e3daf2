import Foundation
import ModelLayer

/// New stores of the kind that a URL names, each in a folder of its own beside the URL's path.
struct StoreURLPlaces: Sendable {
  private let url: StoreURL
  private let options: String
  private let makeConfiguration: @Sendable (String) throws -> any DataStoreConfiguration

  /// Reads a URL.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` where something is at its path: the suite
  ///   makes and removes stores, and touches none that is there.
  init(
    _ text: String,
    _ makeConfiguration: @escaping @Sendable (String) throws -> any DataStoreConfiguration
  ) throws {
    url = try StoreURL(text)
    options = text.firstIndex(of: "?").map { String(text[$0...]) } ?? ""
    self.makeConfiguration = makeConfiguration
    guard !url.path.isEmpty, FileManager.default.fileExists(atPath: url.path) else { return }
    throw DataStoreError(
      .invalidConfiguration,
      "something is there already; name a place where nothing is, and the suite makes its stores "
        + "beside it",
      file: url.path
    )
  }

  /// Whether stores have a path, so that a place can be opened twice.
  var havePaths: Bool { !url.path.isEmpty && url.path != ":memory:" }

  /// A configuration such as a place has; nothing is made.
  func sample() throws -> any DataStoreConfiguration {
    try makeConfiguration("\(url.scheme):\(Self.escaped(url.path))\(options)")
  }

  /// A new place, with the folder that was made for it.
  func make() throws -> (folder: URL?, configuration: any DataStoreConfiguration) {
    guard havePaths else { return (nil, try sample()) }
    let folder = URL(filePath: "\(url.path).conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let file = folder.appending(path: URL(filePath: url.path).lastPathComponent)
    let text = "\(url.scheme):\(Self.escaped(file.path))\(options)"
    return (folder, try makeConfiguration(text))
  }

  private static func escaped(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("?", with: "%3F")
  }
}

/// Stores with records by URL.
private struct StoreURLFixture<Store: RecordStore>: StoreFixture {
  struct Place {
    let folder: URL?
    let configuration: Store.Configuration
  }

  let places: StoreURLPlaces

  var hooks: Set<FixtureHook> { places.havePaths ? [.secondHandle] : [] }

  func makePlace() throws -> Place {
    let (folder, configuration) = try places.make()
    guard let configuration = configuration as? Store.Configuration else {
      throw DataStoreError(.invalidConfiguration, "the URL names stores of several kinds")
    }
    return Place(folder: folder, configuration: configuration)
  }

  func open(_ place: Place, schema: Schema?) throws -> Store {
    var configuration = place.configuration
    configuration.schema = schema
    try configuration.validate()
    return try Store(configuration, migrationPlan: nil)
  }

  func destroy(_ place: Place) throws {
    if let folder = place.folder { try FileManager.default.removeItem(at: folder) }
  }
}

/// Stores of models by URL.
private struct ModelStoreURLFixture<Configuration: DataStoreConfiguration>: ModelStoreFixture {
  let places: StoreURLPlaces
  private let folders = Shared<[(name: String, folder: URL)]>([])

  init(_ places: StoreURLPlaces) { self.places = places }

  func makePlace() throws -> Configuration {
    let (folder, configuration) = try places.make()
    guard let configuration = configuration as? Configuration else {
      throw DataStoreError(.invalidConfiguration, "the URL names stores of several kinds")
    }
    if let folder { folders.withLock { $0.append((configuration.name, folder)) } }
    return configuration
  }

  // Configurations say nothing of paths; all folders go, since the places follow each other.
  func destroy(_ place: Configuration) throws {
    for (_, folder) in folders.value { try? FileManager.default.removeItem(at: folder) }
    folders.withLock { $0 = [] }
  }
}

extension ConformanceRun {
  /// Creates a run on new stores of the kind that a URL names.
  ///
  /// The stores are made in folders beside the path of the URL, and removed with them.
  ///
  /// - Parameters:
  ///   - text: The URL, such as `sqlite:/tmp/new.db`, with the options that all stores get.
  ///   - settings: How the run is made.
  ///   - makeConfiguration: Makes the configuration of a URL; that of the registered scheme when
  ///     nothing else is said.
  /// - Throws: `DataStoreError.invalidConfiguration` for a URL that nobody knows, and where
  ///   something is at its path.
  public init(
    storesLike text: String,
    settings: ConformanceSettings = ConformanceSettings(),
    makeConfiguration: @escaping @Sendable (String) throws -> any DataStoreConfiguration = {
      try StoreScheme.configuration(for: $0)
    }
  ) throws {
    let places = try StoreURLPlaces(text, makeConfiguration)
    self = Self.run(on: places, like: try places.sample(), settings)
  }

  private static func run<Configuration: DataStoreConfiguration>(
    on places: StoreURLPlaces,
    like configuration: Configuration,
    _ settings: ConformanceSettings
  ) -> ConformanceRun {
    if let kind = Configuration.Store.self as? any RecordStore.Type {
      return run(on: places, of: kind, settings)
    }
    return ConformanceRun(ModelStoreURLFixture<Configuration>(places), settings: settings)
  }

  private static func run<Store: RecordStore>(
    on places: StoreURLPlaces,
    of kind: Store.Type,
    _ settings: ConformanceSettings
  ) -> ConformanceRun {
    ConformanceRun(StoreURLFixture<Store>(places: places), settings: settings)
  }
}
