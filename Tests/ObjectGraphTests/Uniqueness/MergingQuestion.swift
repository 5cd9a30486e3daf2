import Foundation
import OpenSwiftData

/// Fetches whose results must be the same before and after the save that merges new objects.
enum MergingQuestion {
  /// The results of all questions, as names in the order of the results.
  static func answers(in context: ModelContext) throws -> [String] {
    let artists = try artistPredicates.map { name, predicate in
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
      return "\(name): \(found.map { "\($0.name) \($0.rating)" }) \(count)"
    }
    let works = try workPredicates.map { name, predicate in
      "\(name): \(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.title))"
    }
    let genres = try genrePredicates.map { name, predicate in
      "\(name): \(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.word))"
    }
    let studios = try studioPredicates.map { name, predicate in
      "\(name): \(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.place))"
    }
    let chairs = try chairPredicates.map { name, predicate in
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      return "\(name): \(found.map { "\($0.room?.name ?? "") \($0.number) \($0.colour)" })"
    }
    return artists + works + genres + studios + chairs
  }

  private static let artistPredicates: [(String, Predicate<Artist>)] = [
    ("artists", #Predicate { _ in true }),
    ("without works", #Predicate { $0.works.isEmpty }),
    ("with several works", #Predicate { $0.works.count > 1 }),
    ("with an old work", #Predicate { $0.works.contains { $0.title.starts(with: "o") } }),
    ("with new works only", #Predicate { $0.works.allSatisfy { $0.title.starts(with: "n") } }),
    ("of a genre", #Predicate { $0.genres.contains { $0.word == "a" } }),
    ("with several genres", #Predicate { $0.genres.count > 1 }),
    ("without genres", #Predicate { $0.genres.isEmpty }),
    ("with idols", #Predicate { !$0.idols.isEmpty }),
    ("with one idol", #Predicate { $0.idols.count == 1 }),
    ("with a studio", #Predicate { $0.studio?.place != nil }),
    ("of rating", #Predicate { $0.rating > 4 }),
  ]

  private static let workPredicates: [(String, Predicate<Work>)] = [
    ("works of rating", #Predicate { ($0.artist?.rating ?? 0) > 4 }),
    ("works of somebody", #Predicate { $0.artist?.name != nil }),
    ("works of busy artists", #Predicate { ($0.artist?.works.count ?? 0) > 1 }),
  ]

  private static let genrePredicates: [(String, Predicate<Genre>)] = [
    ("genres", #Predicate { _ in true }),
    ("genres of nobody", #Predicate { $0.artists.isEmpty }),
    ("genres of several", #Predicate { $0.artists.count > 1 }),
    ("genres of rating", #Predicate { $0.artists.contains { $0.rating > 4 } }),
  ]

  private static let studioPredicates: [(String, Predicate<Studio>)] = [
    ("empty studios", #Predicate { $0.artist?.name == nil }),
    ("studios of rating", #Predicate { ($0.artist?.rating ?? 0) > 4 }),
  ]

  private static let chairPredicates: [(String, Predicate<Chair>)] = [
    ("chairs", #Predicate { _ in true }),
    ("first chairs", #Predicate { $0.number == 1 }),
    ("chairs of a room", #Predicate { $0.room?.name == "red" }),
    ("chairs of large rooms", #Predicate { ($0.room?.chairs.count ?? 0) > 1 }),
  ]
}
