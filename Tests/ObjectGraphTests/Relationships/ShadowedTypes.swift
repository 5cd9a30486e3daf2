// swift-format-ignore-file
import Foundation
import OpenSwiftData

/// A model with the name of the type of its attributes.
protocol ShadowingModel: PersistentModel {
  associatedtype Value: Equatable
  init(_ value: Value)
  var value: Value { get }
  var maybe: Value? { get }
}

/// A model for each type that stores read directly, and one with a relationship to each of them.
enum ShadowedTypes {
  @Model final class Int: ShadowingModel { var value: Swift.Int; var maybe: Swift.Int?; init(_ value: Swift.Int) { self.value = value; maybe = value } }
  @Model final class Int8: ShadowingModel { var value: Swift.Int8; var maybe: Swift.Int8?; init(_ value: Swift.Int8) { self.value = value; maybe = value } }
  @Model final class Int16: ShadowingModel { var value: Swift.Int16; var maybe: Swift.Int16?; init(_ value: Swift.Int16) { self.value = value; maybe = value } }
  @Model final class Int32: ShadowingModel { var value: Swift.Int32; var maybe: Swift.Int32?; init(_ value: Swift.Int32) { self.value = value; maybe = value } }
  @Model final class Int64: ShadowingModel { var value: Swift.Int64; var maybe: Swift.Int64?; init(_ value: Swift.Int64) { self.value = value; maybe = value } }
  @Model final class UInt: ShadowingModel { var value: Swift.UInt; var maybe: Swift.UInt?; init(_ value: Swift.UInt) { self.value = value; maybe = value } }
  @Model final class UInt8: ShadowingModel { var value: Swift.UInt8; var maybe: Swift.UInt8?; init(_ value: Swift.UInt8) { self.value = value; maybe = value } }
  @Model final class UInt16: ShadowingModel { var value: Swift.UInt16; var maybe: Swift.UInt16?; init(_ value: Swift.UInt16) { self.value = value; maybe = value } }
  @Model final class UInt32: ShadowingModel { var value: Swift.UInt32; var maybe: Swift.UInt32?; init(_ value: Swift.UInt32) { self.value = value; maybe = value } }
  @Model final class UInt64: ShadowingModel { var value: Swift.UInt64; var maybe: Swift.UInt64?; init(_ value: Swift.UInt64) { self.value = value; maybe = value } }
  @Model final class Float: ShadowingModel { var value: Swift.Float; var maybe: Swift.Float?; init(_ value: Swift.Float) { self.value = value; maybe = value } }
  @Model final class Double: ShadowingModel { var value: Swift.Double; var maybe: Swift.Double?; init(_ value: Swift.Double) { self.value = value; maybe = value } }
  @Model final class Bool: ShadowingModel { var value: Swift.Bool; var maybe: Swift.Bool?; init(_ value: Swift.Bool) { self.value = value; maybe = value } }
  @Model final class String: ShadowingModel { var value: Swift.String; var maybe: Swift.String?; init(_ value: Swift.String) { self.value = value; maybe = value } }
  @Model final class Character: ShadowingModel { var value: Swift.Character; var maybe: Swift.Character?; init(_ value: Swift.Character) { self.value = value; maybe = value } }
  @Model final class Date: ShadowingModel { var value: Foundation.Date; var maybe: Foundation.Date?; init(_ value: Foundation.Date) { self.value = value; maybe = value } }
  @Model final class Data: ShadowingModel { var value: Foundation.Data; var maybe: Foundation.Data?; init(_ value: Foundation.Data) { self.value = value; maybe = value } }
  @Model final class UUID: ShadowingModel { var value: Foundation.UUID; var maybe: Foundation.UUID?; init(_ value: Foundation.UUID) { self.value = value; maybe = value } }
  @Model final class URL: ShadowingModel { var value: Foundation.URL; var maybe: Foundation.URL?; init(_ value: Foundation.URL) { self.value = value; maybe = value } }
  @Model final class Decimal: ShadowingModel { var value: Foundation.Decimal; var maybe: Foundation.Decimal?; init(_ value: Foundation.Decimal) { self.value = value; maybe = value } }

  @Model final class Holder {
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var float: Float?
    var double: Double?
    var bool: Bool?
    var string: String?
    var character: Character?
    var date: Date?
    var data: Data?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var floats: [Float] = []
    var dates: [Date] = []
    init() {}
  }
}
