import CommandLineSupport
import Foundation

/// Reading of an app's files, which are never written.
enum SourceFile {
  /// Returns the bytes of a regular file.
  ///
  /// - Throws: `CommandFailure` if it is no regular file, too large or unreadable.
  static func bytes(of file: URL, limit: Int) throws -> Data {
    let path = file.path(percentEncoded: false)
    let values: URLResourceValues
    let bytes: Data
    do {
      values = try file.resolvingSymlinksInPath()
        .resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
      // Reading a pipe or a device may never end.
      guard values.isRegularFile == true else { throw CommandFailure("\(path) is no regular file") }
      guard (values.fileSize ?? 0) <= limit else {
        throw CommandFailure("\(path) is larger than \(limit >> 20) MiB")
      }
      bytes = try Data(contentsOf: file)
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure("\(path) cannot be read: \(error.localizedDescription)")
    }
    return bytes
  }

  /// Returns the folders in a folder, without hidden ones.
  static func folders(in folder: URL) -> [URL] {
    let entries = try? FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: [.isDirectoryKey],
      options: .skipsHiddenFiles
    )
    return (entries ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    }
  }

  /// Returns the folders in a folder that may have projects or packages of an app.
  static func projectFolders(in folder: URL) -> [URL] {
    folders(in: folder).filter {
      !["Pods", "Carthage", "build", "DerivedData"].contains($0.lastPathComponent)
    }
  }

  /// Returns the paths of all Swift files below a folder, in order.
  static func swiftFiles(below folder: String, without output: String) -> [String] {
    var (found, rest) = ([String](), [URL(filePath: folder, directoryHint: .isDirectory)])
    while let next = rest.popLast() {
      rest += folders(in: next).filter {
        ProjectPaths.joined($0.path(percentEncoded: false), "") != ProjectPaths.joined(output, "")
      }
      let path = ProjectPaths.joined(next.path(percentEncoded: false), "")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      found += names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") }
        .map { "\(path)/\($0)" }
    }
    return found.sorted()
  }
}
