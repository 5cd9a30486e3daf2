/// A persisted property.
struct ModelProperty {
  /// The name as written, backticks included.
  var name: String
  var type: String?
  var initialValue: InitialValue?
  var storage: Storage
  var isLet: Bool
  var observers: [PropertyObserver]
  /// The schema expression that its `@Attribute` or `@Relationship` asks for.
  var metadata: String?
  var isDeprecated: Bool
  /// The global actor that the property itself is bound to, as written.
  var globalActor: String?
  /// The offset of its declaration, attributes included.
  var declarationOffset: Int

  /// The name without backticks.
  var bareName: String { Self.bare(name) }

  /// Whether the property keeps its value itself: a `let` that the initializer assigns.
  ///
  /// A `let` with an initial value cannot be assigned anything else, so it gets accessors, as SwiftData's
  /// does; the compiler accepts these in the Swift 5 language mode.
  var isConstant: Bool { isLet && initialValue == nil }

  /// The stored property that holds the value: another one, but for a constant.
  var storedName: String { isConstant ? name : Self.quoted("_" + bareName) }

  /// The stored property where a parameter may have its name.
  func storage(in object: String) -> String {
    isConstant ? "\(object).\(storedName)" : storedName
  }

  /// The flag that is set while the observers run.
  var flagName: String { Self.quoted("_$isObserving_" + bareName) }

  var isPlain: Bool {
    if case .plain = storage { true } else { false }
  }

  /// Whether an object can be made without saying what the value is.
  var hasDefault: Bool {
    initialValue != nil || (!isLet && type.map(TypeName.isSugaredOptional) == true)
  }

  static func bare(_ name: String) -> String { name.filter { $0 != "`" } }

  /// The name in backticks if it could not stand without them.
  private static func quoted(_ name: String) -> String {
    let isWord = name.utf8.allSatisfy { Byte.continuesWord($0) || $0 == Byte.dollar }
    return isWord ? name : "`\(name)`"
  }
}
