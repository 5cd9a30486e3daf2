import StoreProtocol

extension StoreChanges {
  /// Returns the changes with values that a producer writes, as the objects of a context do.
  func produced(_ schema: StoreSchema, in store: String) throws -> StoreChanges {
    func produced(_ run: RowRun, _ values: [[StoreValue]]) throws -> RowRun {
      let entity = try schema.requiredEntity(run.entityName)
      let properties = run.properties.isEmpty ? Array(entity.properties.indices) : run.properties
      return RowRun(
        run.identifiers,
        changing: run.properties,
        of: entity,
        in: store,
        from: ProducedRows(values: values, properties: properties)
      )
    }
    var changes = self
    changes.insertions = try insertions.map { run in
      let entity = try schema.requiredEntity(run.entityName)
      let values = run.records.map { record in
        entity.properties.map { record[$0.name] ?? .null }
      }
      return try produced(run, values)
    }
    changes.updates = try updates.map { run in
      try produced(run, run.updates.map { $0.changes.map(\.value) })
    }
    return changes
  }
}

/// A producer of values of some properties, each of which it writes by the method of its type.
private struct ProducedRows: RowProducer {
  let values: [[StoreValue]]
  let properties: [Int]

  func write(_ position: Int, to writer: RowWriter) {
    for (index, value) in zip(properties, values[position]) {
      switch value {
      case .string(let text): writer.write(text, at: index)
      case .integer(let number): writer.write(number, at: index)
      case .double(let number): writer.write(number, at: index)
      case .date(let date): writer.write(date, at: index)
      case .bool(let isTrue): writer.write(isTrue, at: index)
      case .identifier(let one): writer.write(reference: one.key, at: index)
      case .identifiers(let list): writer.write(references: list.map(\.key), at: index)
      default: writer.write(value, at: index)
      }
    }
  }
}
