import Foundation
import ModelLayer

/// New stores for a URL, each in its own folder beside the URL's path, or in its own schema of the
/// URL's database.
struct StoreURLLocations: Sendable {
  private let url: StoreURL
  private let makeConfiguration: @Sendable (String) throws -> any DataStoreConfiguration
  let startProcess: ConformanceRun.ProcessStarter?
  private let removeStore: ConformanceRun.StoreRemover?

  /// Parses a URL.
  ///
  /// - Throws: `DataStoreError.invalidConfiguration` if its path exists: the suite creates and
  ///   removes stores, and never touches existing ones.
  init(
    _ text: String,
    _ makeConfiguration: @escaping @Sendable (String) throws -> any DataStoreConfiguration,
    _ startProcess: ConformanceRun.ProcessStarter?,
    _ removeStore: ConformanceRun.StoreRemover?
  ) throws {
    self.startProcess = startProcess
    self.removeStore = removeStore
    url = try StoreURL(text)
    self.makeConfiguration = makeConfiguration
    guard !isOnServer, !url.path.isEmpty, FileManager.default.fileExists(atPath: url.path) else {
      return
    }
    throw DataStoreError(
      .invalidConfiguration,
      "the path exists; name an unused path, and the suite creates its stores in folders "
        + "beside it",
      file: url.path
    )
  }

  /// A Boolean value that indicates whether stores are schemas of a database on a server.
  private var isOnServer: Bool { url.options["schema"] != nil && url.text.contains("://") }

  /// A Boolean value that indicates whether stores have a path, so that a location can be opened
  /// twice.
  var havePaths: Bool { isOnServer || !url.path.isEmpty && url.path != ":memory:" }

  /// Returns a sample configuration without creating a store.
  func sample() throws -> any DataStoreConfiguration {
    try makeConfiguration(isOnServer ? url.text : url.text(withPath: url.path))
  }

  /// Removes a store that has no folder.
  func remove(_ configuration: any DataStoreConfiguration) throws {
    if isOnServer { try removeStore?(configuration) }
  }

  /// Returns a new location, with the folder that was created for it.
  func make() throws -> (folder: URL?, url: String, configuration: any DataStoreConfiguration) {
    guard havePaths else { return (nil, url.text(withPath: url.path), try sample()) }
    if isOnServer {
      let text = textWithNewSchema
      return (nil, text, try makeConfiguration(text))
    }
    let folder = URL(filePath: "\(url.path).conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let file = folder.appending(path: URL(filePath: url.path).lastPathComponent)
    let text = url.text(withPath: file.path)
    return (folder, text, try makeConfiguration(text))
  }

  /// The URL with another schema, whose name begins with that of the URL's.
  private var textWithNewSchema: String {
    let parts = url.text.split(separator: "?", maxSplits: 1)
    let items = parts[1].split(separator: "&").map { item in
      item.hasPrefix("schema=") ? "\(item)~\(UUID().uuidString.prefix(13))" : String(item)
    }
    return "\(parts[0])?\(items.joined(separator: "&"))"
  }
}

private struct StoreURLFixture<Store: RecordStore>: StoreFixture {
  struct Location {
    let folder: URL?
    let url: String
    let configuration: Store.Configuration
  }

  let locations: StoreURLLocations

  var hooks: Set<FixtureHook> {
    guard locations.havePaths else { return [] }
    let own: Set<FixtureHook> = [.secondHandle, .replacement]
    return locations.startProcess == nil ? own : own.union([.processes])
  }

  func makeLocation() throws -> Location {
    let (folder, url, configuration) = try locations.make()
    guard let configuration = configuration as? Store.Configuration else {
      throw DataStoreError(.invalidConfiguration, "the URL names stores of several kinds")
    }
    return Location(folder: folder, url: url, configuration: configuration)
  }

  func open(_ location: Location, schema: Schema?) throws -> Store {
    if let folder = location.folder {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    var configuration = location.configuration
    configuration.schema = schema
    try configuration.validate()
    return try Store(configuration, migrationPlan: nil)
  }

  func destroy(_ location: Location) throws {
    if let folder = location.folder { try FileManager.default.removeItem(at: folder) }
    try locations.remove(location.configuration)
  }

  func start(_ task: ProcessTask, on location: Location) throws -> @Sendable () throws -> String {
    guard let start = locations.startProcess else {
      throw DataStoreError(.unsupportedFeature, "the run starts no processes")
    }
    return try start(location.url, task)
  }
}

private struct ModelStoreURLFixture<Configuration: DataStoreConfiguration>: ModelStoreFixture {
  let locations: StoreURLLocations
  private let folders = Shared<[(name: String, folder: URL)]>([])

  init(_ locations: StoreURLLocations) { self.locations = locations }

  func makeLocation() throws -> Configuration {
    let (folder, _, configuration) = try locations.make()
    guard let configuration = configuration as? Configuration else {
      throw DataStoreError(.invalidConfiguration, "the URL names stores of several kinds")
    }
    if let folder { folders.withLock { $0.append((configuration.name, folder)) } }
    return configuration
  }

  // Configurations contain no paths; all folders are removed, because locations are used one after
  // the other.
  func destroy(_ location: Configuration) throws {
    for (_, folder) in folders.value { try? FileManager.default.removeItem(at: folder) }
    folders.withLock { $0 = [] }
    try locations.remove(location)
  }
}

extension ConformanceRun {
  /// A function that starts a process that opens the store of a URL and runs a task, as
  /// ``StoreFixture/start(_:on:)`` describes.
  public typealias ProcessStarter =
    @Sendable (_ url: String, _ task: ProcessTask) throws -> @Sendable () throws -> String

  /// A function that removes a store, for stores that are schemas of a database on a server.
  public typealias StoreRemover = @Sendable (any DataStoreConfiguration) throws -> Void

  /// Creates a run on new stores for a URL.
  ///
  /// The stores are created in folders beside the path of the URL, and removed with them. On a server
  /// they are schemas whose names begin with that of the URL's.
  ///
  /// - Parameters:
  ///   - text: The URL, such as `sqlite:/tmp/new.db`, with the options of all stores.
  ///   - settings: The settings of the run.
  ///   - makeConfiguration: A function that creates the configuration of a URL, by default that of
  ///     the registered scheme.
  ///   - startProcess: A function that starts other processes. `nil` skips the rules about them.
  ///   - removeStore: A function that removes a store on a server. `nil` leaves it.
  /// - Throws: `DataStoreError.invalidConfiguration` for an unknown URL, and if its path exists.
  public init(
    storesLike text: String,
    settings: ConformanceSettings = ConformanceSettings(),
    makeConfiguration: @escaping @Sendable (String) throws -> any DataStoreConfiguration = {
      try StoreScheme.configuration(for: $0)
    },
    startProcess: ProcessStarter? = nil,
    removeStore: StoreRemover? = nil
  ) throws {
    let locations = try StoreURLLocations(text, makeConfiguration, startProcess, removeStore)
    self = Self.run(on: locations, like: try locations.sample(), settings)
  }

  private static func run<Configuration: DataStoreConfiguration>(
    on locations: StoreURLLocations,
    like configuration: Configuration,
    _ settings: ConformanceSettings
  ) -> ConformanceRun {
    if let kind = Configuration.Store.self as? any RecordStore.Type {
      return run(on: locations, of: kind, settings)
    }
    return ConformanceRun(ModelStoreURLFixture<Configuration>(locations), settings: settings)
  }

  private static func run<Store: RecordStore>(
    on locations: StoreURLLocations,
    of kind: Store.Type,
    _ settings: ConformanceSettings
  ) -> ConformanceRun {
    ConformanceRun(StoreURLFixture<Store>(locations: locations), settings: settings)
  }
}
