import Foundation
import StoreProtocol

/// Describes values for reports.
enum ValueText {
  /// Returns the description of a value, or its type if describing it would end the process.
  ///
  /// Foundation ends a process that describes a date that is not a number.
  static func text(_ value: Any) -> String {
    hasDateWithoutText(value)
      ? "a \(type(of: value)) with a date that is not a number" : String(describing: value)
  }

  private static func hasDateWithoutText(_ value: Any) -> Bool {
    if let date = value as? Date { return date.timeIntervalSinceReferenceDate.isNaN }
    // Their descriptions write such dates themselves.
    if value is StoreValue || value is QueryExpression { return false }
    let mirror = Mirror(reflecting: value)
    // Objects may refer to each other in circles, which no description follows.
    if mirror.displayStyle == .class { return false }
    return mirror.children.contains { hasDateWithoutText($0.value) }
  }
}
