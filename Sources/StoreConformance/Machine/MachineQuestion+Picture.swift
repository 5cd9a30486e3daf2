import Foundation
import StoreProtocol

extension MachineQuestion {
  /// Returns requests that together show all rows, lists and transactions.
  static func picture(_ model: ContractModel, _ names: MachineNames) -> [MachineQuestion] {
    let schema = model.schema
    var questions: [MachineQuestion] = []
    for entity in schema.entities {
      if entity.superentity == nil {
        questions += [fetched(entity, schema), read(entity), sourced(entity, model, names)]
      }
      questions += [identifiers(entity), count(entity)]
      let above = entity.superentity.flatMap(schema.entity(named:))
      for property in entity.properties where property.isToMany {
        guard above?.property(named: property.name) == nil else { continue }
        let owners = owners(model.numbers(of: entity.name), named: entity.name, names)
        questions.append(members(property, entity, owners))
        if property.isDerivedToMany { questions.append(memberRows(property, entity, owners)) }
      }
    }
    return questions + [selected, transactions(StoreHistoryQuery())]
  }

  private static func fetched(_ entity: StoreEntity, _ schema: StoreSchema) -> MachineQuestion {
    MachineQuestion(
      "the rows of \(entity.name)",
      "LIFE-009, ATOM-003, VALUE-002, REL-001, DELETE-002, UNIQUE-001, IDENT-015",
      expected: { model in model.numbers(of: entity.name).map { model.text($0) } },
      found: { store in
        let records = try store.fetch(StoreQuery(entity: entity.name))
        let rows = try records.map { try MachineRow($0, schema) }
        return { names in rows.map { $0.text(names) } }
      }
    )
  }

  private static func read(_ entity: StoreEntity) -> MachineQuestion {
    MachineQuestion(
      "the rows of \(entity.name), one by one",
      "VALUE-006, ATOM-013",
      expected: { model in
        model.numbers(of: entity.name).map { model.text($0, without: \.isToMany) }
      },
      found: { store in
        var query = StoreQuery(entity: entity.name)
        // Stores may leave out values that no query names.
        query.properties = store.schema.storeSchema.family(of: entity.name)
          .flatMap(\.properties).filter { !$0.isToMany }.map(\.name)
        var rows: [MachineRow] = []
        try store.read(query) { rows.append(try MachineRow($0)) }
        return { names in rows.map { $0.text(names) } }
      }
    )
  }

  /// Asks for each row by its key, if the store reads rows that way.
  private static func sourced(
    _ entity: StoreEntity,
    _ model: ContractModel,
    _ names: MachineNames
  ) -> MachineQuestion {
    let known = names.identifiers.filter {
      model.schema.isEntity($0.value.entityName, kindOf: entity.name)
    }
    let missing = PersistentIdentifier(.integer(.max), of: entity.name, in: names.store)
    let asked = known.sorted { $0.key < $1.key }.map(\.value) + [missing]
    return MachineQuestion(
      "the rows of \(entity.name) by identity",
      "DIRECT-001, DIRECT-002, QUERY-003",
      expected: { model in
        model.numbers(of: entity.name).filter { known[$0] != nil }
          .map { model.text($0) { $0.isToMany || $0.isExternal } }
      },
      found: { store in
        var rows: [MachineRow] = []
        for row in asked {
          try store.read(.row(row, of: entity.name)) {
            rows.append(try MachineRow($0, withExternal: false))
          }
        }
        return { names in
          rows.sorted { $0.identifier < $1.identifier }.map { $0.text(names) }
        }
      }
    )
  }

  private static func identifiers(_ entity: StoreEntity) -> MachineQuestion {
    MachineQuestion(
      "the identifiers of \(entity.name)",
      "QUERY-001, IDENT-011, ATOM-013",
      expected: { model in
        model.numbers(of: entity.name).compactMap { model.rows[$0]?.identifier.description }
      },
      found: { store in
        let found = try store.identifiers(StoreQuery(entity: entity.name))
        return { names in found.map { names.inNumbers($0).description } }
      }
    )
  }

  private static func count(_ entity: StoreEntity) -> MachineQuestion {
    MachineQuestion(
      "the number of rows of \(entity.name) alone",
      "QUERY-002, ATOM-013",
      expected: { model in
        ["\(model.numbers(of: entity.name, withSubentities: false).count)"]
      },
      found: { store in
        let query = StoreQuery(entity: entity.name, includesSubentities: false)
        let count = try store.count(query)
        return { _ in ["\(count)"] }
      }
    )
  }

  /// A row whose lists are requested, and its identifier in the store.
  typealias Owner = (number: Int64, identifier: PersistentIdentifier)

  /// Returns rows under the name of an entity.
  static func owners(_ numbers: [Int64], named entity: String, _ names: MachineNames) -> [Owner] {
    numbers.compactMap { number in
      names.own(DifferentialRow.identifier(number, entity)).map { (number, $0) }
    }
  }

  /// Asks for the lists of some owners.
  static func members(
    _ property: StoreProperty,
    _ entity: StoreEntity,
    _ owners: [Owner]
  ) -> MachineQuestion {
    MachineQuestion(
      "the related rows of \(entity.name).\(property.name)",
      "REL-003, REL-005, REL-006, REL-009, REL-011, REL-014, DELETE-003, DELETE-004, UNIQUE-026",
      expected: { model in lists(property, of: owners, model) },
      found: { store in
        let found = try store.members(
          of: property.name,
          in: entity.name,
          owners: owners.map(\.identifier)
        )
        return { names in
          owners.compactMap { owner in
            found[owner.identifier].map {
              "\(owner.number): \(MachineText.list($0.map(names.inNumbers)))"
            }
          }
        }
      }
    )
  }

  /// Returns the lists of the owners that exist.
  private static func lists(
    _ property: StoreProperty,
    of owners: [Owner],
    _ model: ContractModel
  ) -> [String] {
    owners.map(\.number).filter { model.rows[$0] != nil }
      .map { "\($0): \(MachineText.list(model.members(property, of: $0)))" }
  }

  /// Asks for the rows of lists, if the store reads related objects that way.
  static func memberRows(
    _ property: StoreProperty,
    _ entity: StoreEntity,
    _ owners: [Owner]
  ) -> MachineQuestion {
    let keys = owners.compactMap(\.identifier.integerKey)
    return MachineQuestion(
      "the rows of \(entity.name).\(property.name) with their owners",
      "DIRECT-004",
      expected: { model in lists(property, of: owners, model) },
      found: { store in
        var members: [Int64: [PersistentIdentifier]] = [:]
        var shown: Set<String> = []
        let found = try store.members(
          of: property.name,
          in: entity.name,
          owners: owners.map(\.identifier),
          wantsRows: true
        ) { owner, reader in
          members[owner, default: []].append(reader.identifier)
          shown.insert(try MachineRow(reader, withExternal: false).text)
        }
        guard case .read(let orders) = found, keys.count == owners.count else {
          return try Self.members(property, entity, owners).found(store)
        }
        var stored: Set<String> = []
        let rows = members.values.flatMap(\.self)
        try store.read(.rows(rows, of: property.relationship?.destination ?? "")) {
          stored.insert(try MachineRow($0, withExternal: false).text)
        }
        try expect("the values of rows with their owners (DIRECT-004)", shown, equals: stored)
        let present = Set(try store.identifiers(StoreQuery(entity: entity.name)).map(\.key))
        return { names in
          zip(owners, keys).filter { present.contains(.integer($0.1)) }.map { owner, key in
            let rows = members[key] ?? []
            let list = (orders[key] ?? []).compactMap { one in
              rows.first { $0.integerKey == one }
            }
            let ordered = MemberOrder.ordered(rows, by: list)
            return "\(owner.number): \(MachineText.list(ordered.map(names.inNumbers)))"
          }
        }
      }
    )
  }

  /// The number of items and the sum of their counts, by note.
  private static var selected: MachineQuestion {
    selected(
      StoreSelection(
        StoreQuery(entity: "Item"),
        groups: [.row("note")],
        columns: [.key(0), .count, .aggregate(.sum, .row("count"), .int64)]
      )
    )
  }

  /// Asks for a selection.
  static func selected(_ selection: StoreSelection) -> MachineQuestion {
    MachineQuestion(
      "the selection \(SwiftSource.text(selection))",
      "SELECT-002, SELECT-003, SELECT-006, SELECT-012",
      expected: { model in try ReferenceRows(model).evaluate(selection).map(text) },
      found: { store in
        var rows: [[StoreValue]] = []
        try store.select(selection) { rows.append($0) }
        return { names in
          rows.map { row in text(row.map { $0.replacingIdentifiers(names.inNumbers) }) }
        }
      }
    )
  }

  private static func text(_ row: [StoreValue]) -> String {
    SwiftSource.list(row.map(SwiftSource.text))
  }

  /// Asks for transactions; a store without a history has none, like its model.
  static func transactions(_ query: StoreHistoryQuery) -> MachineQuestion {
    MachineQuestion(
      "the transactions of \(ValueText.text(query))",
      "HIST-001, HIST-002, HIST-005, HIST-007, HIST-008, HIST-009, HIST-012, HIST-015, HIST-021, HIST-022",
      expected: { model in
        query.evaluate(over: model.history.transactions).flatMap { transaction in
          [line(transaction.number, transaction.author, transaction.save)]
            + transaction.changes.map(\.text).sorted()
        }
      },
      found: { store in
        guard let store = store as? any HistoryKeeping, MachinePlayer.hasHistory(store) else {
          return { _ in [] }
        }
        let found = try store.transactions(query)
        return { names in
          found.flatMap { transaction in
            [line(transaction.number, transaction.author, transaction.saveIdentifier)]
              + transaction.changes.map { text($0, names) }.sorted()
          }
        }
      }
    )
  }

  private static func line(_ number: Int64, _ author: String?, _ save: UUID) -> String {
    "save \(number) by \(author ?? "no author") as \(save)"
  }

  private static func text(_ change: StoreChange, _ names: MachineNames) -> String {
    ContractHistory.Change(
      kind: change.kind,
      row: names.inNumbers(change.identifier),
      properties: change.properties,
      cause: change.cause,
      cleared: change.clearedProperties,
      kept: change.kind == .delete ? change.before["kept"] ?? .null : .null
    ).text
  }
}
