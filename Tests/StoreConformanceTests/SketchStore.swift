import Foundation
import OpenSwiftData

/// A store as Apple's session on custom stores sketches it, against SwiftData's protocol alone: the
/// whole file is read and written each time.
final class SketchStore: DataStore {
  struct Configuration: DataStoreConfiguration {
    typealias Store = SketchStore
    let name: String
    var schema: Schema?
    let fileURL: URL
    /// Dates as texts to the second, as the session writes them.
    var roundsDates = false

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.fileURL == rhs.fileURL }
    func hash(into hasher: inout Hasher) { hasher.combine(fileURL) }
  }

  typealias Snapshot = DefaultSnapshot

  let configuration: Configuration
  let schema: Schema
  let identifier: String

  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else { throw SwiftDataError.unknownSchema }
    self.configuration = configuration
    self.schema = schema
    identifier = configuration.fileURL.lastPathComponent
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID()
      )
    }
    var rows = try read()
    for snapshot in request.inserted + request.updated {
      let permanent = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      rows[permanent] = snapshot.copy(
        persistentIdentifier: permanent,
        remappedIdentifiers: remapped
      )
    }
    for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
    let encoder = JSONEncoder()
    if configuration.roundsDates { encoder.dateEncodingStrategy = .iso8601 }
    try encoder.encode(Array(rows.values)).write(to: configuration.fileURL, options: .atomic)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let rows = try read()
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: Array(rows.values)
    )
  }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let decoder = JSONDecoder()
    if configuration.roundsDates { decoder.dateDecodingStrategy = .iso8601 }
    let data = try Data(contentsOf: configuration.fileURL)
    let rows = try decoder.decode([DefaultSnapshot].self, from: data)
    return Dictionary(rows.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { $1 })
  }
}
