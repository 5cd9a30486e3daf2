import Foundation
import StoreProtocol

/// Converts values of a Core Data file to the types of a program's schema.
///
/// Integers are widened and narrowed if they fit, numbers become numbers, and any value becomes a
/// Codable value. A value that does not fit is unreadable; it is never replaced.
struct ValueConversion: Sendable {
  func convert(
    _ value: StoreValue,
    to property: StoreProperty
  ) throws(AttributeReader.Problem) -> StoreValue {
    guard let type = property.attributeType, !value.isNull else { return value }
    switch (type, value) {
    case (.codable, _): return value
    case (_, .integer) where type.isInteger:
      if let fitting = value.converted(to: type) { return fitting }
      throw AttributeReader.Problem(reason: "the number does not fit the type \(type)")
    case (.uint64, .unsigned): return value
    case (.bool, .integer(let number)) where number == 0 || number == 1: return .bool(number == 1)
    case (.bool, .bool), (.double, .double), (.decimal, .decimal), (.date, .date),
      (.data, .data), (.uuid, .uuid), (.string, .string), (.url, .string):
      return value
    case (.float, .double(let number)):
      // NaN equals nothing, including itself.
      if number.isNaN || Double(Float(number)) == number { return value }
    case (.double, .integer(let number)):
      if let exact = Double(exactly: number) { return .double(exact) }
    case (.decimal, .integer(let number)): return .decimal(Decimal(number))
    case (.uuid, .string(let text)): if let id = UUID(uuidString: text) { return .uuid(id) }
    default: break
    }
    throw AttributeReader.Problem(reason: "\(value.kindName) does not fit the type \(type)")
  }
}
