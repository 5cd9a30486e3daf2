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
    // Apple's Foundation exports Combine.
    let imports = Set(target.files.values.flatMap(\.imports)).union(["Combine"])
    return imports.subtracting(modules).subtracting(tested)
  }

  /// All stand-ins, with those that others export.
  var standIns: [String] {
    let direct = written.reduce(into: Set<String>()) { $0.formUnion(standIns(of: $1)) }
    return direct.union(direct.flatMap { StandIns.module($0).exports }).sorted()
  }

  /// Leaves out the imports of modules that have neither a source nor a stand-in.
  ///
  /// A file that needs only the import then compiles: its module exports Foundation.
  mutating func leaveOutAbsentModules() {
    let absent = tested.subtracting(targets.map(\.module)).subtracting(StandIns.present)
    for index in targets.indices {
      for file in targets[index].files.keys {
        let imports = targets[index].declarations(of: file).imports.compactMap { item in
          item.types.intersection(absent).first.map { (item, reason: "no such module '\($0)'") }
        }
        targets[index].leaveOut(imports, of: file)
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
      var views = Set<String>()
      for file in targets[index].files.keys {
        let items = targets[index].declarations(of: file).items.compactMap { item in
          item.types.intersection(absent).min().map { type in
            (item, reason: reason("cannot find '\(type)' in scope", file, of: targets[index]))
          }
        }
        views.formUnion(items.map(\.0.name))
        targets[index].leaveOut(items, of: file)
      }
      targets[index].keepNames(of: views)
    }
  }
}

extension AdoptedPackage {
  /// Leaves out what needs types that are left out: the compiler takes a build for each step.
  ///
  /// - Parameter declared: The types of the stand-ins.
  mutating func leaveOutDependents(besides declared: Set<String>) {
    var isComplete = false
    while !isComplete {
      isComplete = true
      let lost = lostTypes.subtracting(declared)
      for index in targets.indices {
        for file in targets[index].files.keys {
          let mentions = targets[index].declarations(of: file).mentions(of: lost)
          guard !mentions.isEmpty else { continue }
          let errors = mentions.map { name, position in
            CompilerErrors.Entry(position: position, message: "cannot find '\(name)' in scope")
          }
          leaveOut(file, ofTarget: index, because: errors)
          isComplete = false
        }
      }
    }
  }

  /// The types that are left out, unless another type has the name.
  private var lostTypes: Set<String> {
    let lost = targets.map(\.lostTypes)
    let present = zip(targets, lost).reduce(into: Set()) { names, item in
      names.formUnion(Set(item.0.declarations.keys).subtracting(item.1))
    }
    return Set(lost.joined()).subtracting(present)
  }

  /// Leaves out the declarations of a file that have errors, or all of it if it needs one of them.
  mutating func leaveOut(
    _ file: String,
    ofTarget index: Int,
    because errors: [CompilerErrors.Entry]
  ) {
    let declarations = targets[index].declarations(of: file)
    var items: [Int: (SourceDeclarations.Item, reason: String)] = [:]
    for error in errors {
      let reason = reason(error.message, file, of: targets[index])
      guard let item = declarations.item(at: error.position) else {
        return targets[index].leaveOut(file, because: reason)
      }
      if items[item.range.lowerBound] == nil { items[item.range.lowerBound] = (item, reason) }
    }
    targets[index].leaveOut(items.sorted { $0.key < $1.key }.map(\.value), of: file)
  }

  /// Returns an error with the modules that the file imports and Linux lacks, or with the file that
  /// declares a type which is not found.
  private func reason(_ message: String, _ file: String, of target: AdoptedTarget) -> String {
    let match = message.firstMatch(of: #/cannot find (?:type )?'(\w+)' in scope/#)
    let name = match.map { String($0.output.1) } ?? ""
    for owner in targets {
      guard let place = owner.declarations[name] else { continue }
      if owner.files[place] == nil { return message + "; \(place), which declares it, is left out" }
      if owner.declarationsLeftOut.contains(where: { $0.file == place && $0.name == name }) {
        return message + "; it is left out of \(place)"
      }
    }
    let absent = (target.files[file]?.imports ?? []).intersection(standIns)
    guard !absent.isEmpty else { return message }
    return message + "; the file imports \(absent.sorted().joined(separator: ", "))"
  }
}
