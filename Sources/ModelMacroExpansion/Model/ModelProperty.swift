/// A persisted property.
struct ModelProperty {
  /// The name as written, backticks included.
  var name: String
  var type: String?
  var initialValue: InitialValue?
  var storage: Storage
  var isLet: Bool
  var observers: [PropertyObserver]
  /// The schema expression of its `@Attribute` or `@Relationship`.
  var metadata: String?
  /// Whether the declaration has the option `.ephemeral`, so that no row has the value.
  var isEphemeral: Bool
  var isDeprecated: Bool
  /// The global actor of the property itself, as written.
  var globalActor: String?
  /// The offset of its declaration, attributes included.
  var declarationOffset: Int
  /// The offset of its name.
  var offset: Int

  /// The name without backticks.
  var bareName: String { Self.bare(name) }

  /// The index of an ephemeral attribute as an expression, or `nil` for a stored property.
  ///
  /// It follows those of all stored properties of the object, whose number a superclass does not
  /// know.
  var ephemeralIndex: String? {
    isEphemeral ? "ModelLayer._ephemeral(\(placeInLayout))" : nil
  }

  /// The arguments by which generated code finds the property in the layout of an object.
  var placeInLayout: String { "\"\(bareName)\", in: Self.self" }

  /// Whether the property stores its value itself: a `let` that the initializer assigns.
  ///
  /// A `let` with an initial value cannot be assigned anything else, so it gets accessors, as in
  /// SwiftData; the compiler accepts these in the Swift 5 language mode.
  var isConstant: Bool { isLet && initialValue == nil }

  /// The stored property with the value: another one, unless the property is a constant.
  var storedName: String { isConstant ? name : Self.quoted("_" + bareName) }

  /// Returns the stored property, qualified if a parameter may have its name.
  func storage(in object: String) -> String {
    isConstant ? "\(object).\(storedName)" : storedName
  }

  /// The function of the generated code that the compiler names if the type cannot be stored.
  var checkName: String { Self.quoted("_" + bareName) }

  /// The flag that is set while the observers run.
  var flagName: String { Self.quoted("_$isObserving_" + bareName) }

  var isPlain: Bool {
    if case .plain = storage { true } else { false }
  }

  /// The name of a basic type, as declared, which may be that of a model: only the compiler knows.
  var basicName: String? {
    guard case .plain = storage else { return nil }
    return type.flatMap(TypeName.basicName)
  }

  /// Returns the stored form of a value, both as source.
  func stored(_ value: String) -> String { isPlain ? value : "ModelLayer._Slot(\(value))" }

  /// Stores the value in a slot: its type is a model with the name of a basic type.
  mutating func useSlot() {
    if let type { storage = .slot(type: TypeName.withoutImplicitUnwrapping(type)) }
  }

  /// Whether the value may be an array, by the words of the declaration.
  var mayBeArray: Bool {
    !isPlain && TypeName.mayBeArray(type ?? initialValue?.text ?? "")
  }

  /// Whether the value can start as an empty array where an initializer leaves it unset.
  ///
  /// An initializer that sets it last would run its observers then.
  var mayStartEmpty: Bool {
    initialValue == nil && !isLet && observers.isEmpty && type.map(TypeName.isArray) == true
  }

  /// Whether an object can be created without a value of the property.
  var hasDefault: Bool {
    initialValue != nil || (!isLet && type.map(TypeName.isSugaredOptional) == true)
  }

  /// Whether the initial value of a variable is a literal or `nil`, which any code can evaluate.
  ///
  /// Another value may be isolated to the actor of the class, which a macro cannot always see.
  var hasPlainInitialValue: Bool {
    guard !isLet, isPlain, observers.isEmpty else { return false }
    guard let initialValue else { return hasDefault }
    let isNil = initialValue.text == "nil" && type.map(TypeName.isSugaredOptional) == true
    return isNil || initialValue.literal != nil && !initialValue.text.contains("\\")
  }

  static func bare(_ name: String) -> String { name.filter { $0 != "`" } }

  /// Returns the name, in backticks if it needs them.
  private static func quoted(_ name: String) -> String {
    let isWord = name.utf8.allSatisfy { Byte.continuesWord($0) || $0 == Byte.dollar }
    return isWord ? name : "`\(name)`"
  }
}
