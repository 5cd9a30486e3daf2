/// Writes the members that `@Model` adds to a class.
struct MemberExpansion {
  let model: ModelDescription
  /// The superclass, if that is a model.
  let superclass: String?
  /// The source of the class.
  let text: SourceText

  /// - Parameters:
  ///   - model: The class.
  ///   - text: The source of the class.
  ///   - isRoot: Whether the compiler requests the conformance: no superclass has it.
  init(_ model: ModelDescription, in text: SourceText, isRoot: Bool) {
    self.model = model
    self.text = text
    superclass = isRoot ? nil : model.firstInherited
  }

  var source: Source {
    var source = Source()
    if superclass == nil { source.add(state) }
    if model.needsIndex { source.add(indexSource) }
    source.add(superclassCheck)
    source.add(metadataSource)
    if needsInitializer { source.add("init() {}") }
    source.add(initializerSource)
    let count = inheritedCount + model.count.expression
    source.add("\(overridable)class var _$count: ModelLayer._Names.Int { \(count) }")
    source.add(readSource)
    source.add(writeSource)
    return source
  }

  /// The errors of the class as a whole.
  var diagnostics: [Diagnostic] {
    guard !model.hasInitializer else { return [] }
    if superclass != nil {
      return [.noOwnInitializer(model: model.bareName, at: model.nameOffset)]
    }
    return model.properties.first { !$0.hasDefault }.map { property in
      [
        .noInitializer(
          model: model.bareName,
          property: property.bareName,
          at: model.nameOffset
        )
      ]
    } ?? []
  }

  /// Whether the class needs a parameterless initializer.
  ///
  /// Swift gives a class without initializers one; the initializer of the model would suppress it.
  private var needsInitializer: Bool {
    superclass == nil && model.firstInherited != "NSObject" && !model.hasInitializer
      && model.properties.allSatisfy(\.hasDefault)
  }

  private var state: String {
    // An object has one owner at a time, whatever actor its class is isolated to.
    "@exclusivity(unchecked) nonisolated(unsafe) \(model.access.fixed)final var _$state = "
      + "ModelLayer._ModelState()"
  }

  /// The start of a member that subclasses override.
  var overridable: String {
    "nonisolated \(model.access.overridable)\(superclass == nil ? "" : "override ")"
  }

  /// The number of inherited properties and a plus sign; empty for a root.
  private var inheritedCount: String { superclass.map { "\($0)._$count + " } ?? "" }

  private var indexSource: Source {
    var source = Source()
    source.add("private enum _$Index") { source in
      if model.firstInherited != nil { source.add(constant("first", is: inheritedCount + "0")) }
      for block in model.blocks { add(block, to: &source) }
    }
    return source
  }

  private func add(_ block: ModelDescription.Block, to source: inout Source) {
    let name = "block\(block.number)"
    for branch in block.branches {
      source.add(branch.condition)
      source.add(constant(name, is: branch.count.expression))
    }
    if block.branches.last?.condition != "#else" {
      source.add("#else")
      source.add(constant(name, is: "0"))
    }
    source.add("#endif")
  }

  private func constant(_ name: String, is value: String) -> String {
    "nonisolated static var \(name): ModelLayer._Names.Int { \(value) }"
  }
}

extension MemberExpansion {
  private var initializerSource: Source {
    var source = Source()
    let access = model.access.fixed
    source.add("nonisolated \(access)required init(_$row row: ModelLayer.RowReader) throws") {
      source in
      source.add(each: properties) { entry, source in
        let property = entry.property
        let index = property.ephemeralIndex ?? inheritedCount + entry.ordinal.expression
        let isConstantSlot = property.isConstant && !property.isPlain
        let value = isConstantSlot ? "row._constant(row.read(\(index)), at: \(index))" : nil
        source.add("\(property.storage(in: "self")) = try \(value ?? "row.read(\(index))")")
      }
      if superclass != nil { source.add("try super.init(_$row: row)") }
    }
    return source
  }

  private var readSource: Source {
    var source = Source()
    let head =
      "\(overridable)func _$read(_ index: ModelLayer._Names.Int, from row: ModelLayer.RowReader) throws"
    source.add(head) { source in
      let variables = properties.flatMap { $0.property.isConstant ? [] : [$0] }
      addSwitch(over: variables, inherited: "try super._$read(index, from: row)", to: &source) {
        "\($0.storedName) = try row.read(index)"
      }
    }
    return source
  }

  private var writeSource: Source {
    var source = Source()
    let head =
      "\(overridable)func _$write(_ index: ModelLayer._Names.Int, to row: ModelLayer.RowWriter)"
    source.add(head) { source in
      addSwitch(over: properties, inherited: "super._$write(index, to: row)", to: &source) {
        let isConstantSlot = $0.isConstant && !$0.isPlain
        let stored = $0.storage(in: "self")
        let value = isConstantSlot ? "ModelLayer._Slot(\(stored))" : stored
        return "row.write(index, \(value))"
      }
    }
    return source
  }

  private typealias NumberedProperty = (property: ModelProperty, ordinal: Ordinal)

  private var properties: Branching<NumberedProperty> {
    model.entries.flatMap { entry in
      if case .property(let property, let ordinal) = entry { [(property, ordinal)] } else { [] }
    }
  }

  private func addSwitch(
    over numbered: Branching<NumberedProperty>,
    inherited: String,
    to source: inout Source,
    _ statement: (ModelProperty) -> String
  ) {
    let fallback = superclass == nil ? "break" : inherited
    guard !numbered.items.isEmpty else {
      if superclass != nil { source.add(inherited) }
      return
    }
    let position = superclass.map { "index - \($0)._$count" } ?? "index"
    source.add("switch \(position)") { source in
      source.add(each: numbered.flatMap { $0.property.isEphemeral ? [] : [$0] }) { entry, source in
        source.add("case \(entry.ordinal.expression): \(statement(entry.property))")
      }
      // Last, since it takes a search for the name.
      source.add(each: numbered.flatMap { $0.property.isEphemeral ? [$0] : [] }) { entry, source in
        let condition = "ModelLayer._isEphemeral(index, \(entry.property.placeInLayout))"
        source.add("case _ where \(condition): \(statement(entry.property))")
      }
      source.add("default: \(fallback)")
    }
  }
}
