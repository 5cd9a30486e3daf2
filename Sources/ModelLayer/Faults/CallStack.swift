/// A place in source code, as far as it can be told.
struct SourceSite: Sendable {
  var file: String?
  var line: Int?
  var function: String?
}

extension CallStack: Hashable {
  static func == (lhs: CallStack, rhs: CallStack) -> Bool { lhs.addresses == rhs.addresses }

  func hash(into hasher: inout Hasher) { hasher.combine(addresses) }
}

/// Tells functions of a program from those between it and a fault.
enum StackFrames {
  // What names of the engine's functions begin with. In an extension of a protocol the module's name
  // stands behind the protocol's, and a word that the name had already is shortened.
  private static let engine = ["10ModelLayer", "13StoreProtocol"]
  private static let protocolName = "$s13StoreProtocol15PersistentModelP"
  private static let extending = ["AA", "0D5Layer", "10ModelLayer"]

  /// Whether a function, by its mangled name, is the engine's or the standard library's.
  static func isEngine(_ name: String) -> Bool {
    if name.hasPrefix(protocolName) {
      let rest = name.dropFirst(protocolName.count)
      return extending.contains { rest.hasPrefix($0) }
    }
    // Extensions of the standard library's types, by the library itself where no name follows.
    if name.hasPrefix("$sS") {
      let rest = name.dropFirst(4)
      return rest.first?.isNumber != true || engine.contains { rest.hasPrefix($0) }
    }
    return name.hasPrefix("$ss") || name.hasPrefix("swift_") || name.hasSuffix("TK")
      || engine.contains { name.hasPrefix("$s" + $0) }
  }

  /// Whether a source file is the engine's, or was written by the compiler or a macro.
  static func isEngineSource(_ path: String) -> Bool {
    path.contains("/Sources/ModelLayer/") || path.contains("/Sources/StoreProtocol/")
      || path.contains("@__swiftmacro") || path.hasSuffix("<compiler-generated>")
  }

  /// Whether a function is the accessor that the macro wrote for a property.
  static func isAccessor(_ name: String, of property: String) -> Bool {
    ["getter", "setter", "modify"].contains { name.hasSuffix(".\(property).\($0)") }
  }
}
