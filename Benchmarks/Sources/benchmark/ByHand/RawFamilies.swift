import Foundation
import GRDB

/// The families by hand: three tables, read by three queries in the order of the owners.
extension RawDatabase {
  func createFamilies(_ count: Int) throws {
    try execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE grandparent (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT,
        parentID INTEGER REFERENCES grandparent(id) ON DELETE CASCADE);
      CREATE TABLE grandchild (id INTEGER PRIMARY KEY, name TEXT,
        parentID INTEGER REFERENCES parent(id) ON DELETE CASCADE);
      CREATE INDEX parent_parent ON parent(parentID);
      CREATE INDEX grandchild_parent ON grandchild(parentID);
      BEGIN;
      WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
        INSERT INTO grandparent SELECT i + 1, 'grandparent ' || i FROM n;
      WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count * Family.children))
        INSERT INTO parent SELECT i + 1, 'parent ' || i, i / \(Family.children) + 1 FROM n;
      INSERT INTO grandchild
        SELECT (parent.id - 1) * \(Family.grandchildren) + n.value + 1,
          'grandchild ' || ((parent.id - 1) * \(Family.grandchildren) + n.value), parent.id
        FROM parent, json_each('[\((0..<Family.grandchildren).map { "\($0)" }.joined(separator: ","))]') n
        ORDER BY 1;
      COMMIT
      """
    )
  }

  /// All grandparents with their children and theirs.
  func families() throws -> [Person] {
    let oldest = try statement("SELECT id, name FROM grandparent ORDER BY id")
    var grandparents: [Person] = []
    while oldest.step() { grandparents.append(oldest.person(0)) }
    let parents = try children("parent", of: grandparents)
    _ = try children("grandchild", of: parents)
    return grandparents
  }

  /// Gives owners their children, which come in the order of the owners.
  private func children(_ table: String, of owners: [Person]) throws -> [Person] {
    let statement = try statement("SELECT parentID, id, name FROM \(table) ORDER BY parentID, id")
    var children: [Person] = []
    var next = 0
    while statement.step() {
      let owner = statement.integer(0)
      while owners[next].id != owner { next += 1 }
      let child = statement.person(1)
      owners[next].children.append(child)
      children.append(child)
    }
    return children
  }
}

extension RawStatement {
  fileprivate func person(_ column: Int32) -> Person {
    Person(id: integer(column), name: text(column + 1))
  }
}

/// The families as GRDB's own documentation has records and associations.
struct PeerGrandparent: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "grandparent"
  static let children = hasMany(PeerParent.self, key: "children")

  var id: Int
  var name: String

  /// Everything by associations: one query for each generation.
  static func all(_ database: Database) throws -> [PeerFamily] {
    let parents = children.order(Column("id"))
      .including(all: PeerParent.children.order(Column("id")))
    return try including(all: parents).order(Column("id")).asRequest(of: PeerFamily.self)
      .fetchAll(database)
  }
}

struct PeerParent: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "parent"
  static let children = hasMany(PeerGrandchild.self, key: "children")

  var id: Int
  var name: String
  var parentID: Int
}

struct PeerGrandchild: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "grandchild"

  var id: Int
  var name: String
  var parentID: Int
}

/// A grandparent with their children and theirs.
struct PeerFamily: Decodable, FetchableRecord {
  struct Branch: Decodable, FetchableRecord {
    var parent: PeerParent
    var children: [PeerGrandchild]
  }

  var grandparent: PeerGrandparent
  var children: [Branch]
}
