import StoreProtocol

/// Throws unless a value is as expected.
///
/// The subject is evaluated only for a violation: rules compare tens of thousands of values.
func expect<Value: Equatable>(
  _ subject: @autoclosure () -> String,
  _ found: Value,
  equals expected: Value
) throws {
  guard found != expected else { return }
  throw RuleViolation(
    subject(),
    expected: ValueText.text(expected),
    found: ValueText.text(found)
  )
}

/// Throws unless a condition is true.
func expect(
  _ subject: @autoclosure () -> String,
  _ holds: Bool,
  _ expected: @autoclosure () -> String
) throws {
  guard !holds else { return }
  throw RuleViolation(subject(), expected: expected(), found: "otherwise")
}

/// Throws unless a value compares with another as required, such as `>`.
func expect<Value: Comparable>(
  _ subject: @autoclosure () -> String,
  _ found: Value,
  _ compares: (Value, Value) -> Bool,
  _ other: Value,
  _ expected: @autoclosure () -> String
) throws {
  guard !compares(found, other) else { return }
  throw RuleViolation(subject(), expected: expected(), found: ValueText.text(found))
}

/// Throws unless a body throws an error of one of some kinds.
@discardableResult
func expect(
  _ subject: String,
  throws kinds: DataStoreError...,
  by body: () throws -> Void
) throws -> DataStoreError {
  let names = kinds.map(\.code).joined(separator: " or ")
  do {
    try body()
  } catch let error as DataStoreError where kinds.contains(error) {
    return error
  } catch {
    throw RuleViolation(subject, expected: "the error \(names)", found: "the error \(error)")
  }
  throw RuleViolation(subject, expected: "the error \(names)", found: "no error")
}
