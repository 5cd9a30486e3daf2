import OpenSwiftData
import StoreConformance
import StoreTestSupport
import Testing

@Suite struct `Stores agree` {
  @Test(arguments: Sweep.part([UInt64(11), 12, 13, 14], of: 1))
  func `the same changes and queries have the same results on all stores`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let schema = StoreAgreement.schema
    let stores: [any RecordStore] = [
      try MemoryStore(MemoryStoreConfiguration(schema: schema)),
      try JSONFileStore(
        JSONFileStoreConfiguration(schema: schema, url: folder.file("a.json")),
        migrationPlan: nil
      ),
      try SQLiteStore(
        SQLiteStoreConfiguration(schema: schema, url: folder.file("a.store")),
        migrationPlan: nil
      ),
      try SQLiteStore(.inMemory(schema: schema), migrationPlan: nil),
    ]
    var agreement = StoreAgreement(stores, seed: seed)
    try agreement.checkChanges(steps: 60)
    try agreement.checkQueries(count: 150)
  }
}
