import StoreProtocol

/// Probes of unique values, merged records and versions.
enum ProbesOfUniqueness {
  private static func coded(_ code: String, _ values: [String: StoreValue] = [:]) -> DefaultSnapshot
  {
    new("Book", values.merging(["code": .string(code)]) { $1 })
  }

  static let all: [String: Probe] = [
    "rows exchange unique values": { probe in
      let books = try probe.add([coded("a"), coded("b")])
      try probe.save(updating: [
        update(books[0], ["code": .string("b")]), update(books[1], ["code": .string("a")]),
      ])
      try expect("the code", probe.value("code", of: books[0]), is: .string("b"))
    },
    "a batch that throws late leaves unique values as they were": { probe in
      let book = try probe.add([coded("a")])[0]
      let others = try probe.add([coded("x"), new("Book", ["mark": .string("m")])])
      _ = try? probe.save(
        [new("Book", ["code": .string("x"), "mark": .string("m")])],
        updating: [update(book, ["code": .string("b")])]
      )
      try expect("the row with the code", probe.add([coded("a")]), is: [book])
      let count = try probe.rows(StoreQuery(entity: "Book")).count
      try expect("the rows", count, is: 1 + others.count)
    },
    "unique values that are nil differ": { probe in
      let seats = try probe.add([
        new("Seat", ["row": .integer(1)]), new("Seat", ["row": .integer(1)]),
      ])
      try expect("the seats", Set(seats).count, is: 2)
    },
    "a unique value applies to subentities": { probe in
      let novel = try probe.add("Novel", ["code": .string("a")])
      try expect("the row", probe.add([coded("a")]), is: [novel])
    },
    "unique values of subentities are known after reopening": { probe in
      let novel = try probe.add("Novel", ["code": .string("a")])
      try probe.reopen()
      try expect("the row", probe.add([coded("a")]), is: [novel])
    },
    "a unique reference to a deleted row equals none": { probe in
      let shelf = try probe.add("Shelf")
      let values: [String: StoreValue] = ["shelf": .identifier(shelf), "row": .integer(1)]
      let seat = try probe.add("Seat", values)
      try probe.save(deleting: [shelf])
      let other = try probe.add("Seat", values)
      let third = try probe.add("Seat", values)
      try expect("the seats", Set([seat, other, third]).count, is: 3)
    },
    "a freed unique value is free": { probe in
      let book = try probe.add([coded("a")])[0]
      try probe.save(updating: [update(book, ["code": .string("b")])])
      let other = try probe.add([coded("a")])[0]
      try expect("a row of its own", other != book, is: true)
    },
    "the second constraint finds the row too": { probe in
      let mark = StoreValue.string("m")
      let book = try probe.add("Book", ["code": .string("a"), "mark": mark])
      let record = ["code": StoreValue.string("b"), "mark": mark]
      try expect("the row", probe.add("Book", record), is: book)
    },
    "equal new records throw if records must be new": { probe in
      try expectError("the batch", .uniqueConflict) {
        try probe.save([coded("a"), coded("a")]) { $0.requiresNew = true }
      }
      try expect("the rows", probe.rows(StoreQuery(entity: "Book")).count, is: 0)
    },
    "strings in two normal forms are one unique value in a batch": { probe in
      let books = try probe.add([coded("\u{E9}"), coded("e\u{301}")])
      try expect("the rows", Set(books).count, is: 1)
    },
    "a merged row has the lists of both, its own first": { probe in
      let tags = try probe.add([new("Tag"), new("Tag"), new("Tag")])
      let book = try probe.add([coded("a", ["tags": .identifiers([tags[2], tags[1]])])])[0]
      _ = try probe.add([coded("a", ["tags": .identifiers([tags[0], tags[1]])])])
      try expect("the tags", probe.list("tags", of: book), is: [tags[2], tags[1], tags[0]])
    },
    "a merged row keeps its stored order first": { probe in
      let books = try probe.add([coded("a"), coded("b"), coded("c")])
      func marked(_ sequel: PersistentIdentifier) throws -> PersistentIdentifier {
        try probe.add("Book", ["mark": .string("m"), "sequels": .identifiers([sequel])])
      }
      let first = try marked(books[2])
      _ = try marked(books[0])
      try expect("the sequels", probe.list("sequels", of: first), is: [books[2], books[0]])
    },
    "a merged row has the lists of both after one lost a row": { probe in
      let tags = try probe.add([new("Tag"), new("Tag"), new("Tag"), new("Tag")])
      let book = try probe.add([coded("a", ["tags": .identifiers(Array(tags[..<3]))])])[0]
      try probe.save(deleting: [tags[0]])
      _ = try probe.add([coded("a", ["tags": .identifiers([tags[3]])])])
      try expect("the tags", probe.list("tags", of: book), is: [tags[1], tags[2], tags[3]])
    },
    "a merged row has the record's nil": { probe in
      let book = try probe.add([coded("a", ["pages": .integer(1)])])[0]
      _ = try probe.add([coded("a")])
      try expect("the pages", probe.value("pages", of: book), is: .null)
    },
    "a merged row has the save's number": { probe in
      let book = try probe.add([coded("a")])[0]
      let result = try probe.save([coded("a", ["pages": .integer(2)])])
      try expect("the version", probe.version(of: book), is: result.version)
    },
    "of two records in a batch the later wins": { probe in
      let shelf = new("Shelf")
      let first = coded("a", ["shelf": shelf.reference])
      let result = try probe.save([first, coded("a"), shelf])
      let book = try probe.identifier(of: first, result)
      try expect("the shelf", probe.value("shelf", of: book), is: .null)
    },
    "a merge frees the former counterpart": { probe in
      let (book, cover) = (coded("a"), new("Cover"))
      var (one, other) = (book, cover)
      one["cover"] = cover.reference
      other["book"] = book.reference
      let rows = try probe.add([one, other])
      _ = try probe.add([coded("a")])
      try expect("the book's cover", probe.value("cover", of: rows[0]), is: .null)
      try expect("the cover's book", probe.value("book", of: rows[1]), is: .null)
    },
    "a merge frees a counterpart of the same batch": { probe in
      let (book, cover) = (coded("a"), new("Cover"))
      var (one, other) = (book, cover)
      one["cover"] = cover.reference
      other["book"] = book.reference
      let result = try probe.save([one, other, coded("a")])
      let row = try probe.identifier(of: cover, result)
      try expect("the cover's book", probe.value("book", of: row), is: .null)
    },
    "an expected version of a deleted row is a conflict": { probe in
      let books = try probe.add([coded("a"), coded("b")])
      let version = try probe.version(of: books[0])
      try probe.save(deleting: [books[0]])
      try expectError("the batch", .conflict) {
        try probe.save(updating: [update(books[1], ["pages": .integer(1)])], deleting: [books[0]]) {
          $0.expectedVersions[books[0]] = version
        }
      }
    },
    "a save cannot relate a row to a missing one by a protected relationship": { probe in
      let shelf = try probe.add("Shelf")
      let book = try probe.add([coded("a")])[0]
      try probe.save(deleting: [shelf])
      try expectError("the batch", .conflict) {
        try probe.save(updating: [update(book, ["shelf": .identifier(shelf)])]) {
          $0.protectedReferences = [StoreReference("shelf", of: "Book")]
        }
      }
    },
    "a deletion that takes a protected relationship away is a conflict": { probe in
      let shelf = try probe.add("Shelf")
      _ = try probe.add("Novel", ["shelf": .identifier(shelf)])
      try expectError("the batch", .conflict) {
        try probe.save(deleting: [shelf]) {
          $0.protectedReferences = [StoreReference("shelf", of: "Book")]
        }
      }
    },
    "the result names rows whose references are lost": { probe in
      let (shelf, tag) = (try probe.add("Shelf"), try probe.add("Tag"))
      let books = try probe.add([coded("a"), coded("b")])
      try probe.save(deleting: [shelf, tag])
      let result = try probe.save(updating: [
        update(books[0], ["shelf": .identifier(shelf)]),
        update(books[1], ["tags": .identifiers([tag])]),
      ])
      try expect("the rows", Set(result.changedByStore), is: Set(books))
    },
    "the unique value of a deleted row is free": { probe in
      let book = try probe.add([coded("a")])[0]
      try probe.save(deleting: [book])
      let other = try probe.add([coded("a")])[0]
      try expect("the rows", probe.rows(StoreQuery(entity: "Book")), is: [other])
    },
    "an update to another row's unique value throws": { probe in
      let books = try probe.add([coded("a"), coded("b")])
      try expectError("the update", .uniqueConflict) {
        try probe.save(updating: [update(books[1], ["code": .string("a")])])
      }
    },
    "only rows that lose references are named": { probe in
      let shelf = try probe.add("Shelf")
      let books = try probe.add([coded("a"), coded("b")])
      try probe.save(deleting: [shelf])
      let result = try probe.save(updating: [
        update(books[0], ["shelf": .identifier(shelf)]), update(books[1], ["pages": .integer(1)]),
      ])
      try expect("the rows", result.changedByStore, is: [books[0]])
    },
    "a merge cannot take a required reference away": { probe in
      let (book, ticket) = (coded("a"), new("Ticket"))
      var (one, other) = (book, ticket)
      one["ticket"] = ticket.reference
      other["book"] = book.reference
      let rows = try probe.add([one, other])
      try expectError("the merge", .uniqueConflict) { _ = try probe.add([coded("a")]) }
      try expect("the book", probe.value("book", of: rows[1]), is: .identifier(rows[0]))
    },
    "a merge is the cause even if the batch set the reference": { probe in
      let (book, cover) = (coded("b"), new("Cover"))
      var (one, other) = (book, cover)
      one["cover"] = cover.reference
      other["book"] = book.reference
      let rows = try probe.add([coded("a"), one, other])
      try probe.save(
        [coded("a")],
        updating: [
          update(rows[0], ["cover": .identifier(rows[2])]), update(rows[1], ["cover": .null]),
          update(rows[2], ["book": .identifier(rows[0])]),
        ]
      )
      try expect("the book", probe.value("book", of: rows[2]), is: .null)
      try expect("the cause", probe.lastChange(of: rows[2])?.cause, is: .merge)
    },
    "a record that must be new throws": { probe in
      _ = try probe.add([coded("a")])
      try expectError("the batch", .uniqueConflict) {
        try probe.save([coded("a")]) { $0.requiresNew = true }
      }
    },
    "an outdated deletion is a conflict": { probe in
      let book = try probe.add([coded("a")])[0]
      let version = try probe.version(of: book)
      try probe.save(updating: [update(book, ["pages": .integer(1)])])
      try expectError("the deletion", .conflict) {
        try probe.save(deleting: [book]) { $0.expectedVersions[book] = version }
      }
    },
    "a version that no save made is a conflict": { probe in
      let book = try probe.add([coded("a")])[0]
      let version = try probe.version(of: book)
      try expectError("the update", .conflict) {
        try probe.save(updating: [update(book, ["pages": .integer(1)])]) {
          $0.expectedVersions[book] = version + 1
        }
      }
    },
    "a batch reuses a unique value that it frees": { probe in
      let book = try probe.add([coded("a")])[0]
      let record = coded("a")
      let result = try probe.save([record], updating: [update(book, ["code": .string("b")])])
      try expect("a row of its own", probe.identifier(of: record, result) != book, is: true)
    },
    "a merged row has the list that the batch gave it": { probe in
      let tags = try probe.add([new("Tag"), new("Tag")])
      let book = try probe.add([coded("a")])[0]
      try probe.save(
        [coded("a", ["tags": .identifiers([tags[1]])])],
        updating: [update(book, ["tags": .identifiers([tags[0]])])]
      )
      try expect("the tags", probe.list("tags", of: book), is: tags)
    },
    "a merged row without an order has the record's": { probe in
      let shelf = try probe.add("Shelf", ["label": .string("l")])
      let values: [String: StoreValue] = ["shelf": .identifier(shelf)]
      let books = try probe.add([new("Book", values), new("Book", values)])
      let order = StoreValue.identifiers([books[1], books[0]])
      _ = try probe.add("Shelf", ["label": .string("l"), "books": order])
      try expect("the books", probe.list("books", of: shelf), is: [books[1], books[0]])
    },
    "a merged row's stored order precedes the record's": { probe in
      let shelf = try probe.add("Shelf", ["label": .string("l")])
      let values: [String: StoreValue] = ["shelf": .identifier(shelf)]
      let books = try probe.add([new("Book", values), new("Book", values), new("Book", values)])
      try probe.save(updating: [update(shelf, ["books": .identifiers([books[2]])])])
      let order = StoreValue.identifiers([books[1]])
      _ = try probe.add("Shelf", ["label": .string("l"), "books": order])
      try expect("the books", probe.list("books", of: shelf), is: [books[2], books[1], books[0]])
    },
    "the later of two updates of a unique value counts": { probe in
      let book = try probe.add([coded("a")])[0]
      try probe.save(updating: [
        update(book, ["code": .string("x")]), update(book, ["code": .string("y")]),
      ])
      try expect("the code", probe.value("code", of: book), is: .string("y"))
    },
    "only the last update of a unique value counts": { probe in
      let books = try probe.add([coded("a"), coded("b")])
      try probe.save(updating: [
        update(books[1], ["code": .string("a")]), update(books[1], ["code": .string("c")]),
      ])
      try expect("the code", probe.value("code", of: books[1]), is: .string("c"))
    },
    "strings in two normal forms are one unique value": { probe in
      let book = try probe.add([coded("e\u{301}")])[0]
      try expect("the row", probe.add([coded("\u{E9}")])[0], is: book)
    },
    "a string in another normal form is found after others": { probe in
      _ = try probe.add([coded("e\u{301}")])
      let books = try probe.add([coded("u\u{308}"), coded("\u{FC}")])
      try expect("the rows", Set(books).count, is: 1)
    },
    "the result names merged records": { probe in
      _ = try probe.add([coded("a")])
      let record = coded("a")
      let result = try probe.save([record, coded("b")])
      try expect("the records", result.merged, is: [record.persistentIdentifier])
    },
    "a merged record uses no key": { probe in
      let book = try probe.add([coded("a")])[0]
      _ = try probe.add([coded("a")])
      let other = try probe.add([coded("b")])[0]
      try expect("the key", other.integerKey, is: book.integerKey.map { $0 + 1 })
    },
  ]
}
