// Sources for Apple's systems have `import SwiftData`, and Linux has no module of that name.
@_exported import OpenSwiftData
