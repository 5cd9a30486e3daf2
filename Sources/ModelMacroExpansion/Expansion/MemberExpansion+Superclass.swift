extension MemberExpansion {
  /// A function that nothing calls, of which the compiler warns if a superclass is no model.
  ///
  /// The source does not say whether the first inherited type is a class. If it is, an instance of
  /// it and the model have a class in common, and the compiler selects the deprecated function. A
  /// generic parameter may have any protocol without `any`.
  var superclassCheck: Source {
    guard superclass == nil, let inherited = model.firstInherited, Self.mayBeClass(inherited) else {
      return Source()
    }
    let warning =
      "'\(Self.onOneLine(inherited))' is no model, so the properties that '\(model.bareName)' "
      + "inherits from it are not saved; make it a @Model class, or a protocol if it stores nothing"
    let head = "nonisolated private static func _$superclass<_$Inherited: \(inherited)>"
    let common = "<_$Common: ModelLayer._Names.AnyObject>(_: _$Common, _: _$Common)"
    let line = text.line(at: model.nameOffset)
    var source = Source()
    source.add("\(head)(_ _$inherited: _$Inherited, _ _$model: \(model.reference))") {
      $0.add("func superclass(_: Any, _: Any) {}")
      $0.add("@available(*, deprecated, message: \(Self.literal(warning)))")
      $0.add("func superclass\(common) {}")
      $0.add("#sourceLocation(file: \(Self.literal(text.fileName)), line: \(line))")
      $0.add("superclass(_$inherited, _$model)")
      $0.add("#sourceLocation()")
    }
    return source
  }

  /// Returns whether an inherited type may be a class with properties of its own.
  private static func mayBeClass(_ type: String) -> Bool {
    // Only a protocol has an attribute or modifier, and a generic parameter cannot repeat it.
    !type.hasPrefix("@") && !type.hasPrefix("nonisolated ")
      && type.split(separator: ".").last != "NSObject"
  }
}
