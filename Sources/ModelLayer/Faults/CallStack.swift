/// A place in source code, as far as it can be told.
struct SourceSite {
  var file: String?
  var line: Int?
  var function: String?
}

/// Tells functions of a program from those between it and a fault.
enum StackFrames {
  /// Whether a function, by its mangled name, is the engine's or the standard library's.
  static func isEngine(_ name: String) -> Bool {
    // Extensions of a protocol have the name of the module that extends it behind the protocol.
    let engine = ["10ModelLayer", "13StoreProtocol"]
    if name.hasPrefix("$s13StoreProtocol15PersistentModelP") {
      let rest = name.dropFirst("$s13StoreProtocol15PersistentModelP".count)
      return rest.hasPrefix("AA") || engine.contains { rest.hasPrefix($0) }
    }
    if name.hasPrefix("$sS") {
      let rest = name.dropFirst(4)
      return rest.first?.isNumber != true || engine.contains { rest.hasPrefix($0) }
    }
    return name.hasPrefix("$ss") || name.hasPrefix("swift_")
      || engine.contains { name.hasPrefix("$s" + $0) }
  }

  /// Whether a function is the accessor that the macro wrote for a property.
  static func isAccessor(_ name: String, of property: String) -> Bool {
    ["getter", "setter", "modify"].contains { name.hasSuffix(".\(property).\($0)") }
  }
}
