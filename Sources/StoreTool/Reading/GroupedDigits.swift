extension Int {
  /// The number with a comma before each group of three digits, for people.
  var grouped: String {
    let digits = Array(String(magnitude))
    let groups = stride(from: digits.count, to: 0, by: -3).map { end in
      String(digits[Swift.max(end - 3, 0)..<end])
    }
    return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }
}
