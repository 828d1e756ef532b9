/// Opening hours as people and programs write them: `Mo-Fr 09:00-12:00,13:00-18:00; Sa 10:00-16:00` of OpenStreetMap, `9 AM - 6 PM` in a
/// column for a day, periods and days as objects.
struct StoreHours: Sendable {
  /// A span of a day, in minutes since its beginning; one that ends before it begins ends on the next day.
  private struct Span: Hashable {
    let start: Int
    let end: Int
  }

  /// The spans of the days from Monday on.
  private var days = [[Span]](repeating: [], count: 7)
  /// False if a part is none of an ordinary week, such as a holiday or a day of the year, or cannot be read.
  private(set) var isWhole = true
  /// True if a day is said to be closed or open.
  private(set) var saysDays = false

  private static let midnight = 24 * 60
  private static let names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]

  // MARK: Lines

  /// The hours in the native form: a line for each span, with the days that have it.
  var lines: [String] {
    let spans = days.flatMap(\.self).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    var seen: Set<Span> = []
    return spans.filter { seen.insert($0).inserted }.map { span in
      let own = days.indices.filter { days[$0].contains(span) }
      let isWholeDay = span.start == 0 && span.end == Self.midnight
      let times = isWholeDay ? "" : " \(Self.text(span.start))-\(Self.text(span.end))"
      return Self.list(own) + times
    }
  }

  private static func list(_ days: [Int]) -> String {
    var parts: [String] = []
    var rest = days[...]
    while let first = rest.popFirst() {
      var last = first
      while rest.first == last + 1, let next = rest.popFirst() { last = next }
      parts.append(
        last - first > 1
          ? "\(names[first])-\(names[last])"
          : (first...last).map { names[$0] }.joined(separator: ","))
    }
    return parts.joined(separator: ",")
  }

  private static func text(_ minutes: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private mutating func add(_ days: [Int], _ start: Int, _ end: Int) {
    let span = Span(start: start % Self.midnight, end: start == end ? Self.midnight : end)
    for day in days where !self.days[day].contains(span) {
      // A later rule for the same time replaces an earlier one, as in OpenStreetMap.
      self.days[day].removeAll { $0.end > span.start && span.end > $0.start }
      self.days[day].append(span)
    }
    saysDays = true
  }

  // MARK: Text

  /// The latest end of a span, in minutes, that may be one of the afternoon if it has neither minutes nor a half of the day.
  private static let latestGuess = 7 * 60
  /// The most bytes of a text with hours.
  private static let textLimit = 4096

  private enum Token {
    case day(Int), time(Int, isBare: Bool), dash, comma, closed, wholeDay, holiday, passedOver
    case unknown
  }

  private static let dayWords: [String: Int] = {
    var words: [String: Int] = [:]
    for section in FeedData.stores where section.head == "days" {
      for (day, line) in section.lines.enumerated() {
        for word in line.split(separator: ":").last?.split(separator: ",") ?? [] {
          words[FeedData.plain(word)] = words[FeedData.plain(word)] ?? day
        }
      }
    }
    return words
  }()

  private static let words: [String: Token] = {
    var words: [String: Token] = [:]
    for (head, token) in [
      ("closed", Token.closed), ("until", .dash), ("passed over", .passedOver),
      ("holidays", .holiday),
    ] {
      for word in FeedData.storeWords(head) { words[word] = token }
    }
    return words
  }()

  /// Returns the day of a word, from Monday on, or `nil` if it is none.
  static func day(_ word: some StringProtocol) -> Int? { dayWords[FeedData.plain(word)] }

  /// Adds the hours in a text.
  ///
  /// - Parameter day: The day of a text that names none, or `nil` if it then is about each day.
  mutating func add(_ text: String, day: Int? = nil) {
    // Longer texts are no hours, and reading one takes the product of its days and times.
    guard text.utf8.count <= Self.textLimit else { return isWhole = false }
    let text = text.replacing("<br>", with: "\n").replacing("<br/>", with: "\n")
      .replacing("\u{202F}", with: " ")
    if text.trimmed == "24/7" { return add(day.map { [$0] } ?? Array(0...6), 0, Self.midnight) }
    for rule in text.split(whereSeparator: { ";|".contains($0) || $0.isNewline }) {
      let tokens = Self.tokens(of: String(rule))
      if tokens.isEmpty { continue }
      if !read(tokens, day) { isWhole = false }
    }
  }

  /// Reads a rule. Returns false if it, or a part of it, is none of an ordinary week.
  private mutating func read(_ tokens: [Token], _ day: Int?) -> Bool {
    var days = day.map { [$0] } ?? []
    var (isAfterTime, isRange, isDay, isPlain) = (false, false, false, true)
    var start: (time: Int, isBare: Bool)?
    for token in tokens {
      switch token {
      case .day(let own):
        if isAfterTime { (days, start, isAfterTime) = ([], nil, false) }
        if isRange, isDay, let first = days.last {
          let count = (own - first + 7) % 7
          if count > 0 { days += (1...count).map { (first + $0) % 7 } }
        } else {
          days.append(own)
        }
        (isRange, isDay) = (false, true)
        continue
      case .time(let time, let isBare):
        if isRange, let begin = start {
          // `9-5` is not until five in the morning, and nobody says so: it is kept as it is.
          if isBare, begin.isBare, time < begin.time, time <= Self.latestGuess { return false }
          add(days.isEmpty ? Array(0...6) : days, begin.time, time)
          start = nil
        } else {
          start = (time, isBare)
        }
        (isRange, isAfterTime) = (false, true)
      case .dash:
        isRange = true
        continue
      case .closed:
        for day in days { self.days[day] = [] }
        (saysDays, isAfterTime) = (saysDays || !days.isEmpty, true)
      case .wholeDay:
        add(days.isEmpty ? Array(0...6) : days, 0, Self.midnight)
        isAfterTime = true
      case .holiday:
        // A rule for holidays only says nothing about an ordinary week.
        if days.isEmpty { return false }
        isPlain = false
      case .unknown: return false
      case .comma, .passedOver: continue
      }
      isDay = false
    }
    return isPlain && start == nil
  }

  private static func tokens(of rule: String) -> [Token] {
    var tokens: [Token] = []
    var rest = rule.lowercased()[...]
    while let first = rest.first {
      if first.isNumber {
        guard let (token, count) = time(rest) else { return [.unknown] }
        tokens.append(token)
        rest = rest.dropFirst(count)
      } else if first.isLetter {
        let word = rest.prefix { $0.isLetter || $0 == "'" }
        rest = rest[word.endIndex...]
        // A point may end an abbreviation.
        if rest.first == "." { rest = rest.dropFirst() }
        tokens.append(self.word(String(word)))
      } else {
        rest = rest.dropFirst()
        if "-–—−~〜".contains(first) { tokens.append(.dash) }
        if ",&+/".contains(first) { tokens.append(.comma) }
        if "[\"(".contains(first) { return [.unknown] }
      }
    }
    return tokens
  }

  private static func word(_ word: String) -> Token {
    let plain = FeedData.plain(word)
    if let day = dayWords[plain] { return .day(day) }
    return words[plain] ?? .unknown
  }

  /// Reads a time such as `09:00`, `9.30`, `9h30`, `0900`, `9 PM` or `24 hours`, with the number of its characters.
  private static func time(_ text: Substring) -> (Token, Int)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...4).contains(digits.count), var hour = Int(digits) else { return nil }
    var minute = 0
    var count = digits.count
    var rest = text.dropFirst(count)
    if digits.count > 2 {
      (hour, minute) = (hour / 100, hour % 100)
    } else if let mark = rest.first, ":.h時".contains(mark) {
      let more = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
      if more.count == 2, let own = Int(more) {
        (minute, count) = (own, count + 3)
        // Seconds say nothing.
        let seconds = text.dropFirst(count)
        if seconds.first == ":", seconds.dropFirst().prefix(2).allSatisfy(\.isNumber) { count += 3 }
      } else if mark != ":" && mark != "." {
        count += 1
      }
    }
    var isBare = count == digits.count && count <= 2
    rest = text.dropFirst(count)
    let blanks = rest.prefix(while: \.isWhitespace).count
    let word = rest.dropFirst(blanks).prefix { $0.isLetter || $0 == "." }
    let plain = FeedData.plain(word)
    if hour == 24,
      ["hours", "h", "hrs", "stunden", "heures", "horas", "ore", "uur"].contains(plain)
    {
      return (.wholeDay, count + blanks + word.count)
    }
    if plain == "am" || plain == "pm" || plain == "a" || plain == "p" {
      guard hour <= 12 else { return nil }
      hour = hour % 12 + (plain.first == "p" ? 12 : 0)
      isBare = false
      count += blanks + word.count
    }
    guard hour < 24 || hour == 24 && minute == 0, minute < 60 else { return nil }
    return (.time(hour * 60 + minute, isBare: isBare), count)
  }

  // MARK: JSON

  /// The keys of the beginning and the end of a span, and of its days.
  private static let starts = ["opens", "openTime", "open", "start", "from", "opening", "begin"]
  private static let ends = ["closes", "closeTime", "close", "end", "to", "closing", "until"]
  private static let dayKeys = ["dayOfWeek", "openDay", "weekday", "days", "day", "dayName"]
  private static let lists = [
    "openIntervals", "periods", "intervals", "slots", "hours", "times", "normal", "regular",
    "regularHours", "standard", "week",
  ]
  /// The most levels of objects.
  private static let depthLimit = 5

  /// Adds the hours in an object, a list or a text.
  mutating func add(_ value: JSONValue, day: Int? = nil, depth: Int = 0) {
    guard depth < Self.depthLimit else { return isWhole = false }
    switch value {
    case .string(let text): add(text, day: day)
    case .array(let values): for value in values { add(value, day: day, depth: depth + 1) }
    case .object(let fields): add(fields, day: day, depth: depth)
    case .null, .bool(false): saysDays = saysDays || day != nil
    default: isWhole = false
    }
  }

  private mutating func add(_ fields: [String: JSONValue], day: Int?, depth: Int) {
    if fields["isClosed"] == .bool(true) || fields["closed"] == .bool(true)
      || fields["open"] == .bool(false)
    {
      saysDays = true
      return
    }
    var days = day.map { [$0] } ?? []
    if let named = Self.dayKeys.lazy.compactMap({ fields[$0] }).first {
      days = JSONFields.texts(in: named).compactMap(Self.dayOfText)
    }
    let (open, close) = (
      Self.starts.lazy.compactMap { fields[$0] }.first,
      Self.ends.lazy.compactMap { fields[$0] }.first
    )
    if let open, let start = Self.minutes(open) {
      if case .object(let own)? = Optional(open), let name = own["day"] {
        days = JSONFields.texts(in: name).compactMap(Self.dayOfText)
      }
      let end = close.flatMap(Self.minutes) ?? start
      return add(days.isEmpty ? Array(0...6) : days, start, end)
    }
    for name in Self.lists {
      if let inner = fields[name] {
        return add(inner, day: days.first, depth: depth + 1)
      }
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      if let day = Self.day(name) {
        add(value, day: day, depth: depth + 1)
      } else if value != .null, value != .array([]) {
        isWhole = false
      }
    }
  }

  /// Returns the day of a name, an address of schema.org or a number, of which 0 and 7 are Sunday.
  private static func dayOfText(_ text: String) -> Int? {
    if let number = Int(text) { return (0...7).contains(number) ? (number + 6) % 7 : nil }
    return day(text.split(separator: "/").last ?? "")
  }

  /// Returns the minutes of a time: a text, a number of hours such as 930, or an object with hours and minutes.
  private static func minutes(_ value: JSONValue) -> Int? {
    switch value {
    case .object(let fields):
      if let time = fields["time"] { return minutes(time) }
      if fields["hours"] == nil, fields["minutes"] == nil, !fields.isEmpty { return nil }
      let hours = JSONMoney.integer(fields["hours"]) ?? 0
      let minutes = JSONMoney.integer(fields["minutes"]) ?? 0
      guard (0...24).contains(hours), (0..<60).contains(minutes), hours < 24 || minutes == 0 else {
        return nil
      }
      return hours * 60 + minutes
    case .string, .integer:
      guard let text = JSONFields.texts(in: value).first?.lowercased().trimmed,
        case (.time(let minutes, _), let count)? = time(text[...]), count == text.count
      else { return nil }
      return minutes
    default: return nil
    }
  }
}
