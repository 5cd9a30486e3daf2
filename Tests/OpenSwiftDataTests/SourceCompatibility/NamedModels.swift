// swift-format-ignore-file
import OpenSwiftData

// Models called as the types that macro-made code and programs mention. That they compile without a
// warning is half of the test; NamedModelTests stores them. Those that hide names of the test module
// are in a namespace.

/// What the models in ``Named`` have in common, so that one test works for all of them.
protocol NamedModel: PersistentModel {
  init()
  var title: Text { get set }
  var kind: NamedKind { get set }
  var next: Self? { get set }
}

typealias Text = String
typealias Whole = Int

/// An attribute of each of them.
enum NamedKind: Codable { case plain, counted(Whole) }

enum Named {
  @OpenSwiftData.Model final class Schema: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Schema.previous) var next: Named.Schema?; var previous: [Schema] = []; init() {} }
  @OpenSwiftData.Model final class Query: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Query.previous) var next: Named.Query?; var previous: [Query] = []; init() {} }
  @OpenSwiftData.Model final class Index: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Index.previous) var next: Named.Index?; var previous: [Index] = []; init() {} }
  @OpenSwiftData.Model final class Attribute: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Attribute.previous) var next: Named.Attribute?; var previous: [Attribute] = []; init() {} }
  @OpenSwiftData.Model final class Relationship: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Relationship.previous) var next: Named.Relationship?; var previous: [Relationship] = []; init() {} }
  @OpenSwiftData.Model final class Model: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Model.previous) var next: Named.Model?; var previous: [Model] = []; init() {} }
  @OpenSwiftData.Model final class Sendable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Sendable.previous) var next: Named.Sendable?; var previous: [Sendable] = []; init() {} }
  @OpenSwiftData.Model final class Observable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Observable.previous) var next: Named.Observable?; var previous: [Observable] = []; init() {} }
  @OpenSwiftData.Model final class PersistentModel: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.PersistentModel.previous) var next: Named.PersistentModel?; var previous: [PersistentModel] = []; init() {} }
  @OpenSwiftData.Model final class ModelContext: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.ModelContext.previous) var next: Named.ModelContext?; var previous: [ModelContext] = []; init() {} }
  @OpenSwiftData.Model final class ModelContainer: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.ModelContainer.previous) var next: Named.ModelContainer?; var previous: [ModelContainer] = []; init() {} }
  @OpenSwiftData.Model final class RowReader: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.RowReader.previous) var next: Named.RowReader?; var previous: [RowReader] = []; init() {} }
  @OpenSwiftData.Model final class RowWriter: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.RowWriter.previous) var next: Named.RowWriter?; var previous: [RowWriter] = []; init() {} }
  @OpenSwiftData.Model final class _Slot: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named._Slot.previous) var next: Named._Slot?; var previous: [_Slot] = []; init() {} }
  @OpenSwiftData.Model final class _ModelState: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named._ModelState.previous) var next: Named._ModelState?; var previous: [_ModelState] = []; init() {} }
  @OpenSwiftData.Model final class Transient: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Transient.previous) var next: Named.Transient?; var previous: [Transient] = []; init() {} }
  @OpenSwiftData.Model final class Unique: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Unique.previous) var next: Named.Unique?; var previous: [Unique] = []; init() {} }
  @OpenSwiftData.Model final class ModelActor: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.ModelActor.previous) var next: Named.ModelActor?; var previous: [ModelActor] = []; init() {} }
  @OpenSwiftData.Model final class ID: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.ID.previous) var next: Named.ID?; var previous: [Named.ID] = []; init() {} }
  @OpenSwiftData.Model final class Error: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Error.previous) var next: Named.Error?; var previous: [Error] = []; init() {} }
  @OpenSwiftData.Model final class Result: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Result.previous) var next: Named.Result?; var previous: [Result] = []; init() {} }
  @OpenSwiftData.Model final class Optional: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Optional.previous) var next: Named.Optional?; var previous: [Optional] = []; init() {} }
  @OpenSwiftData.Model final class Array: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Array.previous) var next: Named.Array?; var previous: [Array] = []; init() {} }
  @OpenSwiftData.Model final class Dictionary: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Dictionary.previous) var next: Named.Dictionary?; var previous: [Dictionary] = []; init() {} }
  @OpenSwiftData.Model final class Void: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Void.previous) var next: Named.Void?; var previous: [Void] = []; init() {} }
  @OpenSwiftData.Model final class Hashable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Hashable.previous) var next: Named.Hashable?; var previous: [Hashable] = []; init() {} }
  @OpenSwiftData.Model final class Equatable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Equatable.previous) var next: Named.Equatable?; var previous: [Equatable] = []; init() {} }
  @OpenSwiftData.Model final class Identifiable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Identifiable.previous) var next: Named.Identifiable?; var previous: [Identifiable] = []; init() {} }
  @OpenSwiftData.Model final class Comparable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Comparable.previous) var next: Named.Comparable?; var previous: [Comparable] = []; init() {} }
  @OpenSwiftData.Model final class Codable: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Codable.previous) var next: Named.Codable?; var previous: [Codable] = []; init() {} }
  @OpenSwiftData.Model final class KeyPath: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.KeyPath.previous) var next: Named.KeyPath?; var previous: [KeyPath] = []; init() {} }
  @OpenSwiftData.Model final class AnyKeyPath: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.AnyKeyPath.previous) var next: Named.AnyKeyPath?; var previous: [AnyKeyPath] = []; init() {} }
  @OpenSwiftData.Model final class Observation: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Observation.previous) var next: Named.Observation?; var previous: [Observation] = []; init() {} }
  @OpenSwiftData.Model final class Swift: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Swift.previous) var next: Named.Swift?; var previous: [Swift] = []; init() {} }
  @OpenSwiftData.Model final class Foundation: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Foundation.previous) var next: Named.Foundation?; var previous: [Foundation] = []; init() {} }
  @OpenSwiftData.Model final class MainActor: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.MainActor.previous) var next: Named.MainActor?; var previous: [MainActor] = []; init() {} }
  @OpenSwiftData.Model final class PropertyMetadata: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.PropertyMetadata.previous) var next: Named.PropertyMetadata?; var previous: [PropertyMetadata] = []; init() {} }
  @OpenSwiftData.Model final class Predicate: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Predicate.previous) var next: Named.Predicate?; var previous: [Predicate] = []; init() {} }
  @OpenSwiftData.Model final class SortDescriptor: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.SortDescriptor.previous) var next: Named.SortDescriptor?; var previous: [SortDescriptor] = []; init() {} }
  @OpenSwiftData.Model final class FetchDescriptor: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.FetchDescriptor.previous) var next: Named.FetchDescriptor?; var previous: [FetchDescriptor] = []; init() {} }
  @OpenSwiftData.Model final class Task: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Task.previous) var next: Named.Task?; var previous: [Task] = []; init() {} }
  @OpenSwiftData.Model final class History: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.History.previous) var next: Named.History?; var previous: [History] = []; init() {} }
  @OpenSwiftData.Model final class Change: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Change.previous) var next: Named.Change?; var previous: [Change] = []; init() {} }
  @OpenSwiftData.Model final class Version: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Version.previous) var next: Named.Version?; var previous: [Version] = []; init() {} }
  @OpenSwiftData.Model final class Entity: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Entity.previous) var next: Named.Entity?; var previous: [Entity] = []; init() {} }
  @OpenSwiftData.Model final class Property: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Property.previous) var next: Named.Property?; var previous: [Property] = []; init() {} }
  @OpenSwiftData.Model final class Store: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Store.previous) var next: Named.Store?; var previous: [Store] = []; init() {} }
  @OpenSwiftData.Model final class Never: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Never.previous) var next: Named.Never?; var previous: [Never] = []; init() {} }
  @OpenSwiftData.Model final class Element: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Element.previous) var next: Named.Element?; var previous: [Element] = []; init() {} }
  @OpenSwiftData.Model final class Value: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Value.previous) var next: Named.Value?; var previous: [Value] = []; init() {} }
  @OpenSwiftData.Model final class Key: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Key.previous) var next: Named.Key?; var previous: [Key] = []; init() {} }
  @OpenSwiftData.Model final class Row: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Row.previous) var next: Named.Row?; var previous: [Row] = []; init() {} }
  @OpenSwiftData.Model final class Snapshot: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Snapshot.previous) var next: Named.Snapshot?; var previous: [Snapshot] = []; init() {} }
  @OpenSwiftData.Model final class Int: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Int.previous) var next: Named.Int?; var previous: [Int] = []; init() {} }
  @OpenSwiftData.Model final class String: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.String.previous) var next: Named.String?; var previous: [String] = []; init() {} }
  @OpenSwiftData.Model final class Bool: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Bool.previous) var next: Named.Bool?; var previous: [Bool] = []; init() {} }
  @OpenSwiftData.Model final class Double: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Double.previous) var next: Named.Double?; var previous: [Double] = []; init() {} }
  @OpenSwiftData.Model final class Date: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Date.previous) var next: Named.Date?; var previous: [Date] = []; init() {} }
  @OpenSwiftData.Model final class Data: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Data.previous) var next: Named.Data?; var previous: [Data] = []; init() {} }
  @OpenSwiftData.Model final class URL: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.URL.previous) var next: Named.URL?; var previous: [URL] = []; init() {} }
  @OpenSwiftData.Model final class UUID: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.UUID.previous) var next: Named.UUID?; var previous: [UUID] = []; init() {} }
  @OpenSwiftData.Model final class Decimal: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Decimal.previous) var next: Named.Decimal?; var previous: [Decimal] = []; init() {} }
  @OpenSwiftData.Model final class Character: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Character.previous) var next: Named.Character?; var previous: [Character] = []; init() {} }
  @OpenSwiftData.Model final class Float: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Float.previous) var next: Named.Float?; var previous: [Float] = []; init() {} }
  @OpenSwiftData.Model final class Set: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Set.previous) var next: Named.Set?; var previous: [Set] = []; init() {} }
  @OpenSwiftData.Model final class Int8: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Int8.previous) var next: Named.Int8?; var previous: [Int8] = []; init() {} }
  @OpenSwiftData.Model final class Int16: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Int16.previous) var next: Named.Int16?; var previous: [Int16] = []; init() {} }
  @OpenSwiftData.Model final class Int32: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Int32.previous) var next: Named.Int32?; var previous: [Int32] = []; init() {} }
  @OpenSwiftData.Model final class Int64: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.Int64.previous) var next: Named.Int64?; var previous: [Int64] = []; init() {} }
  @OpenSwiftData.Model final class UInt: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.UInt.previous) var next: Named.UInt?; var previous: [UInt] = []; init() {} }
  @OpenSwiftData.Model final class UInt8: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.UInt8.previous) var next: Named.UInt8?; var previous: [UInt8] = []; init() {} }
  @OpenSwiftData.Model final class UInt16: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.UInt16.previous) var next: Named.UInt16?; var previous: [UInt16] = []; init() {} }
  @OpenSwiftData.Model final class UInt32: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.UInt32.previous) var next: Named.UInt32?; var previous: [UInt32] = []; init() {} }
  @OpenSwiftData.Model final class UInt64: NamedModel { var title = "t"; var size = 1.5; var isOld = false; var count = 1; var kind: NamedKind = NamedKind.plain; @OpenSwiftData.Relationship(inverse: \Named.UInt64.previous) var next: Named.UInt64?; var previous: [UInt64] = []; init() {} }

  static let all: [any NamedModel.Type] = [
    Named.Schema.self,
    Named.Query.self,
    Named.Index.self,
    Named.Attribute.self,
    Named.Relationship.self,
    Named.Model.self,
    Named.Sendable.self,
    Named.Observable.self,
    Named.PersistentModel.self,
    Named.ModelContext.self,
    Named.ModelContainer.self,
    Named.RowReader.self,
    Named.RowWriter.self,
    Named._Slot.self,
    Named._ModelState.self,
    Named.Transient.self,
    Named.Unique.self,
    Named.ModelActor.self,
    Named.ID.self,
    Named.Error.self,
    Named.Result.self,
    Named.Optional.self,
    Named.Array.self,
    Named.Dictionary.self,
    Named.Void.self,
    Named.Hashable.self,
    Named.Equatable.self,
    Named.Identifiable.self,
    Named.Comparable.self,
    Named.Codable.self,
    Named.KeyPath.self,
    Named.AnyKeyPath.self,
    Named.Observation.self,
    Named.Swift.self,
    Named.Foundation.self,
    Named.MainActor.self,
    Named.PropertyMetadata.self,
    Named.Predicate.self,
    Named.SortDescriptor.self,
    Named.FetchDescriptor.self,
    Named.Task.self,
    Named.History.self,
    Named.Change.self,
    Named.Version.self,
    Named.Entity.self,
    Named.Property.self,
    Named.Store.self,
    Named.Never.self,
    Named.Element.self,
    Named.Value.self,
    Named.Key.self,
    Named.Row.self,
    Named.Snapshot.self,
    Named.Int.self,
    Named.String.self,
    Named.Bool.self,
    Named.Double.self,
    Named.Date.self,
    Named.Data.self,
    Named.URL.self,
    Named.UUID.self,
    Named.Decimal.self,
    Named.Character.self,
    Named.Float.self,
    Named.Set.self,
    Named.Int8.self,
    Named.Int16.self,
    Named.Int32.self,
    Named.Int64.self,
    Named.UInt.self,
    Named.UInt8.self,
    Named.UInt16.self,
    Named.UInt32.self,
    Named.UInt64.self,
  ]
}
