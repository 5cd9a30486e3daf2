/// Writes the members that `@Model` adds to a class.
struct MemberExpansion {
  let model: ModelDescription
  /// The superclass, when that is a model.
  let superclass: String?

  /// - Parameter isRoot: Whether the compiler asks for the conformance: no superclass has it.
  init(_ model: ModelDescription, isRoot: Bool) {
    self.model = model
    superclass = isRoot ? nil : model.firstInherited
  }

  var source: Source {
    var source = Source()
    if superclass == nil { source.add(state) }
    if model.needsIndex { addIndex(to: &source) }
    addMetadata(to: &source)
    addInitializer(to: &source)
    addCount(to: &source)
    addRead(to: &source)
    addWrite(to: &source)
    return source
  }

  private var state: String {
    "@exclusivity(unchecked) nonisolated(unsafe) \(model.access.fixed)final var _$state = "
      + "ModelLayer._ModelState()"
  }

  /// The start of a member that subclasses override.
  private var overridable: String {
    "nonisolated \(model.access.overridable)\(superclass == nil ? "" : "override ")"
  }

  /// The number of inherited properties and a plus sign; nothing for a root.
  private var inheritedCount: String { superclass.map { "\($0)._$count + " } ?? "" }

  private func addIndex(to source: inout Source) {
    source.add("private enum _$Index") { source in
      if model.firstInherited != nil {
        let first = superclass.map { "\($0)._$count" } ?? "0"
        source.add("nonisolated static var first: Swift.Int { \(first) }")
      }
      for block in model.blocks {
        for branch in block.branches {
          source.add(branch.condition)
          source.add(
            "nonisolated static var block\(block.number): Swift.Int { \(branch.count.expression) }"
          )
        }
        if block.branches.last?.condition != "#else" {
          source.add("#else")
          source.add("nonisolated static var block\(block.number): Swift.Int { 0 }")
        }
        source.add("#endif")
      }
    }
  }

  private func addInitializer(to source: inout Source) {
    let head = "nonisolated \(model.access.fixed)required init(_$row row: ModelLayer.RowReader) throws"
    source.add(head) { source in
      source.add(each: properties) { entry, source in
        source.add("\(entry.property.peerName) = try row.read(\(entry.index))")
      }
      if superclass != nil { source.add("try super.init(_$row: row)") }
    }
  }

  private func addCount(to source: inout Source) {
    let count = inheritedCount + model.count.expression
    source.add("\(overridable)class var _$count: Swift.Int { \(count) }")
  }

  private func addRead(to source: inout Source) {
    let head = "\(overridable)func _$read(_ index: Swift.Int, from row: ModelLayer.RowReader) throws"
    source.add(head) { source in
      let fallback = superclass == nil ? "break" : "try super._$read(index, from: row)"
      addSwitch(to: &source, fallback: fallback) { property in
        "\(property.peerName) = try row.read(index)"
      }
    }
  }

  private func addWrite(to source: inout Source) {
    let head = "\(overridable)func _$write(_ index: Swift.Int, to row: ModelLayer.RowWriter)"
    source.add(head) { source in
      let fallback = superclass == nil ? "break" : "super._$write(index, to: row)"
      addSwitch(to: &source, fallback: fallback) { property in
        "row.write(index, \(property.peerName))"
      }
    }
  }

  private func addSwitch(
    to source: inout Source,
    fallback: String,
    _ statement: (ModelProperty) -> String
  ) {
    source.add("switch index\(superclass.map { " - \($0)._$count" } ?? "")") { source in
      source.add(each: properties) { entry, source in
        source.add("case \(entry.ordinal.expression): \(statement(entry.property))")
      }
      source.add("default: \(fallback)")
    }
  }

  private var properties: Branching<(property: ModelProperty, ordinal: Ordinal, index: String)> {
    model.entries.compactMap { entry in
      guard case .property(let property, let ordinal) = entry else { return nil }
      return (property, ordinal, inheritedCount + ordinal.expression)
    }
  }
}
