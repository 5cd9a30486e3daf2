// swift-tools-version: 6.1

import CompilerPluginSupport
import PackageDescription

let fuzzed: [Target.Dependency] = [
  "StoreProtocol", "StoreFiles", "JSONFileStore", "SQLiteStore", "ModelLayer", "CommandLineSupport",
  "CSVFiles", "CoreDataFiles", "CoreDataStore", "CoreDataTestSupport", "PostgreSQLClient",
  "StructuredText",
]

let package = Package(
  name: "OpenSwiftData",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "OpenSwiftData", targets: ["OpenSwiftData"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "ModelLayer", targets: ["ModelLayer"]),
    .library(name: "StoreProtocol", targets: ["StoreProtocol"]),
    .library(name: "QueryEvaluation", targets: ["QueryEvaluation"]),
    .library(name: "StoreHelpers", targets: ["StoreHelpers"]),
    .library(name: "MemoryStore", targets: ["MemoryStore"]),
    .library(name: "JSONFileStore", targets: ["JSONFileStore"]),
    .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
    .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
    .library(name: "CoreDataStore", targets: ["CoreDataStore"]),
    .library(name: "StoreConformance", targets: ["StoreConformance"]),
    .library(name: "ComposableStores", targets: ["ComposableStores"]),
    .library(name: "StoreTesting", targets: ["StoreTesting"]),
    .executable(name: "storectl", targets: ["storectl"]),
    .executable(name: "flights", targets: ["flights"]),
    .executable(name: "trips", targets: ["trips"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .target(name: "StoreProtocol"),
    // The meaning of queries over rows, for stores that leave a part of a query to it.
    .target(name: "QueryEvaluation", dependencies: ["StoreProtocol"]),
    // Parts that stores share: recorded histories, merged rows, unique values, counted keys.
    .target(name: "StoreHelpers", dependencies: ["StoreProtocol"]),
    // What generated code and contexts need of objects, and the translation of predicates.
    .target(name: "ModelRuntime", dependencies: ["StoreProtocol", "QueryEvaluation"]),
    .target(name: "ModelMacroExpansion"),
    .macro(name: "ModelMacros", dependencies: ["ModelMacroExpansion"]),
    .target(
      name: "ModelLayer",
      dependencies: ["StoreProtocol", "QueryEvaluation", "ModelRuntime", "ModelMacros"]
    ),
    // The one call that Swift's module of the C library lacks.
    .target(name: "CFiles"),
    .target(name: "StoreFiles", dependencies: ["StoreProtocol", "CFiles"]),
    // The changes of a save in memory, for stores that hold all rows there or read those that a save needs.
    .target(
      name: "RowChanges",
      dependencies: ["StoreProtocol", "QueryEvaluation", "StoreHelpers"]
    ),
    .target(
      name: "MemoryStore",
      dependencies: ["StoreProtocol", "QueryEvaluation", "StoreHelpers", "RowChanges"]
    ),
    .target(name: "CoreDataFiles"),
    .target(
      name: "CoreDataStore",
      dependencies: [
        "StoreProtocol", "QueryEvaluation", "CoreDataFiles", "SQLTranslation", "SQLiteBinding",
        "CSQLite",
      ]
    ),
    .target(
      name: "JSONFileStore",
      dependencies: [
        "StoreProtocol", "QueryEvaluation", "StoreHelpers", "RowChanges", "StoreFiles",
      ]
    ),
    // Structured values as JSON text, for stores that keep them in a column of a database.
    .target(name: "StructuredText", dependencies: ["StoreProtocol"]),
    // Filters and orders in SQL, for stores that keep rows in a database.
    .target(name: "SQLTranslation", dependencies: ["StoreProtocol", "QueryEvaluation"]),
    // Connections, statements and errors of SQLite, and the part of its SQL that all stores share.
    .target(
      name: "SQLiteBinding",
      dependencies: ["StoreProtocol", "StructuredText", "SQLTranslation", "CSQLite"]
    ),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "StoreProtocol", "QueryEvaluation", "StoreHelpers", "StoreFiles", "StructuredText",
        "SQLTranslation", "SQLiteBinding", "CSQLite",
      ]
    ),
    // libpq is loaded when it is first needed.
    .target(name: "PostgreSQLClient", dependencies: ["StoreProtocol"]),
    .target(
      name: "PostgreSQLStore",
      dependencies: [
        "StoreProtocol", "QueryEvaluation", "StoreHelpers", "RowChanges", "StructuredText",
        "SQLTranslation", "PostgreSQLClient",
      ]
    ),
    .target(
      name: "StoreConformance",
      dependencies: ["StoreProtocol", "QueryEvaluation", "ModelLayer", "ComposableStores"]
    ),
    .target(
      name: "OpenSwiftData",
      dependencies: [
        "StoreProtocol", "StoreFiles", "ModelLayer", "MemoryStore", "JSONFileStore", "SQLiteStore",
        "CoreDataStore", "PostgreSQLStore",
      ]
    ),
    // The same under the name of Apple's framework, for sources that import that.
    .target(name: "SwiftData", dependencies: ["OpenSwiftData"]),
    .target(name: "ComposableStores", dependencies: ["StoreProtocol"]),
    .target(name: "StoreTesting", dependencies: ["ComposableStores", "OpenSwiftData"]),
    .target(name: "CommandLineSupport"),
    // What programs do is in libraries: a test that imports a program is compiled before that is.
    .target(
      name: "StoreTool",
      dependencies: [
        "OpenSwiftData", "RowChanges", "CoreDataStore", "JSONFileStore", "PostgreSQLStore",
        "StoreConformance", "ModelMacroExpansion", "CommandLineSupport",
      ]
    ),
    .executableTarget(name: "storectl", dependencies: ["StoreTool"]),
    .target(
      name: "CSVFiles",
      dependencies: ["CommandLineSupport"],
      path: "Examples/Flights/CSV"
    ),
    .target(
      name: "FlightRecords",
      dependencies: ["CSVFiles", "OpenSwiftData", "CommandLineSupport"],
      path: "Examples/Flights",
      exclude: ["CSV", "Program"],
      resources: [.copy("Data")]
    ),
    .executableTarget(
      name: "flights",
      dependencies: ["FlightRecords"],
      path: "Examples/Flights/Program"
    ),
    .executableTarget(
      name: "trips",
      dependencies: ["OpenSwiftData", "CommandLineSupport"],
      path: "Examples/Trips"
    ),
    .target(
      name: "StoreTestSupport",
      dependencies: [
        "StoreProtocol", "QueryEvaluation", "StoreFiles", "ModelLayer", "MemoryStore",
        "StoreConformance", "PostgreSQLTestSupport",
      ],
      path: "Tests/StoreTestSupport"
    ),
    .executableTarget(
      name: "storeworker",
      dependencies: ["OpenSwiftData", "StoreProtocol", "CSQLite"],
      path: "Tests/StoreWorker"
    ),
    .target(
      name: "SQLiteTestSupport",
      dependencies: ["CSQLite"],
      path: "Tests/SQLiteTestSupport"
    ),
    .target(name: "AllocationCounting", path: "Tests/AllocationCounting"),
    .testTarget(
      name: "StoreProtocolTests",
      dependencies: [
        "StoreProtocol", "QueryEvaluation", "StoreHelpers", "ModelRuntime", "StoreTestSupport",
      ]
    ),
    .testTarget(
      name: "ModelMacrosTests",
      dependencies: ["ModelMacroExpansion", "ModelLayer", "StoreTestSupport"],
      exclude: ["Fixtures"]
    ),
    .testTarget(
      name: "ModelLayerTests",
      dependencies: ["ModelLayer", "MemoryStore", "StoreTestSupport"]
    ),
    .testTarget(name: "StoreFilesTests", dependencies: ["StoreFiles", "StoreTestSupport"]),
    .target(
      name: "CoreDataTestSupport",
      dependencies: ["CoreDataFiles"],
      path: "Tests/CoreDataTestSupport"
    ),
    .testTarget(
      name: "CoreDataFilesTests",
      dependencies: ["CoreDataFiles", "CoreDataTestSupport", "StoreTestSupport"],
      exclude: ["Files"]
    ),
    .testTarget(
      name: "CoreDataStoreTests",
      dependencies: [
        "CoreDataStore", "CoreDataFiles", "CoreDataTestSupport", "CSQLite", "OpenSwiftData",
        "PostgreSQLTestSupport", "StoreTestSupport", "StoreTool", "CommandLineSupport", "storectl",
      ],
      exclude: ["Files"]
    ),
    .testTarget(
      name: "MemoryStoreTests",
      dependencies: ["MemoryStore", "StoreConformance", "StoreTestSupport"]
    ),
    .testTarget(
      name: "JSONFileStoreTests",
      dependencies: ["JSONFileStore", "StoreConformance", "StoreTestSupport"],
      exclude: ["Golden"]
    ),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "SQLiteStore", "SQLTranslation", "StructuredText", "CSQLite", "StoreConformance",
        "SQLiteTestSupport", "StoreTestSupport",
      ],
      exclude: ["Golden/v1", "Golden/v2", "Golden/v3", "Golden/v4", "Golden/v5"]
    ),
    .target(
      name: "PostgreSQLTestSupport",
      dependencies: ["PostgreSQLClient"],
      path: "Tests/PostgreSQLTestSupport"
    ),
    .testTarget(
      name: "PostgreSQLClientTests",
      dependencies: ["PostgreSQLClient", "PostgreSQLTestSupport", "StoreProtocol"]
    ),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "PostgreSQLStore", "PostgreSQLClient", "PostgreSQLTestSupport", "StoreConformance",
        "ModelLayer", "OpenSwiftData", "StoreTestSupport",
      ]
    ),
    .testTarget(
      name: "StoreConformanceTests",
      dependencies: [
        "StoreConformance", "ComposableStores", "OpenSwiftData", "JSONFileStore", "StoreFiles",
        "StoreTestSupport", "storectl",
      ]
    ),
    .testTarget(
      name: "ComposableStoresTests",
      dependencies: ["ComposableStores", "OpenSwiftData", "StoreConformance", "StoreTestSupport"]
    ),
    .testTarget(
      name: "StoreTestingTests",
      dependencies: ["StoreTesting", "StoreTestSupport"]
    ),
    .testTarget(
      name: "CommandLineSupportTests",
      dependencies: ["CommandLineSupport"]
    ),
    .testTarget(
      name: "OpenSwiftDataTests",
      dependencies: [
        "OpenSwiftData", "SwiftData", "ComposableStores", "StoreConformance", "StoreTestSupport",
      ]
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "JSONFileStore", "ModelLayer", "OpenSwiftData", "PostgreSQLTestSupport", "SQLiteStore",
        "StoreConformance", "StoreProtocol", "StoreTesting", "StoreTestSupport",
      ]
    ),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "OpenSwiftData", "SQLiteStore", "JSONFileStore", "StoreFiles", "PostgreSQLTestSupport",
        "StoreTestSupport",
      ]
    ),
    .testTarget(
      name: "ObjectGraphTests",
      dependencies: [
        "OpenSwiftData", "ComposableStores", "PostgreSQLClient", "PostgreSQLStore",
        "PostgreSQLTestSupport", "StoreTestSupport",
      ]
    ),
    .testTarget(
      name: "CountingTests",
      dependencies: [
        "OpenSwiftData", "SQLiteStore", "JSONFileStore", "MemoryStore", "StoreFiles",
        "StoreProtocol", "SQLiteBinding", "CSQLite",
        "ComposableStores", "AllocationCounting", "SQLiteTestSupport", "StoreTestSupport",
      ],
      exclude: ["Counts.txt"]
    ),
    .testTarget(
      name: "MemoryTests",
      dependencies: ["OpenSwiftData", "AllocationCounting", "StoreTestSupport"]
    ),
    .testTarget(
      name: "ObserverTests",
      dependencies: ["OpenSwiftData", "ComposableStores", "StoreTestSupport"]
    ),
    .testTarget(name: "HistoryTests", dependencies: ["OpenSwiftData", "StoreTestSupport"]),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "CSVFiles", "CommandLineSupport", "OpenSwiftData", "SQLiteStore", "FlightRecords",
        "PostgreSQLTestSupport", "flights", "trips",
      ]
    ),
    .testTarget(
      name: "StorectlTests",
      dependencies: [
        "CSVFiles", "OpenSwiftData", "CSQLite", "CommandLineSupport", "StoreTestSupport",
        "StoreTool", "PostgreSQLTestSupport",
      ]
    ),
    .testTarget(
      name: "FuzzingTests",
      dependencies: fuzzed,
      exclude: ["Dictionaries", "Entry", "Regressions"]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// `OPENSWIFTDATA_TESTS=SQLiteStoreTests,CountingTests swift test` builds these test targets alone.
if let tested = Context.environment["OPENSWIFTDATA_TESTS"]?.split(separator: ",") {
  package.targets.removeAll { $0.isTest && !tested.contains($0.name[...]) }
}

// The programs of Scripts/roads and Scripts/walk. Other builds would compile them for nothing.
if Context.environment["OPENSWIFTDATA_MEASURED"] != nil {
  package.targets += [
    .executableTarget(
      name: "roads",
      dependencies: ["OpenSwiftData"],
      path: "Benchmarks/Roads",
      exclude: ["bounds.txt"]
    ),
    .executableTarget(
      name: "walk",
      dependencies: ["OpenSwiftData"],
      path: "Benchmarks/Walk",
      exclude: ["bounds.txt"]
    ),
  ]
}

// libFuzzer has the `main` of the program that runs the targets of FuzzingTests without end; no
// other build can link it. See Tests/Faults/fuzzing.py.
if Context.environment["OPENSWIFTDATA_FUZZING"] != nil {
  package.targets.removeAll { $0.isTest }
  // Without macros, whose program the fuzzer's flags would reach too; nothing here uses one.
  for target in package.targets where target.name == "ModelLayer" {
    target.dependencies = ["StoreProtocol"]
    target.sources = ["Container/StoreURL.swift"]
  }
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: fuzzed,
      path: "Tests/FuzzingTests",
      exclude: ["Dictionaries", "Regressions", "RegressionTests.swift"]
    )
  )
}
