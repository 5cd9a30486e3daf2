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
  ]
}
