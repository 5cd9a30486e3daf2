import Foundation

/// The Swift files of a project's targets.
struct TargetFiles {
  private let project: ProjectFile
  private let paths: ProjectPaths
  private let folder: String
  private let output: String
  /// The groups that Xcode fills from a folder, with the targets that have them.
  private var owners: [String: Set<String>] = [:]

  init(of project: ProjectFile, paths: ProjectPaths, in folder: String, without output: String) {
    self.project = project
    self.paths = paths
    self.folder = folder
    self.output = output
    for target in project.objects("targets", of: project.root) {
      for group in target.texts("fileSystemSynchronizedGroups") {
        owners[group, default: []].insert(target.id)
      }
    }
  }

  /// Returns the paths of a target's files, relative to the app's folder.
  func files(of target: ProjectFile.Object) -> [String] {
    var found = Set<String>()
    for phase in project.objects("buildPhases", of: target)
    where phase.text("isa") == "PBXSourcesBuildPhase" {
      for file in project.objects("files", of: phase) {
        if let path = file.text("fileRef").flatMap({ paths[$0] }) { found.insert(path) }
      }
    }
    for (group, owners) in owners {
      found.formUnion(files(ofGroup: group, owned: owners.contains(target.id), by: target.id))
    }
    return found.filter { $0.hasSuffix(".swift") }
      .compactMap { ProjectPaths.relative($0, to: folder) }
      .sorted()
  }

  /// Returns a target's files in a synchronized folder.
  ///
  /// The exceptions of an owner are files that it lacks. Those of another target are files that it
  /// has.
  private func files(ofGroup id: String, owned: Bool, by target: String) -> [String] {
    guard let group = project.object(id), let path = paths[id] else { return [] }
    let exceptions = project.objects("exceptions", of: group)
      .filter { $0.text("target") == target }
      .flatMap { $0.texts("membershipExceptions") }
      .map { ProjectPaths.joined(path, $0) }
    guard owned || !exceptions.isEmpty else { return [] }
    return SourceFile.swiftFiles(below: path, without: output).filter { file in
      let isException = exceptions.contains {
        file == $0 || ProjectPaths.relative(file, to: $0) != nil
      }
      return isException != owned
    }
  }
}
