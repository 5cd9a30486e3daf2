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
    let tests = project.targets.filter { $0.kind == .unitTests }
    let needed = closure(of: tests)
    var (chosen, modules, files) = ([AdoptedTarget](), Set<String>(), Set<String>())
    // Targets that tests need come first: of two with one name, those win.
    let order = project.targets.sorted { rank($0, needed) < rank($1, needed) }
    for target in order {
      if case .other(let reason) = target.kind {
        omit(target, because: reason)
        continue
      }
      let read = AdoptedTarget(target, in: project.folder)
      if !needed.contains(target.id), read.modelFiles.isSubset(of: files) {
        omit(target, because: "no test needs it, and it has no models of its own")
      } else if !modules.insert(target.module).inserted {
        omit(target, because: "another target has its module's name \(target.module)")
      } else {
        files.formUnion(read.modelFiles)
        chosen.append(read)
      }
    }
    let names = Dictionary(chosen.map { ($0.target.id, $0.module) }) { first, _ in first }
    for index in chosen.indices {
      chosen[index].dependencies = chosen[index].target.dependencies.compactMap { names[$0] }
    }
    return chosen
  }

  private mutating func omit(_ target: XcodeProject.Target, because reason: String) {
    leftOut.append(AdoptionReport.Omission(name: target.name, reason: reason))
  }

  private func rank(_ target: XcodeProject.Target, _ needed: Set<String>) -> Int {
    if target.kind == .unitTests { return 2 }
    return needed.contains(target.id) ? 0 : 1
  }

  /// Returns the identifiers of targets and of all those on which they depend.
  private func closure(of targets: [XcodeProject.Target]) -> Set<String> {
    var (found, rest) = (Set<String>(), targets)
    while let next = rest.popLast() {
      guard found.insert(next.id).inserted else { continue }
      rest += project.targets.filter { next.dependencies.contains($0.id) }
    }
    return found
  }
}
