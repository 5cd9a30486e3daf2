import OpenSwiftData

/// The names of the types of properties, with the declarations of structured ones.
struct SwiftTypes {
  /// The lines of each declaration.
  private(set) var declarations: [[String]] = []
  private var names: Set<String> = []
  private var cached: [String: String] = [:]
  /// The names of the models, which hide types of Swift and Foundation.
  private let models: Set<String>

  init(in schema: StoreSchema) {
    models = Set(schema.entities.map(\.name))
  }

  /// Returns the type of a property, `?` included.
  mutating func name(of property: StoreProperty, _ shape: ValueShape) -> String {
    let mark = property.isOptional ? "?" : ""
    switch property.kind {
    case .toMany(let relationship): return "[\(SwiftName.member(relationship.destination))]"
    // Every reference may be absent while objects are created.
    case .toOne(let relationship): return SwiftName.member(relationship.destination) + "?"
    case .attribute(.codable):
      if let cached = cached[property.name] { return cached + mark }
      let name = name(of: shape, for: property.name)
      cached[property.name] = name
      return name + mark
    case .attribute(let type): return basic(Self.name(of: type)) + mark
    }
  }

  /// Returns the name of a type of Swift or Foundation, qualified if a model has that name.
  private func basic(_ name: String) -> String {
    guard models.contains(name) else { return name }
    let isOfFoundation = ["Data", "Date", "Decimal", "UUID", "URL"].contains(name)
    return (isOfFoundation ? "Foundation." : "Swift.") + name
  }

  private static func name(of type: AttributeType) -> String {
    switch type {
    case .int64: "Int"
    case .int8, .int16, .int32: "Int" + type.rawValue.dropFirst(3)
    case .uint64: "UInt"
    case .uint8, .uint16, .uint32: "UInt" + type.rawValue.dropFirst(4)
    case .uuid: "UUID"
    case .url: "URL"
    case .bool, .float, .double, .decimal, .string, .date, .data, .codable:
      type.rawValue.prefix(1).uppercased() + type.rawValue.dropFirst()
    }
  }

  private mutating func name(of shape: ValueShape, for property: String) -> String {
    switch shape {
    case .bool: basic("Bool")
    case .integer: basic("Int")
    case .unsigned: basic("UInt")
    case .double: basic("Double")
    case .decimal: basic("Decimal")
    case .string: basic("String")
    case .date: basic("Date")
    case .data: basic("Data")
    case .uuid: basic("UUID")
    // No stored value shows the type.
    case .unknown: "[\(basic("String"))]"
    case .array(let element): "[\(name(of: element, for: property + "Element"))]"
    case .structure(let members): declare(property, members)
    case .enumeration(let cases): declare(property, cases)
    }
  }

  private mutating func declare(_ property: String, _ members: [ValueShape.Member]) -> String {
    let name = unused(property)
    var lines = ["struct \(name): Codable, Hashable {"]
    var keys: [String] = []
    for member in members {
      let type = self.name(of: member.shape, for: property + "_" + member.name)
      let variable = SwiftName.member(member.name)
      lines.append("  var \(variable): \(type)\(member.isOptional ? "?" : "")")
      let isCoded = variable == member.name || variable == "`\(member.name)`"
      keys.append("    case \(variable)\(isCoded ? "" : " = \(member.name.debugDescription)")")
    }
    if keys.contains(where: { $0.contains(" = ") }) {
      lines += ["", "  enum CodingKeys: \(basic("String")), CodingKey {"] + keys + ["  }"]
    }
    declarations.append(lines + ["}"])
    return name
  }

  /// Removes the declarations and keeps the names of the types, as a subclass inherits them.
  mutating func removeDeclarations() { declarations = [] }

  private mutating func declare(_ property: String, _ cases: [ValueShape.Case]) -> String {
    let name = unused(property)
    var lines = ["enum \(name): Codable, Hashable {"]
    for item in cases.sorted(by: { $0.name < $1.name }) {
      let values = item.values.map { self.name(of: $0.shape, for: property + "_" + item.name) }
      let list = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
      lines.append("  case \(SwiftName.member(item.name))\(list)")
    }
    declarations.append(lines + ["}"])
    return name
  }

  private mutating func unused(_ property: String) -> String {
    let words = property.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    let base = SwiftName.member(words.joined() + "Value")
    var name = base
    var number = 2
    while !names.insert(name).inserted {
      name = "\(base)\(number)"
      number += 1
    }
    return name
  }
}
