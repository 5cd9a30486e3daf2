/// Writes the accessors of a persisted property.
struct AccessorExpansion {
  let property: ModelProperty
  /// The place of the property, as an expression.
  let index: String

  var source: Source {
    var source = Source()
    addInitAccessor(to: &source)
    addGetter(to: &source)
    if !property.isLet { addSetter(to: &source) }
    return source
  }

  private var peer: String { property.peerName }
  private var path: String { "\\Self.\(property.name)" }

  private var isPlain: Bool {
    if case .plain = property.storage { true } else { false }
  }

  private func addInitAccessor(to source: inout Source) {
    source.add("@storageRestrictions(initializes: \(peer))")
    source.add("init(initialValue)") { source in
      source.add("\(peer) = \(isPlain ? "initialValue" : "ModelLayer._Slot(initialValue)")")
    }
  }

  private func addGetter(to source: inout Source) {
    source.add("get") { source in
      let fault = isPlain ? "" : " || \(peer).isFault"
      source.add("if _$state.readsNeedCare\(fault) { _$willRead(\(index), \(path)) }")
      source.add("return \(isPlain ? peer : "_$value(of: \(peer), \(index))")")
    }
  }

  private func addSetter(to source: inout Source) {
    source.add("set") { source in
      if isPlain {
        source.add("if _$state.writesAreFree(\(index)) {")
        source.add("  \(peer) = newValue")
        source.add("  return")
        source.add("}")
        source.add("_$willSet(\(index), \(path))")
        source.add("\(peer) = newValue")
        source.add("_$didSet(\(index), \(path))")
      } else {
        source.add("_$willSet(\(index), \(path))")
        source.add("let _$old = \(peer)")
        source.add("\(peer) = ModelLayer._Slot(newValue)")
        source.add("_$didSet(\(index), \(path), from: _$old, to: \(peer))")
      }
    }
  }
}
