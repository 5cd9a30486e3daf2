import Foundation

/// Chooses the targets of a project to adopt.
///
/// These are the unit tests, the targets that they need, and others with models.
struct TargetChoice {
  private let project: XcodeProject
  /// The targets that are not adopted, with the reasons.
  private(set) var leftOut: [AdoptionReport.Omission] = []

  init(of project: XcodeProject) { self.project = project }

  /// Returns the targets, with each after those that it needs.
  mutating func targets() -> [AdoptedTarget] {
    var read: [AdoptedTarget] = []
    for target in project.targets {
      if case .other(let reason) = target.kind {
        omit(target, because: reason)
      } else {
        read.append(AdoptedTarget(target, in: project.folder))
      }
    }
    let needs = Self.needs(of: read)
    let needed = Self.closure(of: read.filter(\.isTest), needs)
    var (chosen, modules, files) = ([AdoptedTarget](), Set<String>(), Set<String>())
    // Targets that tests need come first: of two with one name, those win.
    let rank = { (item: AdoptedTarget) in item.isTest ? 2 : needed.contains(item.target.id) ? 0 : 1
    }
    for item in read.sorted(by: { rank($0) < rank($1) }) {
      if !needed.contains(item.target.id), item.modelFiles.isSubset(of: files) {
        omit(item.target, because: "no test needs it, and it has no models of its own")
      } else if !modules.insert(item.module).inserted {
        omit(item.target, because: "another target has its module's name \(item.module)")
      } else {
        files.formUnion(item.modelFiles)
        chosen.append(item)
      }
    }
    let names = Dictionary(chosen.map { ($0.target.id, $0.module) }) { first, _ in first }
    for index in chosen.indices {
      let ids = needs[chosen[index].target.id] ?? []
      chosen[index].dependencies = Set(ids.compactMap { names[$0] }).sorted()
    }
    return chosen
  }

  private mutating func omit(_ target: XcodeProject.Target, because reason: String) {
    leftOut.append(AdoptionReport.Omission(name: target.name, reason: reason))
  }

  /// Returns the identifiers of the targets that each target needs.
  ///
  /// These are its dependencies in the project, and the modules that its files import from other
  /// projects and packages.
  private static func needs(of targets: [AdoptedTarget]) -> [String: [String]] {
    let modules = Dictionary(targets.lazy.filter { !$0.isTest }.map { ($0.module, $0.target.id) }) {
      first,
      _ in first
    }
    let names = Dictionary(targets.map { ($0.target.id, $0.module) }) { first, _ in first }
    return targets.reduce(into: [:]) { needs, item in
      let dependencies = item.target.dependencies
      let imports = Set(item.files.values.flatMap(\.imports))
        .subtracting(dependencies.compactMap { names[$0] }).subtracting([item.module])
      needs[item.target.id] = dependencies + imports.compactMap { modules[$0] }
    }
  }

  /// Returns the identifiers of targets and of all those on which they depend.
  private static func closure(
    of targets: [AdoptedTarget],
    _ needs: [String: [String]]
  ) -> Set<String> {
    var (found, rest) = (Set<String>(), targets.map(\.target.id))
    while let next = rest.popLast() {
      if found.insert(next).inserted { rest += needs[next] ?? [] }
    }
    return found
  }
}
