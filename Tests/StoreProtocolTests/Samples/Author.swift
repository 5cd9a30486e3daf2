import Foundation
import ModelRuntime
import Observation
import StoreProtocol
import Testing

/// A model as the macro would expand it, written by hand with plain storage.
final class Author: PersistentModel {
  var _$state = _ModelState()
  var name: String
  var born: Date?
  var rank: Rank
  var address: Address
  var tags: [String]
  var books: [Book]
  var mentor: Author?

  init(
    name: String,
    born: Date? = nil,
    rank: Rank = .low,
    address: Address,
    tags: [String] = [],
    mentor: Author? = nil
  ) {
    self.name = name
    self.born = born
    self.rank = rank
    self.address = address
    self.tags = tags
    books = []
    self.mentor = mentor
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "name", keypath: \Author.name, default: nil),
      Schema.PropertyMetadata(name: "born", keypath: \Author.born, default: nil),
      Schema.PropertyMetadata(name: "rank", keypath: \Author.rank, default: nil),
      Schema.PropertyMetadata(name: "address", keypath: \Author.address, default: nil),
      Schema.PropertyMetadata(name: "tags", keypath: \Author.tags, default: nil),
      Schema.PropertyMetadata(
        name: "books",
        keypath: \Author.books,
        default: nil,
        metadata: Schema.Relationship(inverse: \Book.author)
      ),
      Schema.PropertyMetadata(
        name: "mentor",
        keypath: \Author.mentor,
        default: nil,
        metadata: Schema.Relationship(inverse: nil)
      ),
    ]
  }

  static var _$count: Int { 7 }

  init(_$row row: RowReader) throws {
    name = try row.read(0)
    born = try row.read(1)
    rank = try (row.read(2) as _Slot<Rank>).value ?? .low
    let address: _Slot<Address> = try row.read(3)
    self.address = try #require(address.value)
    tags = try (row.read(4) as _Slot<[String]>).value ?? []
    books = try (row.read(5) as _Slot<[Book]>).value ?? []
    mentor = try (row.read(6) as _Slot<Author?>).value ?? nil
  }

  func _$read(_ index: Int, from row: RowReader) throws {}

  func _$write(_ index: Int, to row: RowWriter) {
    switch index {
    case 0: row.write(0, name)
    case 1: row.write(1, born)
    case 2: row.write(2, _Slot(rank))
    case 3: row.write(3, _Slot(address))
    case 4: row.write(4, _Slot(tags))
    case 5: row.write(5, _Slot(books))
    case 6: row.write(6, _Slot(mentor))
    default: break
    }
  }
}
