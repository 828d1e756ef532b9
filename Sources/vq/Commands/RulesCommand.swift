#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import PixelMatch
import VisualQuery

/// `vq rules`: lists and replaces the rules of what answers show.
enum RulesCommand {
  static let set = Option<String?>.path(
    OptionText(
      "set", "replace all rules with those of this file",
      detail: "The JSON form, as --json prints it. '{\"rules\":[]}' removes all."), "FILE",
    of: .files)
  static let remove = Option<[String]>.texts(
    OptionText("remove", "remove the rule of this name", detail: "May be given several times."),
    "NAME", accepts: "the name of a rule")
  static let json = Option<Bool>.flag(OptionText("json", "the rules as one JSON object"))

  /// The option of other commands that tries rules.
  static let trial = Option<String?>.path(
    OptionText(
      "rules", "try the rules of this file in place of those of the index",
      detail: "JSON, see 'vq help rules'. Nothing is stored.", isRare: true), "FILE", of: .files)

  static let command = CommandDescription(
    name: "rules",
    summary: "pin, hide and boost entities in answers",
    examples: [
      "vq rules --index shop.vq",
      "vq rules --json --index shop.vq > rules.json",
      "vq rules --set rules.json --index shop.vq",
    ],
    operand: nil,
    options: [
      MatchCommand.index.description, set.description, remove.description, json.description,
      IndexLocation.cache.description,
    ],
    notes: [
      HelpSection(
        title: "Rules",
        text: """
          A rule changes no confidence and makes nothing sure. Pins and boosts order what an answer has anyway, products \
          and stores each by themselves; the surest match of each thing in the image keeps its place. What is hidden is \
          in no answer. Rules are part of the index: exported, imported, undone by a rollback.
            {"rules":[
             {"name":"recall","do":"hide","entities":["product:kettle"]},
             {"name":"sale","do":"pin","where":["tag=sale"],"when":{"labels":["mug"]},
              "from":"2026-11-23","until":"2026-11-30"},
             {"name":"in stock","do":"boost","factor":1.3,
              "where":["availability=inStock"]},
             {"name":"margin","do":"boost","factor":2,
              "by":{"field":"margin","from":0,"to":60}},
             {"name":"new","do":"boost","factor":1.2,
              "newerThan":{"field":"added","days":30}}]}
          """),
      HelpSection(
        title: "Fields",
        text: """
          'entities' are named with their types; 'where' has conditions as for 'vq match --where', and 'withLabel' labels: \
          an entity that is named, or that meets all of these and 'newerThan', belongs to the rule. 'factor', 0.1 to 10, \
          multiplies the confidence for the order only; with 'by' it grows from 1 to this factor as the field goes from \
          'from' to 'to'. 'when' limits the queries: 'labels' of the query, 'categories' of the surest match, 'pages' of the \
          app (--app-page), 'languages' (--locale); each list holds if one of its words does. 'from' and 'until' are \
          instants or days in UTC. A rule with '"off":true' is kept without effect.
          """),
      HelpSection(
        title: "Before it counts",
        text: """
          'vq diff QUERIES --rules FILE' shows what moves, 'vq match IMAGE --explain --rules FILE' the rule behind it, and \
          --at TIME of 'vq match' the rules of that time. 'vq eval --rules FILE' measures with them.
          """),
    ],
    exitCodes: [.success, .failure, .usage, .unusableIndex, .refusedLogin],
    isRare: true,
    run: run)

  @concurrent static func run(
    _ arguments: ParsedArguments, on console: Console
  ) async throws -> ExitCode {
    let directory = try await IndexLocation.directory(
      of: arguments[MatchCommand.index], arguments, console)
    // Opened first, so that a mistyped directory is not created.
    let catalogue = try Catalogue(directory: directory)
    if arguments[set] == nil, arguments[remove].isEmpty {
      try write(catalogue.rules, arguments, console)
      return .success
    }
    var rules = catalogue.rules
    if let path = arguments[set] { rules = try read(path) }
    let names = Set(rules.rules.map(\.name))
    for name in arguments[remove] where !names.contains(name) {
      throw CommandFailure(.usage, "--remove: there is no rule '\(DisplayText.escaped(name))'")
    }
    rules = rules.without(Set(arguments[remove]))
    if arguments[set] != nil { try check(rules, arguments[set] ?? "", in: catalogue, on: console) }
    let generation = try await Indexer(
      directory: directory, settings: ShopSettings(rules: rules)
    ).putSettings()
    let name = DisplayText.escaped(arguments[MatchCommand.index])
    let count = DisplayText.count(rules.rules.count, "rule", "rules")
    try console.output.writeLine(
      generation == catalogue.generation
        ? "\(name) has these rules already; it is still at generation \(generation)."
        : "\(name) has \(count) now; generation \(generation).")
    return .success
  }

  /// Returns the rules of `--rules`, or `nil` if it is not given.
  static func rules(
    toTry arguments: ParsedArguments, in catalogue: Catalogue, on console: Console
  ) throws -> ShopRules? {
    try arguments[trial].map { try rules(toTry: $0, in: catalogue, on: console) }
  }

  /// Returns the rules of a file.
  static func rules(
    toTry path: String, in catalogue: Catalogue, on console: Console
  ) throws -> ShopRules {
    let rules = try read(path)
    try check(rules, path, in: catalogue, on: console)
    return rules
  }

  /// Reads a file of rules.
  ///
  /// - Throws: ``CommandFailure`` with the file, the field and the reason.
  private static func read(_ path: String) throws -> ShopRules {
    let name = DisplayText.escaped(path)
    let bytes: [UInt8]
    do throws(DecodeError) {
      bytes = try ImageDecoder(limits: DecodeLimits(byteLimit: ShopRules.byteLimit))
        .contents(ofFile: path)
    } catch {
      throw CommandFailure(.failure, "cannot read '\(name)': \(error.message)")
    }
    do {
      return try ShopRules(json: try JSONValue(json: bytes))
    } catch let error as JSONError {
      throw CommandFailure(.failure, "'\(name)' \(error.message)")
    } catch let error as FieldError {
      throw failure(name, error)
    }
  }

  private static func failure(_ name: String, _ error: FieldError) -> CommandFailure {
    CommandFailure(
      .failure,
      "'\(name)': " + (error.field.map { "\(DisplayText.escaped($0)) " } ?? "a rule ")
        + DisplayText.escaped(error.reason), advice: ["vq help rules"])
  }

  /// Checks that an index has the fields of rules, and warns of entities that it lacks.
  private static func check(
    _ rules: ShopRules, _ path: String, in catalogue: Catalogue, on console: Console
  ) throws {
    let missing: [EntityID]
    do {
      missing = try catalogue.missingEntities(of: rules)
    } catch let error as FieldError {
      throw failure(DisplayText.escaped(path), error)
    }
    if let first = missing.first {
      let others = missing.count > 1 ? " and \(missing.count - 1) more" : ""
      console.diagnostics.warning(
        "rules name \(DisplayText.escaped(first.description))\(others), which the index does not have"
      )
    }
  }

  private static func write(
    _ rules: ShopRules, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    if arguments[json] { return try console.output.writeJSON(rules.json) }
    if rules.rules.isEmpty { return try console.output.writeLine("No rules.") }
    var table = TextTable(columns: [
      .init("NAME", minimumWidth: 8), .init("DOES"), .init("ENTITIES", minimumWidth: 10),
      .init("WHEN", minimumWidth: 8),
    ])
    for rule in rules.rules {
      table.append([rule.name, effect(rule.effect), entities(rule), scope(rule)])
    }
    for line in table.lines(width: console.width, usesColor: console.usesColor) {
      try console.output.writeLine(line)
    }
  }

  private static func effect(_ effect: ShopRule.Effect) -> String {
    switch effect {
    case .pin: "pin"
    case .hide: "hide"
    case .boost(let boost):
      "boost × \(EvidenceTable.decimal(boost.factor))"
        + (boost.field.map { " by \($0)" } ?? "")
    }
  }

  private static func entities(_ rule: ShopRule) -> String {
    var parts = rule.entities.prefix(3).map(\.description)
    if rule.entities.count > 3 { parts.append("\(rule.entities.count - 3) more") }
    if case .object(let fields) = rule.json {
      for name in ["where", "withLabel"] {
        guard case .array(let values)? = fields[name], !values.isEmpty else { continue }
        parts.append(
          contentsOf: values.compactMap { if case .string(let text) = $0 { text } else { nil } })
      }
    }
    if let arrival = rule.arrival { parts.append("\(arrival.field) within \(arrival.days) days") }
    return parts.isEmpty ? "all" : parts.joined(separator: ", ")
  }

  private static func scope(_ rule: ShopRule) -> String {
    if rule.isOff { return "off" }
    var parts = [
      rule.scope.labels, rule.scope.categories, rule.scope.pages, rule.scope.languages,
    ].flatMap { $0 }
    if let start = rule.start { parts.append("from \(start.formatted(.iso8601))") }
    if let end = rule.end { parts.append("until \(end.formatted(.iso8601))") }
    return parts.isEmpty ? "always" : parts.joined(separator: ", ")
  }
}
