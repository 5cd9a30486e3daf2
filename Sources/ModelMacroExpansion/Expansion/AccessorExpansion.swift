/// Writes the accessors of a persisted property.
struct AccessorExpansion {
  let property: ModelProperty
  /// The index of the property, as an expression.
  let index: String
  /// The name of the class.
  ///
  /// A key path through `Self` would trap when it is formed in an autoclosure, since the runtime
  /// cannot read its pattern there (Swift 6.3).
  let type: String
  /// Whether the storage starts with the initial value, so that no initializer sets it.
  ///
  /// The time of the compiler's check of initializers grows with the cube of the number of init
  /// accessors.
  let startsWithValue: Bool

  var source: Source {
    var source = Source()
    if !startsWithValue {
      source.add("@storageRestrictions(initializes: \(stored))")
      source.add("init(initialValue)") { source in
        source.add("\(stored) = \(property.stored("initialValue"))")
      }
    }
    source.add("get") { addRead(to: &$0) }
    guard !property.isLet else { return source }
    source.add("set") { source in
      if property.observers.isEmpty { addWrite(to: &source) } else { addObserved(to: &source) }
    }
    // Without it, each edit in place would copy the whole array.
    if property.mayBeArray, property.observers.isEmpty {
      source.add("_modify") { addEdit(to: &$0) }
    }
    return source
  }

  private var stored: String { property.storedName }
  private var path: String { "\\\(type).\(property.name)" }

  private func addRead(to source: inout Source) {
    addPreparation(to: &source)
    source.add("return \(property.isPlain ? stored : "_$value(of: \(stored), \(index))")")
  }

  private func addPreparation(to source: inout Source) {
    let needsCare =
      property.isPlain
      ? "_$state.readsNeedCare" : "_$state.slotReadsNeedCare || \(stored).isFault"
    source.add("if \(needsCare) { _$willRead(\(index), \(path)) }")
  }

  /// Adds an edit in place of an array, which is the only reference to its elements meanwhile.
  private func addEdit(to source: inout Source) {
    addPreparation(to: &source)
    source.add("_$willSet(\(index), \(path))")
    source.add("var _$lent = _$value(of: \(stored), \(index))")
    source.add("\(stored) = _$lend(_$lent, \(index))")
    source.add("defer") { source in
      source.add("_$willReturn(\(index))")
      source.add("var _$old = \(stored)")
      source.add("\(stored) = ModelLayer._Slot(_$lent)")
      source.add("_$didEdit(\(index), \(path), from: &_$old, to: \(stored))")
    }
    source.add("yield &_$lent")
  }

  private func addWrite(to source: inout Source) {
    if property.isPlain {
      source.add("if _$state.writesAreFree(\(index))") { source in
        source.add("\(stored) = newValue")
        source.add("return")
      }
    }
    addTrackedWrite(to: &source)
  }

  private func addTrackedWrite(to source: inout Source) {
    source.add("_$willSet(\(index), \(path))")
    if property.isPlain {
      source.add("\(stored) = newValue")
      source.add("_$didSet(\(index), \(path))")
    } else {
      source.add("let _$old = \(stored)")
      source.add("\(stored) = ModelLayer._Slot(newValue)")
      source.add("_$didSet(\(index), \(path), from: _$old, to: \(stored))")
    }
  }
}

extension AccessorExpansion {
  /// Adds a setter that runs the observers, since the compiler drops those of a property with
  /// accessors.
  private func addObserved(to source: inout Source) {
    let flag = property.flagName
    source.add("func _$assign()") { addWrite(to: &$0) }
    source.add("if \(flag)") { source in
      source.add("_$assign()")
      source.add("return")
    }
    source.add("\(flag) = true")
    source.add("defer { \(flag) = false }")
    let observers = property.observers
    let old = observers.first { $0.kind == "didSet" && $0.usesValue }
    if old != nil { source.add("let _$oldValue = \(property.name)") }
    for observer in observers where observer.kind == "willSet" {
      add(observer, value: "newValue", to: &source)
    }
    source.add("_$assign()")
    for observer in observers where observer.kind == "didSet" {
      add(observer, value: "_$oldValue", to: &source)
    }
  }

  /// Adds an observer as a nested function, which keeps its `return` and its names local.
  private func add(_ observer: PropertyObserver, value: String, to source: inout Source) {
    source.add("func _$run_\(observer.kind)()") { source in
      if observer.usesValue, observer.valueName != value {
        source.add("let \(observer.valueName) = \(value)")
      }
      // The body's own lines keep their columns: they may contain a multiline string.
      source.add(observer.body)
    }
    source.add("_$run_\(observer.kind)()")
  }
}
