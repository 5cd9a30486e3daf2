/// The kind of unsaved change of an object.
enum UnsavedChange {
  /// The object is new.
  case inserted
  /// Properties of the saved object changed.
  case changed
  /// A to-many relationship changed from its other end.
  case touched(Int)
  /// A saved object joined a to-many relationship from its own end.
  case joined(Int)
}
