/// The written package: its manifest and its files.
struct AdoptedPackage {
  let name: String
  let localization: String?
  let location: PackageLocation
  var targets: [AdoptedTarget]
  /// The modules that files test for with `canImport`: a stand-in would change what they compile.
  let tested: Set<String>

  /// The targets that have files.
  var written: [AdoptedTarget] {
    targets.filter { !$0.isTest || !$0.files.isEmpty }
  }

  /// Returns the stand-ins that a target needs.
  func standIns(of target: AdoptedTarget) -> Set<String> {
    let modules = Set(targets.map(\.module)).union(StandIns.present)
    let imports = Set(target.files.values.flatMap(\.imports))
    return imports.subtracting(modules).subtracting(tested)
  }

  /// All stand-ins, with those that others export.
  var standIns: [String] {
    let direct = written.reduce(into: Set<String>()) { $0.formUnion(standIns(of: $1)) }
    return direct.union(direct.flatMap { StandIns.module($0).exports }).sorted()
  }

  /// Leaves out the files that import a module that has neither a source nor a stand-in.
  mutating func leaveOutAbsentModules() {
    let known = Set(targets.map(\.module)).union(StandIns.present)
    for index in targets.indices {
      for (file, summary) in targets[index].files {
        let absent = summary.imports.intersection(tested).subtracting(known)
        guard let module = absent.min() else { continue }
        targets[index].leaveOut(file, because: "no such module '\(module)'")
      }
    }
  }

  /// Leaves out the files with types of a user interface, which take the compiler long.
  ///
  /// - Parameter declared: The types of the stand-ins.
  mutating func leaveOutInterface(besides declared: Set<String>) {
    let known = targets.reduce(declared) { $0.union($1.declarations.keys) }
    let absent = StandIns.interfaceTypes.subtracting(known)
    for index in targets.indices {
      for (file, summary) in targets[index].files {
        guard let type = summary.inherited.intersection(absent).min() else { continue }
        leaveOut(file, ofTarget: index, because: "cannot find '\(type)' in scope")
      }
    }
  }
}

extension AdoptedPackage {
  /// Leaves out a file because of an error of the compiler.
  ///
  /// The reason also names the modules that the file imports and Linux lacks, or the file that
  /// declares a type which is not found.
  mutating func leaveOut(_ file: String, ofTarget index: Int, because message: String) {
    let target = targets[index]
    let absent = (target.files[file]?.imports ?? []).intersection(standIns)
    var reason = message
    let name = message.firstMatch(of: #/cannot find (?:type )?'(\w+)' in scope/#)?.output.1
    let place = targets.lazy.compactMap { $0.declarations[String(name ?? "")] }.first
    if let place, place != file {
      reason += "; \(place), which declares it, is left out"
    } else if !absent.isEmpty {
      reason += "; the file imports \(absent.sorted().joined(separator: ", "))"
    }
    targets[index].leaveOut(file, because: reason)
  }
}
