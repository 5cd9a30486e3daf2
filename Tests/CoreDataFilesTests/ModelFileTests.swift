import CoreDataTestSupport
import Foundation
import StoreTestSupport
import Testing

@testable import CoreDataFiles

@Suite("Reading models from files")
struct ModelFileTests {
  private let folder: TemporaryFolder
  private let model = SampleModel.everything

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    let url = folder.file(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(bytes).write(to: url)
  }

  private func write(_ text: String, _ path: String) throws {
    try write([UInt8](text.utf8), path)
  }

  @Test func `a compiled model is read`() throws {
    try write(ModelWriter.archive(model), "Model.mom")
    #expect(try ModelFile.read(folder.file("Model.mom")) == model)
  }

  @Test func `a file that Apple's compiler did not write is refused with the reason`() throws {
    try write("<?xml version=\"1.0\"?><plist></plist>", "Model.mom")
    let error = #expect(throws: FormatError.self) { try ModelFile.read(folder.file("Model.mom")) }
    #expect(error?.reason.contains("not a compiled model") == true)
  }

  @Test(arguments: [true, false])
  func `the version with the store's hashes is read`(_ isXML: Bool) throws {
    let other = ManagedModel(entities: [ManagedModel.Entity(name: "Old")])
    try write(ModelWriter.archive(model), "Model.momd/New.mom")
    try write(ModelWriter.archive(other), "Model.momd/Old.mom")
    let hashes: [String: [UInt8]] = ["Old": [1, 2, 3]]
    let information: [String: Any] = [
      "NSManagedObjectModel_CurrentVersionName": "New",
      "NSManagedObjectModel_VersionHashes": [
        "New": ["Person": Data([9])], "Old": ["Old": Data([1, 2, 3])],
      ],
    ]
    let data = try PropertyListSerialization.data(
      fromPropertyList: information,
      format: isXML ? .xml : .binary,
      options: 0
    )
    try write([UInt8](data), "Model.momd/VersionInfo.plist")
    let url = folder.file("Model.momd")
    #expect(try ModelFile.read(url) == model)
    #expect(try ModelFile.read(url, matching: hashes) == other)
    let error = #expect(throws: FormatError.self) {
      try ModelFile.read(url, matching: ["Old": [4]])
    }
    #expect(error?.reason.contains("it has New, Old") == true)
  }

  @Test func `a version name outside the folder is refused`() throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["NSManagedObjectModel_CurrentVersionName": "../Secret"],
      format: .binary,
      options: 0
    )
    try write(ModelWriter.archive(model), "Secret.mom")
    try write([UInt8](list), "Model.momd/VersionInfo.plist")
    #expect(throws: FormatError.self) { try ModelFile.read(folder.file("Model.momd")) }
  }

  @Test func `a model's source is read`() throws {
    let source = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" userDefinedModelVersionIdentifier="2.0">
          <!-- A comment with <entity name="None"/> in it. -->
          <entity name="Author" representedClassName=".ZMAuthor" parentEntity="Person">
              <relationship name="books" optional="YES" toMany="YES" ordered="YES"
                deletionRule="Cascade" destinationEntity="Book" inverseName="author"/>
          </entity>
          <entity name="Book" representedClassName="Book">
              <attribute name="title" attributeType="String" defaultValueString="a &lt; b &#x2603;"/>
              <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="12"/>
              <attribute name="isNew" attributeType="Boolean" defaultValueString="YES"/>
              <attribute name="cover" optional="YES" attributeType="Binary"
                allowsExternalBinaryDataStorage="YES"/>
              <attribute name="scratch" optional="YES" transient="YES"/>
              <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify"
                destinationEntity="Author" inverseName="books"/>
              <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary"/></fetchIndex>
              <fetchIndex name="byLength">
                  <fetchIndexElement expression="length:(title)" expressionType="Integer 64"/>
                  <fetchIndexElement property="pages" type="Binary"/>
              </fetchIndex>
              <uniquenessConstraints>
                  <uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
              </uniquenessConstraints>
          </entity>
          <entity name="Person" isAbstract="YES" elementID="Human"/>
          <elements><element name="Book" positionX="0"/></elements>
      </model>
      """
    try write(source, "M.xcdatamodeld/M 2.xcdatamodel/contents")
    try write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string></dict></plist>",
      "M.xcdatamodeld/.xccurrentversion"
    )
    let model = try ModelFile.read(folder.file("M.xcdatamodeld"))
    #expect(model == (try ModelFile.read(folder.file("M.xcdatamodeld/M 2.xcdatamodel"))))
    #expect(model.versionIdentifiers == ["2.0"])
    let author = try #require(model.entity(named: "Author"))
    #expect(author.superentity == "Person" && author.className == "ZMAuthor")
    #expect(author.relationships[0].isOrdered && author.relationships[0].deleteRule == .cascade)
    let book = try #require(model.entity(named: "Book"))
    #expect(book.className == nil && book.uniquenessConstraints == [["title"]])
    #expect(book.indices == [["title"]])
    #expect(
      book.attributes.map { "\($0.name) \($0.type) \($0.isOptional)" } == [
        "cover binary true", "isNew boolean false", "pages integer32 true",
        "scratch undefined true", "title string false",
      ]
    )
    #expect(book.attributes[0].allowsExternalStorage && book.attributes[3].isTransient)
    #expect(book.attributes[4].defaultValue == .string("a < b \u{2603}"))
    #expect(book.attributes[2].defaultValue == .integer(12))
    let person = try #require(model.entity(named: "Person"))
    #expect(person.isAbstract && person.originalName == "Human")
  }

  @Test func `a single version is the current one, and other versions follow the current`()
    throws
  {
    func writeVersion(_ version: String, _ entity: String) throws {
      try write(
        "<model><entity name=\"\(entity)\"/></model>",
        "M.xcdatamodeld/\(version).xcdatamodel/contents"
      )
    }
    let url = folder.file("M.xcdatamodeld")
    try writeVersion("M", "One")
    #expect(try ModelFile.read(url).entities.map(\.name) == ["One"])
    try writeVersion("M 2", "Two")
    #expect(throws: (any Error).self) { try ModelFile.read(url) }
    try write(
      "<plist><dict><key>_XCCurrentVersionName</key><string>M.xcdatamodel</string></dict></plist>",
      "M.xcdatamodeld/.xccurrentversion"
    )
    try write("no model", "M.xcdatamodeld/M 3.xcdatamodel/contents")
    #expect(try ModelFile.versions(url).map { $0.entities.map(\.name) } == [["One"], ["Two"]])
  }

  @Test(arguments: [
    "<model>", "<model></entity></model>", "<model a=b/>", "<model a=\"b/>", "text",
    "<model>&x;</model>",
    "<!DOCTYPE m [<!ENTITY x \"y\">]><model/>", "<model><!-- </model>", "<model><![CDATA[ </model>",
    "<", "",
    "<model><entity name=\"A\" parentEntity=\"B\"/></model>",
    "<model><entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\"/></entity></model>",
  ])
  func `a malformed source is refused`(_ text: String) throws {
    #expect(throws: FormatError.self) { try ManagedModel(source: [UInt8](text.utf8)) }
  }

  @Test func `deep nesting is refused`() throws {
    let text = String(repeating: "<a>", count: 100_000)
    #expect(throws: FormatError.self) { try XMLElement([UInt8](text.utf8)) }
  }
}
