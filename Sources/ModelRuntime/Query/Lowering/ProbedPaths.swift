import Foundation
import StoreProtocol

/// Finds the names in key paths of several components and of Codable members.
///
/// Such a key path cannot be compared with a registered one. It is applied to values whose members
/// differ from round to round, each in its own way. It refers to the member whose value it always
/// returns.
enum ProbedPaths {
  private static let rounds = 24

  /// Returns the names on the path from the root to the value of a key path, or `nil` if there are
  /// none.
  static func path(of keyPath: AnyKeyPath) -> [String]? {
    let root = type(of: keyPath).rootType
    var agreeing: Set<[String]>?
    var seen: Set<StoreValue> = []
    for round in 0..<rounds {
      guard let probe = Probe(root, round: round),
        let value = probe.value(at: keyPath)
      else { return nil }
      // Of a value that is nil, the members are unknown: they are nil like it.
      if value.isNull, agreeing == nil { continue }
      seen.insert(value)
      var names = Set(probe.members.filter { $0.value == value }.map(\.key))
      if value.isNull { names.formUnion((agreeing ?? []).filter(probe.lacks)) }
      let rest = agreeing?.intersection(names) ?? names
      if rest.isEmpty { return nil }
      agreeing = rest
      if rest.count == 1, seen.count > 1, round >= 18 { break }
    }
    guard let agreeing else { return nil }
    let declared = keyPath.declaredNames
    if agreeing.contains(declared) { return declared }
    return agreeing.count == 1 && seen.count > 1 ? agreeing.first : nil
  }
}

/// A value for trying key paths, with all its members.
private struct Probe {
  private let root: Any
  /// The stored form of each member by its path of names.
  private(set) var members: [[String]: StoreValue] = [:]

  init?(_ type: Any.Type, round: Int) {
    if let model = type as? any PersistentModel.Type {
      let reader = ProbeReader(ModelLayout.of(model), Filling(round: round))
      guard let object = reader.object else { return nil }
      root = object
      members = reader.members
    } else if let codable = CodableTypes.type(type) {
      guard let value = Self.made(codable, round), let stored = StoreValue(any: value) else {
        return nil
      }
      root = value
      stored.collectMembers(at: [], into: &members)
    } else {
      return nil
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

  private static func made<T: Codable>(_ type: T.Type, _ round: Int) -> T? {
    try? PlaceholderDecoder.made(type, filling: Filling(round: round))
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
  private var related: [Int: any PersistentModel] = [:]
  /// The attributes whose types accept no value that could be made up, as a time zone does.
  private var missing: Set<Int> = []
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
    related[index] = other
    guard !shape.isToMany else {
      members[[property.name]] = .identifiers([other.persistentModelID])
      return
    }
    members[[property.name]] = .identifier(other.persistentModelID)
    for (path, value) in reader.members { members[[property.name] + path] = value }
  }

  private static func stored(_ type: Any.Type, _ filling: Filling) -> StoreValue {
    if let optional = type as? any OptionalType.Type {
      return filling.isSecond ? .null : stored(optional.wrapped, filling.inside("some"))
    }
    if let scalar = type as? any StoreScalar.Type { return filling.scalar(scalar).storeValue }
    guard let decodable = CodableTypes.decodable(type) else { return .null }
    return (try? PlaceholderDecoder.made(decodable, filling: filling))
      .flatMap { StoreValue(any: $0) } ?? .null
  }

  override func value(at index: Int) throws -> StoreValue { values[index] }

  override func isDeferred(at index: Int) -> Bool { missing.contains(index) }

  override func models(at index: Int) -> ArraySlice<any PersistentModel>? {
    related[index].map { [$0] } ?? []
  }
}
