import StoreProtocol

/// Probes of rows, references, lists and keys.
enum ProbesOfRows {
  static let all: [String: Probe] = [
    "deletion leaves lists in order": { probe in
      let tags = try probe.add(["a", "b", "c"].map { new("Tag", ["name": .string($0)]) })
      let order = [tags[2], tags[1], tags[0]]
      let book = try probe.add("Book", ["tags": .identifiers(order)])
      try probe.save(deleting: [tags[1]])
      try expect("the tags", probe.list("tags", of: book), is: [tags[2], tags[0]])
    },
    "a reference to a deleted row is nil": { probe in
      let shelf = try probe.add("Shelf")
      let book = try probe.add("Book")
      try probe.save(deleting: [shelf])
      try probe.save(updating: [update(book, ["shelf": .identifier(shelf)])])
      try expect("the shelf", probe.value("shelf", of: book), is: .null)
    },
    "a list omits rows deleted before": { probe in
      let tags = try probe.add([new("Tag"), new("Tag")])
      try probe.save(deleting: [tags[0]])
      let book = try probe.add("Book", ["tags": .identifiers(tags)])
      try expect("the tags", probe.list("tags", of: book), is: [tags[1]])
    },
    "a filter finds no reference to a deleted row": { probe in
      let shelf = try probe.add("Shelf")
      _ = try probe.add("Book", ["shelf": .identifier(shelf)])
      try probe.save(deleting: [shelf])
      let query = StoreQuery(entity: "Book", filter: .own("shelf", .equal, .identifier(shelf)))
      try expect("the books of a deleted shelf", probe.rows(query).count, is: 0)
    },
    "a batch deletes first": { probe in
      let books = try probe.add([new("Book", ["code": .string("a")]), new("Book")])
      try probe.save(updating: [update(books[1], ["code": .string("a")])], deleting: [books[0]])
      try expect("the code", probe.value("code", of: books[1]), is: .string("a"))
    },
    "an update of a deleted row throws": { probe in
      let book = try probe.add("Book")
      try expectError("the update", .conflict) {
        try probe.save(updating: [update(book, ["pages": .integer(1)])], deleting: [book])
      }
      try expect("the rows", probe.rows(StoreQuery(entity: "Book")), is: [book])
    },
    "an update of a missing row throws": { probe in
      let books = try probe.add([new("Book"), new("Book")])
      try probe.save(deleting: [books[0]])
      try expectError("the update", .conflict) {
        try probe.save(updating: [update(books[0], ["pages": .integer(1)])])
      }
    },
    "two updates of a row both count, the later first": { probe in
      let book = try probe.add("Book")
      try probe.save(updating: [
        update(book, ["pages": .integer(1), "note": .string("a")]),
        update(book, ["pages": .integer(2)]),
      ])
      try expect("the pages", probe.value("pages", of: book), is: .integer(2))
      try expect("the note", probe.value("note", of: book), is: .string("a"))
    },
    "a stored reference names the row's own entity": { probe in
      let novel = try probe.add("Novel")
      let cover = try probe.add("Cover")
      try probe.save(updating: [update(cover, ["book": .identifier(novel.named("Book"))])])
      try expect("the book", probe.value("book", of: cover), is: .identifier(novel))
    },
    "an identifier may name a superentity": { probe in
      let novel = try probe.add("Novel")
      let query = StoreQuery.rows([novel.named("Book")], of: "Book")
      try expect("the rows", probe.rows(query), is: [novel])
    },
    "an identity query can exclude subentities": { probe in
      let novel = try probe.add("Novel")
      let book = try probe.add("Book")
      var query = StoreQuery.rows([novel, book], of: "Book")
      query.includesSubentities = false
      try expect("the rows", probe.rows(query), is: [book])
    },
    "lists are under the identifiers of the request": { probe in
      let novel = try probe.add("Novel")
      let owner = novel.named("Book")
      let found = try probe.store.members(of: "tags", in: "Book", owners: [owner])
      try expect("the owners", Array(found.keys), is: [owner])
    },
    "each existing owner has an entry": { probe in
      let books = try probe.add([new("Book"), new("Book")])
      let found = try probe.store.members(of: "tags", in: "Book", owners: books)
      try expect("the owners", Set(found.keys), is: Set(books))
    },
    "a stored order comes first, other rows follow by key": { probe in
      let shelf = try probe.add("Shelf")
      let values: [String: StoreValue] = ["shelf": .identifier(shelf)]
      let books = try probe.add([new("Book", values), new("Book", values), new("Book", values)])
      try probe.save(updating: [update(shelf, ["books": .identifiers([books[2], books[0]])])])
      try expect(
        "the books",
        probe.list("books", of: shelf),
        is: [books[2], books[0], books[1]]
      )
    },
    "rows of subentities are related rows": { probe in
      let shelf = try probe.add("Shelf")
      let values: [String: StoreValue] = ["shelf": .identifier(shelf)]
      let books = try probe.add([new("Novel", values), new("Book", values)])
      try expect("the books", probe.list("books", of: shelf), is: books)
    },
    "related rows are read with the stored order": { probe in
      let shelf = try probe.add("Shelf")
      let values: [String: StoreValue] = ["shelf": .identifier(shelf)]
      let books = try probe.add([new("Book", values), new("Book", values)])
      try probe.save(updating: [update(shelf, ["books": .identifiers([books[1], books[0]])])])
      guard let key = shelf.integerKey else { return }
      let keys = [books[1], books[0]].compactMap(\.integerKey)
      let found = try probe.store.members(
        of: "books",
        in: "Shelf",
        owners: [shelf],
        wantsRows: true
      ) { _, _ in }
      if case .read(let orders) = found { try expect("the stored order", orders[key], is: keys) }
    },
    "a list has no duplicates": { probe in
      let tag = try probe.add("Tag")
      let book = try probe.add("Book", ["code": .string("a"), "tags": .identifiers([tag])])
      _ = try probe.add("Book", ["code": .string("a"), "tags": .identifiers([tag])])
      try expect("the tags", probe.list("tags", of: book), is: [tag])
    },
    "a batch alone raises the next key": { probe in
      guard let key = try probe.store.nextKey() else { return }
      try probe.save { $0.nextKey = key + 10 }
      try expect("the next key", probe.store.nextKey(), is: key + 10)
      try expect("the key", probe.add("Tag").integerKey, is: key + 10)
    },
    "a batch never lowers the next key": { probe in
      _ = try probe.add([new("Tag"), new("Tag"), new("Tag")])
      let key = try probe.store.nextKey()
      try probe.save([new("Tag")]) { $0.nextKey = 2 }
      try expect("the next key", probe.store.nextKey(), is: key.map { $0 + 1 })
    },
    "a given key is not below the next": { probe in
      _ = try probe.add([new("Tag"), new("Tag")])
      guard try probe.store.nextKey() != nil else { return }
      let tag = new("Tag")
      try expectError("the key", .invalidValue) {
        try probe.save([tag]) { $0.keys[tag.persistentIdentifier] = 1 }
      }
    },
    "a batch's keys are used": { probe in
      guard let key = try probe.store.nextKey() else { return }
      let tag = new("Tag")
      let result = try probe.save([tag]) { $0.keys[tag.persistentIdentifier] = key + 5 }
      try expect("the key", probe.identifier(of: tag, result).integerKey, is: key + 5)
    },
    "keys from before an erasure are not reused": { probe in
      let before = try probe.add([new("Tag"), new("Tag")])
      try probe.store.erase()
      let after = try probe.add("Tag")
      try expect("the key is new", !before.contains(after), is: true)
    },
    "values in another order are stored by name": { probe in
      let names = ["label", "name", "books"]
      let record = DefaultSnapshot(
        persistentIdentifier: .temporary(of: "Shelf"),
        names: PropertyNames(names),
        values: [.string("l"), .string("n"), .null]
      )
      let shelf = try probe.add([record])[0]
      try expect("the name", probe.value("name", of: shelf), is: .string("n"))
      try expect("the label", probe.value("label", of: shelf), is: .string("l"))
    },
    "a list that is saved with duplicates has none": { probe in
      let tags = try probe.add([new("Tag"), new("Tag")])
      let list = [tags[1], tags[0], tags[1]]
      let book = try probe.add("Book", ["tags": .identifiers(list)])
      try expect("the tags", probe.list("tags", of: book), is: [tags[1], tags[0]])
    },
    "a batch that throws stores nothing": { probe in
      let tag = try probe.add("Tag")
      try probe.save(deleting: [tag])
      _ = try? probe.save([new("Shelf")]) {
        $0.inserted.append(new("Book", ["shelf": new("Shelf").reference]))
      }
      try expect("the rows", probe.rows(StoreQuery(entity: "Shelf")).count, is: 0)
    },
    "a batch that throws leaves the next key": { probe in
      let tag = try probe.add("Tag")
      let key = try probe.store.nextKey()
      _ = try? probe.save([new("Tag"), new("Book", ["shelf": new("Shelf").reference])])
      try expect("the next key", probe.store.nextKey(), is: key)
      try expect("the key", probe.add("Tag").integerKey, is: tag.integerKey.map { $0 + 1 })
    },
    "a reader says that a reference to a deleted row is nil": { probe in
      let shelf = try probe.add("Shelf")
      _ = try probe.add("Book", ["shelf": .identifier(shelf)])
      try probe.save(deleting: [shelf])
      let index = ProbeSchema.entity("Book").indexByName["shelf"] ?? 0
      try probe.store.read(StoreQuery(entity: "Book")) { reader in
        try expect("whether the shelf is nil", reader.isNull(at: index), is: true)
      }
    },
    "a reader has the version of the row": { probe in
      let tag = try probe.add("Tag")
      let version = try probe.version(of: tag)
      try probe.store.read(StoreQuery(entity: "Tag")) {
        try expect("the version", $0.version, is: version)
      }
    },
    "related rows of several owners are read with the stored orders": { probe in
      let shelves = try probe.add([new("Shelf"), new("Shelf")])
      let values: [String: StoreValue] = ["shelf": .identifier(shelves[0])]
      let books = try probe.add([new("Book", values), new("Book", values)])
      let order = [books[1], books[0]]
      try probe.save(updating: [update(shelves[0], ["books": .identifiers(order)])])
      guard let key = shelves[0].integerKey else { return }
      let found = try probe.store.members(
        of: "books",
        in: "Shelf",
        owners: shelves,
        wantsRows: true
      ) { _, _ in }
      if case .read(let orders) = found {
        try expect("the stored order", orders[key], is: order.compactMap(\.integerKey))
      }
    },
    "an update without stored properties of a missing row throws": { probe in
      let book = try probe.add("Book")
      try probe.save(deleting: [book])
      try expectError("the update", .conflict) {
        try probe.save(updating: [update(book, [:])])
      }
    },
  ]
}
