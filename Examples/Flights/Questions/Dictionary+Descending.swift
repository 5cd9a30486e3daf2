extension Dictionary where Key == String, Value == Int {
  /// The entries by falling count; equal counts in the order of their names.
  var descending: [Element] {
    sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
  }
}
