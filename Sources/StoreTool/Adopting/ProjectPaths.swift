import Foundation

/// The locations of a project's groups and files.
struct ProjectPaths {
  /// Absolute paths by the identifiers of objects.
  private var paths: [String: String] = [:]

  /// Walks the groups of a project that is in a folder.
  init(of project: ProjectFile, in folder: String) {
    let root = Self.joined(folder, project.root.text("projectDirPath") ?? "")
    guard let main = project.object(project.root.text("mainGroup")) else { return }
    // Not recursive, and each object once: a file may have circles and any depth.
    var rest = [(object: main, parent: root)]
    while let (object, parent) = rest.popLast() {
      guard paths[object.id] == nil, let path = Self.path(of: object, parent: parent, root: root)
      else { continue }
      paths[object.id] = path
      rest += project.objects("children", of: object).map { ($0, path) }
    }
  }

  /// The absolute path of a group or file, or `nil` if it is not a file of the project.
  subscript(id: String) -> String? { paths[id] }

  private static func path(of object: ProjectFile.Object, parent: String, root: String) -> String? {
    let path = object.text("path") ?? ""
    return switch object.text("sourceTree") ?? "<group>" {
    case "<group>": joined(parent, path)
    case "SOURCE_ROOT": joined(root, path)
    case "<absolute>": joined(path, "")
    default: nil
    }
  }

  /// Returns a path without `.` and `..`; an absolute second path replaces the first.
  static func joined(_ folder: String, _ path: String) -> String {
    let text = path.hasPrefix("/") ? path : folder + "/" + path
    var parts: [Substring] = []
    for part in text.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// Returns the path of a file relative to a folder, or `nil` if it is outside of it.
  static func relative(_ path: String, to folder: String) -> String? {
    let prefix = folder == "/" ? "/" : folder + "/"
    return path.utf8.starts(with: prefix.utf8) ? String(path.dropFirst(prefix.count)) : nil
  }
}
