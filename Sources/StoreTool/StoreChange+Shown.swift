import StoreProtocol

extension StoreChange {
  /// The changed properties with the part of the save that changed them.
  ///
  /// The form is ` name, owner (delete rule)`, or an empty string for a change with neither.
  var shownDetails: String {
    var text = properties.isEmpty ? "" : " "
    text += properties.map { name in
      cause == .program && clearedProperties.contains(name) ? "\(name) (delete rule)" : name
    }.joined(separator: ", ")
    switch cause {
    case .program: return text
    case .deleteRule: return text + " (delete rule)"
    case .merge: return text + " (merged)"
    }
  }
}
