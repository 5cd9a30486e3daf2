import Foundation

/// The settings of a target that change how its source compiles.
struct BuildSettings {
  private var values: [String: String] = [:]
  /// The upcoming features that a package enables by name.
  private var namedFeatures: Set<String> = []

  /// Reads the configuration for debugging of a project and of one of its targets.
  init(of target: ProjectFile.Object, in project: ProjectFile) {
    for owner in [project.root, target] {
      for (key, value) in Self.settings(of: owner, in: project) {
        let text = (value as? [Any])?.compactMap { $0 as? String }.joined(separator: " ")
        values[key] = text ?? value as? String
      }
    }
  }

  /// Reads the settings of a target in the JSON of a package's manifest.
  init(ofPackageTarget target: ProjectFile.Object, toolsVersion: String) {
    values["SWIFT_VERSION"] = toolsVersion
    var conditions: [String] = []
    for setting in target.fields["settings"] as? [[String: Any]] ?? [] {
      for (kind, argument) in setting["kind"] as? [String: [String: Any]] ?? [:] {
        guard let text = argument["_0"] as? String else { continue }
        switch kind {
        case "swiftLanguageMode": values["SWIFT_VERSION"] = text
        case "defaultIsolation": values["SWIFT_DEFAULT_ACTOR_ISOLATION"] = text
        case "enableUpcomingFeature": namedFeatures.insert(text)
        case "define": conditions.append(text)
        default: break
        }
      }
    }
    values["SWIFT_ACTIVE_COMPILATION_CONDITIONS"] = conditions.joined(separator: " ")
  }

  private static func settings(
    of owner: ProjectFile.Object,
    in project: ProjectFile
  ) -> [String: Any] {
    guard let list = project.object(owner.text("buildConfigurationList")) else { return [:] }
    let configurations = project.objects("buildConfigurations", of: list)
    let name = list.text("defaultConfigurationName")
    let chosen =
      configurations.first { $0.text("name") == "Debug" }
      ?? configurations.first { $0.text("name") == name } ?? configurations.first
    return chosen?.fields["buildSettings"] as? [String: Any] ?? [:]
  }

  subscript(key: String) -> String? { values[key] }

  /// The name of the target's module.
  func module(ofTarget name: String) -> String {
    let product = Self.text(values["PRODUCT_NAME"] ?? name, ofTarget: name, product: name)
    let text = Self.text(values["PRODUCT_MODULE_NAME"] ?? product, ofTarget: name, product: product)
    return Self.identifier(text.contains("$") ? name : text)
  }

  /// Returns the value of a setting with the values of its variables.
  private static func text(_ value: String, ofTarget name: String, product: String) -> String {
    let values = [("TARGET_NAME", name), ("TARGETNAME", name), ("PRODUCT_NAME", product)]
    return values.reduce(value.replacing(":c99extidentifier", with: "")) { text, item in
      text.replacing("$(\(item.0))", with: item.1).replacing("${\(item.0)}", with: item.1)
    }
  }

  /// Replaces what an identifier cannot have, as Xcode does.
  private static func identifier(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      scalar == "_" || scalar.properties.isXIDContinue ? String(scalar) : "_"
    }
    let joined = scalars.joined()
    return SwiftName.isPlain(joined) ? joined : "_" + joined
  }

  private var isSwift6: Bool { values["SWIFT_VERSION"]?.hasPrefix("6") ?? false }

  /// The settings in the form of a manifest.
  var manifest: [String] {
    var lines = [".swiftLanguageMode(\(isSwift6 ? ".v6" : ".v5"))"]
    if values["SWIFT_DEFAULT_ACTOR_ISOLATION"] == "MainActor" {
      lines.append(".defaultIsolation(MainActor.self)")
    }
    lines += features.map { ".enableUpcomingFeature(\(AdoptedPackage.literal($0)))" }
    let conditions = values["SWIFT_ACTIVE_COMPILATION_CONDITIONS"]?.split(separator: " ") ?? []
    // A package defines DEBUG itself.
    for condition in conditions where condition != "DEBUG" && SwiftName.isPlain(String(condition)) {
      lines.append(".define(\"\(condition)\")")
    }
    return lines
  }

  /// Whether declarations are isolated to the main actor by default.
  var isOnMainActor: Bool { values["SWIFT_DEFAULT_ACTOR_ISOLATION"] == "MainActor" }

  private var features: [String] {
    let enabled = values.filter { $0.value == "YES" }.keys
    var features = namedFeatures.union(enabled.compactMap(Self.feature))
    if values["SWIFT_APPROACHABLE_CONCURRENCY"] == "YES" { features.formUnion(Self.approachable) }
    return (isSwift6 ? features.subtracting(Self.partOfSwift6) : features).sorted()
  }

  private static let approachable: Set<String> = [
    "DisableOutwardActorInference", "InferSendableFromCaptures",
    "GlobalActorIsolatedTypesUsability", "InferIsolatedConformances",
    "NonisolatedNonsendingByDefault",
  ]

  /// The compiler warns about these in its Swift 6 mode.
  private static let partOfSwift6: Set<String> = [
    "BareSlashRegexLiterals", "ConciseMagicFile", "DeprecateApplicationMain",
    "DisableOutwardActorInference", "DynamicActorIsolation", "ForwardTrailingClosures",
    "GlobalActorIsolatedTypesUsability", "GlobalConcurrency", "ImplicitOpenExistentials",
    "ImportObjcForwardDeclarations", "InferSendableFromCaptures", "IsolatedDefaultValues",
    "RegionBasedIsolation",
  ]

  private static let featurePrefix = "SWIFT_UPCOMING_FEATURE_"

  /// The settings whose names are not those of their features in capitals.
  private static let irregularFeatures = [
    "SWIFT_ENABLE_BARE_SLASH_REGEX": "BareSlashRegexLiterals",
    featurePrefix + "DISABLE_OUTWARD_ACTOR_ISOLATION": "DisableOutwardActorInference",
    featurePrefix + "IMPORT_OBJC_FORWARD_DECLS": "ImportObjcForwardDeclarations",
  ]

  /// Returns the upcoming feature that a setting enables, or `nil` if it enables none.
  private static func feature(of setting: String) -> String? {
    if let name = irregularFeatures[setting] { return name }
    guard setting.hasPrefix(featurePrefix) else { return nil }
    return setting.dropFirst(featurePrefix.count).split(separator: "_").map(\.capitalized).joined()
  }
}
