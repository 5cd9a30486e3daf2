import Observation
import StoreProtocol

/// What an object has only while somebody watches it or it has unsaved changes.
final class ModelExtra: _ModelExtra {
  /// The observers of the object, made when somebody first watches.
  var registrar: ObservationRegistrar?
  /// The values from before the first unsaved change of each property.
  var originals = Originals()
  /// What was added to and removed from to-many relationships that were not loaded.
  var members: [Int: MemberChanges] = [:]
  /// The keys of to-one relationships whose keys are not numbers, by property.
  var references: [Int: PersistentIdentifier] = [:]
  /// The number of the context's deletions when relationships to many were last rid of them.
  var seenDeletions: UInt64 = 0
  /// The attributes whose values were left out when the row was read.
  var unloaded: [Int] = []
}

/// The value of a property before its first unsaved change.
struct Original {
  /// The property.
  let index: Int
  /// What stood there.
  let content: PropertyContent
}

/// What stood in the changed properties of an object, in the order of their first changes.
///
/// Mostly one property changes between two saves, which needs no memory of its own.
enum Originals: RandomAccessCollection, RangeReplaceableCollection {
  case none
  case one(Original)
  case several([Original])

  init() { self = .none }

  var startIndex: Int { 0 }

  var endIndex: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .several(let all): all.count
    }
  }

  subscript(position: Int) -> Original {
    switch self {
    case .one(let only) where position == 0: only
    case .several(let all): all[position]
    default: preconditionFailure("There is no original at \(position).")
    }
  }

  mutating func append(_ original: Original) {
    switch self {
    case .none: self = .one(original)
    case .one(let first): self = .several([first, original])
    case .several(var all):
      self = .none
      all.append(original)
      self = .several(all)
    }
  }

  mutating func replaceSubrange<C: Collection>(
    _ subrange: Range<Int>,
    with newElements: C
  ) where C.Element == Original {
    var all = Array(self)
    all.replaceSubrange(subrange, with: newElements)
    self = all.isEmpty ? .none : .several(all)
  }
}

/// What stands in a property at a moment, relationships as objects.
enum PropertyContent {
  /// The stored form of an attribute.
  case value(StoreValue)
  /// The objects of a relationship.
  case models([any PersistentModel])
  /// A relationship that is not loaded, with the key of a to-one.
  case fault(Int64)
  /// An attribute whose value has no stored form.
  case failure(any Error)
}

/// What happened to a to-many relationship from its other end.
struct MemberChanges {
  /// The objects that joined, in order.
  private(set) var added: [any PersistentModel] = []
  /// The objects that left.
  private(set) var removed: Set<ObjectIdentifier> = []
  private var joined: Set<ObjectIdentifier> = []

  /// Whether an object joined.
  func adds(_ model: any PersistentModel) -> Bool { joined.contains(ObjectIdentifier(model)) }

  /// Notes that an object joined; it is the last then, also where it left before.
  mutating func add(_ model: any PersistentModel) {
    if joined.insert(ObjectIdentifier(model)).inserted { added.append(model) }
  }

  /// Notes that an object left.
  ///
  /// An unsaved object that only just joined may end, and another one get its place in memory.
  mutating func remove(_ model: any PersistentModel, isSaved: Bool) {
    if joined.remove(ObjectIdentifier(model)) != nil {
      added.removeAll { $0 === model }
      if !isSaved { return }
    }
    removed.insert(ObjectIdentifier(model))
  }
}

extension PersistentModel {
  /// The extra of this object, made when first asked for.
  var modelExtra: ModelExtra {
    let known = existingExtra
    if let known, known.departure == nil { return known }
    let made = ModelExtra()
    if known != nil { made.identifier = _$state.ownIdentifier }
    _$state.extra = made
    return made
  }

  /// The extra of this object where it has one; one of its own is made where something is put in.
  var existingExtra: ModelExtra? {
    // The cast costs nothing this way, and the base class has this one subclass.
    _$state.extra.map { unsafeDowncast($0, to: ModelExtra.self) }
  }
}
