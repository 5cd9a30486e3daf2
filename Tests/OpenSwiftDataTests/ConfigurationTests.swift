import OpenSwiftData
import StoreTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The configuration of a store")
struct ConfigurationTests {
  @Test func `an unknown scheme is an error that lists the registered schemes`() {
    let error = #expect(throws: DataStoreError.self) {
      try ModelContainer(vehicles: "sqlight:trips.db")
    }
    #expect(error == .invalidConfiguration)
    for scheme in ["sqlite:", "json:", "memory:"] {
      #expect(error?.message.contains(scheme) == true)
    }
  }

  @Test(arguments: [
    ("sqllite", "sqlite"), ("sqlight", "sqlite"), ("postgre", "postgres"), ("jsno", "json"),
  ])
  func `a mistyped scheme is an error that begins with the nearest one`(
    _ typed: String,
    _ meant: String
  ) throws {
    let error = #expect(throws: DataStoreError.self) {
      try StoreScheme.configuration(for: "\(typed):trips")
    }
    let message = try #require(error).message
    #expect(message.hasPrefix("did you mean \(meant):? no store has the scheme \(typed):;"))
  }

  @Test func `a scheme that resembles none is an error without a guess`() throws {
    // The long one is no word to compare with the schemes.
    for scheme in ["mysql", String(repeating: "x", count: 100_000)] {
      let error = #expect(throws: DataStoreError.self) {
        try StoreScheme.configuration(for: "\(scheme):trips")
      }
      let message = try #require(error).message
      #expect(message.hasPrefix("no store has the scheme \(scheme):; the schemes"))
    }
  }

  @Test(
    arguments: [
      ("sqlite:x.db?speed=high", "durability"),
      ("sqlite:x.db?durability=hard", "relaxed"),
      ("json:", "memory:"),
      ("sqlite:", "memory:"),
      ("sqlite:?durability=none", "memory:"),
      ("memory:trips", "write memory:"),
      (":", "write it as sqlite:trips.db"),
      (":trips.json", "write it as json:trips.json"),
      (":memory:", "write it as sqlite::memory:"),
      ("sqlite:what?.db", "%3F"),
      ("json:data/", "slash"),
      ("sqlite:data/", "slash"),
      ("json:trips.lock", "another path"),
      ("json:trips.JSON-WAL", "ends with -wal"),
      ("memory:?durability=full", "history"),
      ("data/trips.db", "sqlite:data/trips.db"),
      ("trips.json", "json:trips.json"),
      ("sqlite:x.db?durability", "name=value"),
      ("json:x.json?readonly=no&readonly=no", "twice"),
      ("json:x.json?journal=no", "on, off"),
      ("json:x.json?layout=wide", "indented"),
      ("sqlite:x.db?journal=off", "durability"),
    ]
  )
  func `an invalid URL is an error that names a valid option or form`(url: String, word: String) {
    let error = #expect(throws: DataStoreError.self) { try ModelContainer(vehicles: url) }
    #expect(error == .invalidConfiguration)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `a path that is not that of a plain file is an error that says what it is`(
    kind: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let url = kind.url(in: folder)
    _ = try ModelContainer(vehicles: url)
    let scheme = url.prefix { $0 != ":" }
    let file = String(url.dropFirst(scheme.count + 1))
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: file + "-link", withDestinationPath: file + "-none")
    try manager.createDirectory(atPath: file + "-folder", withIntermediateDirectories: false)
    #expect(mkfifo(file + "-pipe", 0o600) == 0)
    try manager.linkItem(atPath: file, toPath: file + "-second")
    let expected = [
      ("-link", "symbolic link"), ("-folder", "folder"), ("-pipe", "not a plain file"),
      ("-second", "hard links"),
    ]
    for (name, kind) in expected {
      let error = #expect(throws: DataStoreError.self) { try ModelContainer(vehicles: url + name) }
      #expect(error == .storeNotTrusted)
      #expect(error?.message.contains(kind) == true, "\(error?.message ?? "")")
      #expect(error?.file == file + name)
    }
    try manager.removeItem(atPath: file + "-second")
    _ = try ModelContainer(vehicles: url)
  }

  @Test(arguments: ["sqlite", "json", "coredata"], [true, false])
  func `a path that is a folder is an error that asks for the name of a file`(
    scheme: String,
    isURL: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("trips")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let configuration: any DataStoreConfiguration =
      switch scheme {
      case "sqlite": ModelConfiguration(url: file)
      case "json": JSONFileStoreConfiguration(url: file)
      default: CoreDataStoreConfiguration(url: file)
      }
    let error = #expect(throws: DataStoreError.self) {
      if isURL {
        _ = try ModelContainer(vehicles: "\(scheme):\(file.path)")
      } else {
        _ = try ModelContainer(for: Schema([Driver.self]), configurations: [configuration])
      }
    }
    #expect(error == .storeNotTrusted)
    #expect(error?.message == "the path is a folder; add the name of a file")
    #expect(error?.file == file.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.path) == [])
    #expect(try folder.names() == ["trips"])
  }

  @Test func `options of a URL reach the store`() throws {
    let folder = try TemporaryFolder()
    let url = EveryStore.sqlite.url(in: folder)
    let relaxed = try ModelContainer(vehicles: "\(url)?durability=relaxed")
    #expect(relaxed.capabilities(for: Vehicle.self)?.durability == .relaxed)
    let context = ModelContext(relaxed)
    context.insert(Driver("Ada"))
    try context.save()
    let readOnly = ModelContext(try ModelContainer(vehicles: "\(url)?readonly=yes"))
    #expect(try readOnly.fetchCount(FetchDescriptor<Driver>()) == 1)
    readOnly.insert(Driver("Bob"))
    let error = #expect(throws: DataStoreError.self) { try readOnly.save() }
    #expect(error == .storeReadOnly && error?.message.contains("allowsSave true") == true)
  }

  @Test(arguments: [EveryStore.sqlite, .json])
  func `a URL creates a folder only if it says so, a configuration always does`(
    kind: EveryStore
  ) throws {
    let folder = try TemporaryFolder()
    let scheme = kind == .json ? "json" : "sqlite"
    let file = folder.file("misspelt/store.db")
    let error = #expect(throws: DataStoreError.self) {
      try ModelContainer(vehicles: "\(scheme):\(file.path)")
    }
    #expect(error == .invalidConfiguration)
    #expect(error?.message.contains("folder=create") == true, "\(error?.message ?? "")")
    #expect(try folder.names() == [])
    #expect(throws: DataStoreError.self) {
      try ModelContainer(vehicles: "\(scheme):\(file.path)?folder=yes")
    }
    _ = try ModelContainer(vehicles: "\(scheme):\(file.path)?folder=create")
    #expect(try folder.names() == ["misspelt"])
    let configuration: any DataStoreConfiguration =
      kind == .json
      ? JSONFileStoreConfiguration(url: folder.file("made/store.json"))
      : ModelConfiguration(url: folder.file("made/store.db"))
    _ = try ModelContainer(for: Schema([Driver.self]), configurations: [configuration])
    #expect(try folder.names() == ["made", "misspelt"])
  }

  @Test func `an empty URL is an error that does not suggest a store in memory`() {
    let error = #expect(throws: DataStoreError.self) { try ModelContainer(vehicles: "") }
    #expect(error == .invalidConfiguration)
    #expect(error?.message == "the URL of the store is empty; write it as sqlite:trips.db")
  }

  @Test func `options of a JSON URL reach the store's configuration`() throws {
    let plain = try StoreScheme.configuration(for: "json:trips.json")
    let standard = try #require(plain as? JSONFileStoreConfiguration)
    #expect(standard.usesJournal && standard.layout == .lines)
    let url = "json:trips.json?journal=off&layout=indented"
    let other = try StoreScheme.configuration(for: url)
    let archive = try #require(other as? JSONFileStoreConfiguration)
    #expect(!archive.usesJournal && archive.layout == .indented)
    #expect(archive != standard)
  }

  @Test func `a third-party scheme works like a built-in one`() throws {
    StoreScheme.register(
      StoreScheme(name: "scratch", summary: "for tests") { _, schema in
        MemoryStoreConfiguration("scratch", schema: schema)
      }
    )
    let container = try ModelContainer(vehicles: "scratch:")
    #expect(container.stores.first is MemoryStore)
  }

  @Test func `built-in schemes are registered at the first use of schemes`() async {
    await #expect(processExitsWith: .success) {
      let names = StoreScheme.all.map(\.name)
      precondition(
        Set(names).isSuperset(of: ["json", "memory", "sqlite", "coredata"]),
        "All built-in schemes must be there."
      )
    }
    await #expect(processExitsWith: .success) {
      let configuration = try StoreScheme.configuration(for: "memory:")
      precondition(configuration is MemoryStoreConfiguration, "The scheme must be registered.")
    }
  }

  @Test func `the environment names the store if the program names none`() async {
    await #expect(processExitsWith: .success) {
      setenv("DATASTORE_URL", "memory:", 1)
      let container = try ModelContainer(for: Vehicle.self)
      precondition(container.stores.first is MemoryStore, "The store must be the one in memory.")
      setenv("DATASTORE_URL", "trips.db", 1)
      do {
        _ = try ModelContainer(for: Vehicle.self)
        preconditionFailure("The URL has no scheme.")
      } catch let error as DataStoreError {
        precondition(error.message.contains("DATASTORE_URL"), "The error must name the variable.")
      }
    }
  }

  @Test func `each configuration in memory is a separate store`() throws {
    let first = try ModelContainer(
      for: Driver.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let second = try ModelContainer(
      for: Driver.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(first)
    context.insert(Driver("Ada"))
    try context.save()
    #expect(try ModelContext(first).fetchCount(FetchDescriptor<Driver>()) == 1)
    #expect(try ModelContext(second).fetchCount(FetchDescriptor<Driver>()) == 0)
    #expect(first.configurations.count == 1)
  }

  @Test(arguments: ["../\u{301}evil", "/\u{301}tmp", "a/b", "a\0b", "\0\u{301}"])
  func `a name cannot refer to a file outside of the folder of stores`(name: String) {
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelConfiguration(name).validate()
    }
  }

  @Test(arguments: [
    "file:///tmp/osd%00hidden.db", "file:///tmp/osd%00/hidden.db", "file:///tmp/%00",
  ])
  func `a path with a null character is refused, not truncated`(string: String) throws {
    let url = try #require(URL(string: string))
    let configurations: [any DataStoreConfiguration] = [
      JSONFileStoreConfiguration(url: url), SQLiteStoreConfiguration(url: url),
      ModelConfiguration(url: url),
    ]
    for configuration in configurations {
      let error = #expect(throws: (any Error).self) {
        try ModelContainer(for: Schema(Driver.self), configurations: [configuration])
      }
      #expect("\(error as Any)".contains("null") || "\(error as Any)".contains("NUL"))
    }
    for scheme in ["json", "sqlite"] {
      #expect(throws: DataStoreError.invalidConfiguration) {
        try ModelContainer(vehicles: "\(scheme):\(url.path)")
      }
    }
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".lock"])
  func `a store is not created where another one has a file of its own`(end: String) throws {
    let folder = try TemporaryFolder()
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(vehicles: "sqlite:\(folder.file("trips.db" + end).path)")
    }
    #expect(try folder.names() == [])
  }

  @Test func `a model configuration creates a SQLite file`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("my.store")
    let container = try ModelContainer(
      for: Schema(Driver.self),
      configurations: [ModelConfiguration(url: file)]
    )
    let context = ModelContext(container)
    context.insert(Driver("Ada"))
    try context.save()
    let head = try Data(contentsOf: file).prefix(15)
    #expect(String(decoding: head, as: UTF8.self) == "SQLite format 3")
  }

  @Test func `several configurations divide the models`() throws {
    let folder = try TemporaryFolder()
    let garages = MemoryStoreConfiguration("garages", schema: Schema(Solo.self))
    let rest = SQLiteStoreConfiguration(schema: Schema(Other.self), url: folder.file("x.db"))
    let container = try ModelContainer(for: Solo.self, Other.self, configurations: garages, rest)
    let context = ModelContext(container)
    context.insert(Solo("one"))
    context.insert(Other("two"))
    try context.save()
    let fresh = ModelContext(container)
    let solo = try #require(try fresh.fetch(FetchDescriptor<Solo>()).first)
    let other = try #require(try fresh.fetch(FetchDescriptor<Other>()).first)
    #expect(solo.persistentModelID.storeIdentifier != other.persistentModelID.storeIdentifier)

    let identifier = container.storeIdentifier(forConfigurationNamed: "garages")
    #expect(identifier != nil && identifier == solo.persistentModelID.storeIdentifier)
    let second = try #require(other.persistentModelID.storeIdentifier)
    #expect(container.configurationName(forStoreIdentifier: second) == rest.name)
    #expect(container.storeIdentifier(forConfigurationNamed: "other") == nil)
    #expect(container.configurationName(forStoreIdentifier: "garages") == nil)
  }

  @Test func `two stores of one model are refused before they are created`() throws {
    let folder = try TemporaryFolder()
    let configurations = ["main.db", "pack.db"].map { ModelConfiguration(url: folder.file($0)) }
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Solo.self]), configurations: configurations)
    }
    #expect(error == .duplicateConfiguration)
    #expect(error?.message.contains("both store this model") == true)
    #expect(try folder.names() == [])
  }

  @Test func `configurations that contradict the models are refused`() throws {
    let solo = MemoryStoreConfiguration("solo", schema: Schema(Solo.self))
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Solo.self, Other.self, configurations: solo)
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Other.self, configurations: solo)
    }
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Solo.self, configurations: solo, solo)
    }
    #expect(throws: DataStoreError.unsupportedFeature) {
      try ModelContainer(
        for: Solo.self,
        configurations: ModelConfiguration(cloudKitDatabase: .private("x"))
      )
    }
  }

  @Test func `an ambiguous inverse is refused with the candidates`() {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Flight.self, configurations: MemoryStoreConfiguration())
    }
    #expect(error == .loadIssueModelContainer)
    let candidates = "(Airport.flights, Flight.destination, Flight.origin)"
    #expect(error?.message.contains("the inverse is ambiguous \(candidates)") == true)
  }
}

@Model
final class Solo {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model
final class Other {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model
final class Flight {
  var origin: Airport?
  var destination: Airport?
  init() {}
}

@Model
final class Airport {
  var flights: [Flight] = []
  init() {}
}
