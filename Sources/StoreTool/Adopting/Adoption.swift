import CommandLineSupport
import Foundation

/// Writes a package with the models and tests of an app that compile on Linux.
struct Adoption {
  private var package: AdoptedPackage
  private let folder: AdoptedFolder
  private let tool: PackageTool
  private let progress: (String) -> Void
  /// The targets that are not adopted, with the reasons.
  private var leftOut: [AdoptionReport.Omission] = []

  /// Reads the project of an app and the files of its targets.
  ///
  /// - Parameters:
  ///   - app: The folder of the app, or its Xcode project.
  ///   - output: The folder to write, or `nil` for `Linux` in that of the app.
  ///   - location: The location of OpenSwiftData.
  ///   - tool: The program that builds and tests the package.
  ///   - progress: Receives one line about each step.
  /// - Throws: `CommandFailure` for a missing or damaged project and an unusable folder.
  init(
    of app: String,
    to output: String?,
    location: PackageLocation,
    tool: PackageTool,
    progress: @escaping (String) -> Void
  ) throws {
    let app = URL(filePath: app).resolvingSymlinksInPath()
    let parent = app.pathExtension == "xcodeproj" ? app.deletingLastPathComponent() : app
    let target = output.map { URL(filePath: $0) } ?? parent.appending(path: "Linux")
    let output = ProjectPaths.joined(target.path(percentEncoded: false), "")
    var project = try XcodeProject(ofApp: app, without: output)
    folder = try AdoptedFolder(output, ofApp: project.folder)
    let packages = try LocalPackage.all(
      in: project.folder,
      without: output,
      tool: tool,
      scratch: folder.path + "/.build/manifests"
    )
    project.add(packages, without: output)
    self.tool = tool
    self.progress = progress
    var choice = TargetChoice(of: project)
    let targets = choice.targets()
    leftOut = choice.leftOut
    let tested = Set(targets.flatMap(\.files.values).flatMap(\.tested))
    package = AdoptedPackage(
      name: project.name,
      localization: project.localization,
      location: location,
      targets: targets,
      tested: tested
    )
    package.leaveOutAbsentModules()
    package.leaveOutInterface(besides: folder.types(ofStandIns: package.standIns))
  }

  /// Writes and builds the package until it compiles, and runs its tests.
  ///
  /// - Throws: `CommandFailure` if something other than the app's files does not compile.
  mutating func run() throws -> AdoptionReport {
    try build(isSearching: true)
    try folder.write(package, isSearching: false)
    var count = TestCount(in: "")
    while package.written.contains(where: \.isTest) {
      progress("Running the tests")
      let outcome = try tool.run(["test", "--package-path", folder.path])
      count = TestCount(in: outcome.output)
      if outcome.isEnded { progress("The tests printed nothing for minutes and were ended") }
      guard let crash = TestCrash(in: outcome.output, files: Set(places.keys)), leaveOut(crash)
      else {
        break
      }
      try build(isSearching: false)
    }
    return AdoptionReport(package, folder: folder.path, leftOut: leftOut, tests: count)
  }

  /// The targets with their files, by the files' paths in the package.
  private var places: [String: (target: Int, file: String)] {
    package.targets.enumerated().reduce(into: [:]) { places, item in
      for file in item.element.files.keys {
        places[item.element.place(of: file)] = (item.offset, file)
      }
    }
  }

  /// Leaves out the test that ends the program, and returns whether it is known.
  private mutating func leaveOut(_ crash: TestCrash) -> Bool {
    // The outermost call is the test itself; one inside of it may be of many.
    for entry in crash.entries.reversed() {
      guard let (target, file) = places[entry.file], package.targets[target].isTest else {
        continue
      }
      package.leaveOut(file, ofTarget: target, because: [entry.error])
      return true
    }
    return false
  }

  /// Builds the package until it compiles.
  private mutating func build(isSearching: Bool) throws {
    repeat {
      package.leaveOutDependents(besides: folder.types(ofStandIns: package.standIns))
      try folder.write(package, isSearching: isSearching)
    } while try !builds()
  }

  /// Builds the package once, and leaves out what does not compile.
  private mutating func builds() throws -> Bool {
    let count = package.written.reduce(0) { $0 + $1.files.count }
    progress("Building \(count) files of \(package.written.map(\.module).joined(separator: ", "))")
    let outcome = try tool.run(["build", "--build-tests", "--package-path", folder.path])
    if outcome.status == 0 { return true }
    let places = places
    let errors = CompilerErrors(in: outcome.output, files: Set(places.keys))
    guard !errors.byFile.isEmpty else {
      let last = outcome.output.split(whereSeparator: \.isNewline).last.map(String.init)
      throw CommandFailure(
        "the package at \(folder.path) does not build, and not because of a file of the app: "
          + (errors.others.first ?? last ?? "status \(outcome.status)")
      )
    }
    for (place, errors) in errors.byFile {
      guard let (target, file) = places[place] else { continue }
      package.leaveOut(file, ofTarget: target, because: errors)
    }
    return false
  }
}
