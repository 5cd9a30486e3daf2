import Foundation
import StoreProtocol

/// Finds the names in key paths that equal no registered one.
///
/// These are key paths of several components, of Codable members, of inherited properties, and of
/// the requirements of protocols. They are applied to values whose members differ from round to
/// round, each in its own way. Such a key path refers to the member whose value it always returns.
/// Objects note which of their properties it reads: one, and once.
enum ProbedPaths {
  /// Returns the names on the path from the root to the value of a key path, or `nil` if there are
  /// none.
  ///
  /// A safe search is in objects that have all values and note reads, as those of the macro do.
  static func path(of keyPath: AnyKeyPath, isSafe: Bool = false) -> [String]? {
    let root = type(of: keyPath).rootType
    var agreeing: Set<[String]>?
    var seen: Set<StoreValue> = []
    for filling in Filling.probes {
      guard let probe = Probe(root, filling), probe.isComplete || !isSafe,
        let value = probe.value(at: keyPath),
        probe.reads != .none || !isSafe, let members = probe.readMembers
      else { return nil }
      // Of a value that is nil, the members are unknown: they are nil like it.
      if value.isNull, agreeing == nil { continue }
      seen.insert(value)
      var names = Set(members.filter { $0.value == value }.map(\.key))
      if value.isNull { names.formUnion((agreeing ?? []).filter(probe.lacks)) }
      let rest = agreeing?.intersection(names) ?? names
      if rest.isEmpty { return nil }
      agreeing = rest
    }
    guard let agreeing else { return nil }
    let declared = keyPath.declaredNames
    if agreeing.contains(declared) { return declared }
    return agreeing.count == 1 && seen.count > 1 ? agreeing.first : nil
  }

  /// Returns the name of the persisted property that satisfies a protocol's requirement.
  ///
  /// The result is `nil` for the key path of a computed property.
  static func property(of keyPath: AnyKeyPath, in layout: ModelLayout) -> String? {
    let type = type(of: keyPath).valueType
    // Programs name other computed properties by mistake, whose code should not run.
    let candidates = layout.properties.filter { $0.valueType == type }.map(\.name)
    guard !candidates.isEmpty, let names = path(of: keyPath, isSafe: true), names.count == 1
    else { return nil }
    return candidates.first { $0 == names[0] }
  }
}

/// A value for trying key paths, with all its members.
private struct Probe {
  private let root: Any
  /// The names of the object's properties.
  private var names: [String] = []
  /// Whether no attribute lacks a value.
  private(set) var isComplete = true
  /// The stored form of each member by its path of names.
  private var members: [[String]: StoreValue] = [:]

  init?(_ type: Any.Type, _ filling: Filling) {
    if let model = type as? any PersistentModel.Type {
      let layout = ModelLayout.of(model)
      let reader = ProbeReader(layout, filling)
      guard let object = reader.object else { return nil }
      object._$state.flags = .probed
      object._$state.version = 0
      root = object
      names = layout.properties.map(\.name)
      members = reader.members
      isComplete = reader.missing.isEmpty
    } else if let codable = CodableTypes.type(type) {
      guard let value = Self.made(codable, filling), let stored = StoreValue(any: value) else {
        return nil
      }
      root = value
      stored.collectMembers(at: [], into: &members)
    } else {
      return nil
    }
  }

  /// The noted reads of the object.
  var reads: ProbedReads { (root as? any PersistentModel)?._$state.probedReads ?? .none }

  /// The members that a key path may refer to after it has read the object, or `nil` if it read
  /// several properties.
  var readMembers: [[String]: StoreValue]? {
    switch reads {
    case .none: return members
    case .several: return nil
    case .one(let index):
      return members.filter { $0.key.first == names[index] }
    }
  }

  /// Returns whether a member's value is nil because a value on the path to it is.
  func lacks(_ path: [String]) -> Bool {
    path.indices.dropFirst().contains { members[Array(path[..<$0])]?.isNull == true }
  }

  func value(at keyPath: AnyKeyPath) -> StoreValue? {
    func read<Root>(_ root: Root) -> Any? { root[keyPath: keyPath] }
    return read(root).flatMap { StoreValue(captured: $0) }
  }

  private static func made<T: Codable>(_ type: T.Type, _ filling: Filling) -> T? {
    try? PlaceholderDecoder.made(type, filling: filling)
  }
}

extension StoreValue {
  /// Adds the members of a composite, and their members, by their paths.
  fileprivate func collectMembers(
    at path: [String],
    into members: inout [[String]: StoreValue]
  ) {
    guard path.count < 4, case .composite(let own) = self else { return }
    for member in own {
      members[path + [member.name]] = member.value
      member.value.collectMembers(at: path + [member.name], into: &members)
    }
  }
}

extension AnyKeyPath {
  /// The names of the stored properties in the path's description.
  fileprivate var declaredNames: [String] {
    debugDescription.filter { $0 != "?" }.split(separator: ".").dropFirst().map(String.init)
  }
}

/// A row for trying key paths on objects.
private final class ProbeReader: RowReader {
  private let layout: ModelLayout
  private let filling: Filling
  private var values: [StoreValue] = []
  private var related: [Int: [any PersistentModel]] = [:]
  /// The attributes whose types accept no value that could be made up, as a time zone does.
  private(set) var missing: Set<Int> = []
  private(set) var members: [[String]: StoreValue] = [:]
  private(set) var object: (any PersistentModel)?

  init(_ layout: ModelLayout, _ filling: Filling) {
    self.layout = layout
    self.filling = filling
    super.init(entity: StoreEntity(name: layout.entityName, properties: []))
    for index in layout.properties.indices { fill(index) }
    object = try? layout.type.init(_$row: self)
  }

  private func fill(_ index: Int) {
    let property = layout.properties[index]
    let inside = filling.inside(property.name)
    values.append(.null)
    guard let shape = property.shape else {
      let type = type(of: property.keyPath).valueType
      values[index] = Self.stored(type, inside)
      if values[index].isNull, !(type is any OptionalType.Type) {
        missing.insert(index)
        return
      }
      members[[property.name]] = values[index]
      values[index].collectMembers(at: [property.name], into: &members)
      return
    }
    guard filling.path.count < 3 else { return }
    let reader = ProbeReader(ModelLayout.of(shape.destination), inside)
    guard let other = reader.object else { return }
    related[index] = [other]
    guard !shape.isToMany else {
      // A second one in full objects, in either order, unlike a sorted list; only at the first
      // level, as their number would double with each.
      if filling.path.isEmpty, filling.isFull,
        let second = ProbeReader(ModelLayout.of(shape.destination), inside.element(1)).object
      {
        related[index]?.append(second)
      }
      members[[property.name]] = .identifiers(related[index, default: []].map(\.persistentModelID))
      return
    }
    members[[property.name]] = .identifier(other.persistentModelID)
    for (path, value) in reader.members { members[[property.name] + path] = value }
  }

  private static func stored(_ type: Any.Type, _ filling: Filling) -> StoreValue {
    if let optional = type as? any OptionalType.Type {
      return filling.isMissing ? .null : stored(optional.wrapped, filling.inside("some"))
    }
    if let scalar = type as? any StoreScalar.Type {
      return filling.scalar(scalar)?.storeValue ?? .null
    }
    guard let decodable = CodableTypes.decodable(type) else { return .null }
    return (try? PlaceholderDecoder.made(decodable, filling: filling))
      .flatMap { StoreValue(any: $0) } ?? .null
  }

  override func value(at index: Int) throws -> StoreValue { values[index] }

  override func isDeferred(at index: Int) -> Bool { missing.contains(index) }

  override func models(at index: Int) -> ArraySlice<any PersistentModel>? {
    related[index, default: []][...]
  }
}
