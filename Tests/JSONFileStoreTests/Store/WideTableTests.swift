import Foundation
import JSONFileStore
import StoreProtocol
import StoreTestSupport
import Testing

@Suite("A table with many columns on a thread with a small stack")
struct WideTableTests {
  @Test(arguments: [32, 33, 300, 1_500])
  func `is written, read and rewritten`(count: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("wide.json")
    try SmallStack.run {
      let types: [AttributeType] = [.int64, .double, .string, .date, .bool, .uuid]
      let entity = StoreEntity(
        name: "Wide",
        properties: (0..<count).map { index in
          StoreProperty(
            name: "p\(index)",
            kind: .attribute(types[index % types.count]),
            isOptional: true
          )
        }
      )
      let configuration = JSONFileStoreConfiguration(
        schema: Schema(storeSchema: StoreSchema(entities: [entity])),
        url: url
      )
      let rows = (0..<20).map { row in
        DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(
            scope: .init(storeIdentifier: nil, entityName: "Wide"),
            key: .temporary(PersistentIdentifier.nextTemporaryNumber())
          ),
          entity: entity,
          values: (0..<count).map { Self.value($0, row, types) }
        )
      }
      do {
        let store = try JSONFileStore(configuration, migrationPlan: nil)
        // Enough rows for a journal record, which provides access to columns as well.
        _ = try store.apply(StoreChanges(inserted: rows))
        try store.compact()
        try store.close()
      }
      let store = try JSONFileStore(configuration, migrationPlan: nil)
      let found = try store.fetch(StoreQuery(entity: "Wide"))
      #expect(found.map(\.values) == rows.map(\.values))
      var values: [[StoreValue]] = []
      try store.read(StoreQuery(entity: "Wide")) { reader in
        let row = try (0..<count).map { try reader.value(at: $0) }
        values.append(row)
        let scalars = (0..<count).map { Self.scalar(reader, $0, types[$0 % types.count]) }
        #expect(scalars == row.map { $0.isNull ? nil : $0 })
        for index in [-1, count] {
          #expect(types.allSatisfy { Self.scalar(reader, index, $0) == nil })
          #expect(try reader.isNull(at: index) && !reader.isDeferred(at: index))
        }
      }
      #expect(values == rows.map(\.values))
      try store.close()
    }
  }

  /// The value of a column as the reader of its type returns it, or `nil` if there is none.
  private static func scalar(
    _ reader: RowReader,
    _ index: Int,
    _ type: AttributeType
  ) -> StoreValue? {
    switch type {
    case .int64: (try? reader.integer(at: index)).map(StoreValue.integer)
    case .double: (try? reader.double(at: index)).map(StoreValue.double)
    case .string: (try? reader.string(at: index)).map(StoreValue.string)
    case .date: (try? reader.date(at: index)).map(StoreValue.date)
    case .bool: (try? reader.bool(at: index)).map(StoreValue.bool)
    default: (try? reader.value(at: index)).flatMap { $0.isNull ? nil : $0 }
    }
  }

  private static func value(_ index: Int, _ row: Int, _ types: [AttributeType]) -> StoreValue {
    if (index + row).isMultiple(of: 7) { return .null }
    let number = index * 100 + row
    switch types[index % types.count] {
    case .int64: return .integer(Int64(number))
    case .double: return .double(Double(number) / 4)
    case .string: return .string("text \(number)")
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .bool: return .bool(number.isMultiple(of: 2))
    default: return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(row))))
    }
  }
}
