/// Sentences for people about errors for which the service gave no sentence of its own. An app with further languages
/// shows its own texts by ``ClientError/code-swift.property``.
enum ErrorText {
  private static let texts: [String: [ClientError.Code: String]] = [
    "en": [
      .offline: "The shop cannot be reached. Check the connection and try again.",
      .timedOut: "The shop took too long to answer. Try again.",
      .unauthorized: "The app is not allowed to search this shop.",
      .busy: "The shop is busy. Try again in a moment.",
      .notFound: "The shop no longer has this.",
      .unusableImage: "This image cannot be searched. Search with a screenshot of it.",
      .expired: "This search is too old. Search again.",
      .invalidQuestion: "The app asked something that the shop does not understand.",
      .failed: "Something went wrong in the shop. Try again later.",
    ],
    "de": [
      .offline: "Der Shop ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.",
      .timedOut: "Der Shop hat zu lange gebraucht. Versuche es noch einmal.",
      .unauthorized: "Die App darf diesen Shop nicht durchsuchen.",
      .busy: "Der Shop ist ausgelastet. Versuche es gleich noch einmal.",
      .notFound: "Das gibt es in diesem Shop nicht mehr.",
      .unusableImage:
        "Mit diesem Bild kann nicht gesucht werden. Suche mit einem Screenshot davon.",
      .expired: "Diese Suche ist zu alt. Suche noch einmal.",
      .invalidQuestion: "Die App hat etwas gefragt, das der Shop nicht versteht.",
      .failed: "Im Shop ist etwas schiefgegangen. Versuche es später noch einmal.",
    ],
    "fr": [
      .offline: "La boutique est injoignable. Vérifiez la connexion et réessayez.",
      .timedOut: "La boutique a mis trop de temps à répondre. Réessayez.",
      .unauthorized: "L’app n’est pas autorisée à chercher dans cette boutique.",
      .busy: "La boutique est très sollicitée. Réessayez dans un instant.",
      .notFound: "La boutique n’a plus cet article.",
      .unusableImage: "Cette image ne permet pas de chercher. Cherchez avec une capture d’écran.",
      .expired: "Cette recherche est trop ancienne. Recommencez.",
      .invalidQuestion: "L’app a demandé quelque chose que la boutique ne comprend pas.",
      .failed: "Un problème est survenu dans la boutique. Réessayez plus tard.",
    ],
  ]

  /// Returns the sentence in a language; English if the language is not known.
  static func message(for code: ClientError.Code, language: String) -> String {
    let primary = String(language.prefix { $0 != "-" && $0 != "_" }).lowercased()
    let texts = texts[primary] ?? texts["en"] ?? [:]
    return texts[code] ?? code.rawValue
  }
}
