/// A sentence for people about a problem, in the languages of ``ShopWords``. It says what to do, and nothing about the server.
enum UserMessage: Sendable, CaseIterable {
  case badQuestion
  case nothingAsked
  case notAllowed
  case notAllowedToDo
  case gone
  case startAgain
  case incompleteImage
  case tooLargeImage
  case unsupportedImage
  case unusableImage
  case tryAgain
  case failed

  /// Finds the sentence for a code.
  init(_ code: Problem.Code) {
    self =
      switch code {
      case .nothingAsked: .nothingAsked
      case .unauthorized, .forbidden: .notAllowed
      case .unknownEntity, .noPicture, .unknownStatement, .noFit: .gone
      case .expiredToken, .invalidToken: .startAgain
      // Browsers show truncated images, so people need to be told what to do with one.
      case .truncated: .incompleteImage
      case .bodyTooLarge, .tooManyBytes, .tooManyPixels, .tooMuchWork: .tooLargeImage
      case .unsupportedFormat: .unsupportedImage
      case .empty, .corrupt, .regionOutside: .unusableImage
      case .requestTimeout, .tooManyRequests, .stopping, .catalogueUnavailable, .catalogueBusy,
        .timedOut, .overloaded, .tooManyConnections, .feedbackFull, .tooLargeToCheck:
        .tryAgain
      case .internalError: .failed
      case .badRequest, .invalidParameter, .invalidField, .invalidJSON,
        .unknownPath, .noAssociation, .methodNotAllowed, .targetTooLong, .unsupportedMediaType,
        .unsupportedCoding, .expectationFailed, .invalidFilter, .invalidSignature, .invalidEntity,
        .headersTooLarge,
        .invalidFeedback, .reusedKey, .methodNotImplemented, .codingNotImplemented,
        .versionNotSupported:
        .badQuestion
      }
  }

  /// Returns the sentence in a language.
  ///
  /// - Parameter language: A BCP 47 tag; `nil` and unknown languages give English.
  func text(in language: String?) -> String {
    switch ShopWords.known(language) {
    case "de": german
    case "fr": french
    default: english
    }
  }

  private var english: String {
    switch self {
    case .badQuestion: "The app asked something that the shop does not understand."
    case .nothingAsked: "There is nothing to search for. Take a photo, or say what it shows."
    case .notAllowed: "The app is not allowed to search this shop."
    case .notAllowedToDo: "The app is not allowed to do this."
    case .gone: "The shop no longer has this."
    case .startAgain: "This search is too old. Search again."
    case .incompleteImage:
      "This image is incomplete. Load it again, or search with a screenshot of it."
    case .tooLargeImage: "This image is too large. Search with a screenshot of it."
    case .unsupportedImage:
      "This kind of image cannot be searched. Search with a screenshot of it."
    case .unusableImage: "This image cannot be searched. Try another one."
    case .tryAgain: "The shop is busy. Try again in a moment."
    case .failed: "Something went wrong in the shop. Try again later."
    }
  }

  private var german: String {
    switch self {
    case .badQuestion: "Die App hat etwas gefragt, das der Shop nicht versteht."
    case .nothingAsked: "Es gibt nichts zu suchen. Mach ein Foto, oder sage, was es zeigt."
    case .notAllowed: "Die App darf diesen Shop nicht durchsuchen."
    case .notAllowedToDo: "Die App darf das nicht."
    case .gone: "Das gibt es in diesem Shop nicht mehr."
    case .startAgain: "Diese Suche ist zu alt. Suche noch einmal."
    case .incompleteImage:
      "Dieses Bild ist unvollständig. Lade es noch einmal, oder suche mit einem Screenshot davon."
    case .tooLargeImage: "Dieses Bild ist zu groß. Suche mit einem Screenshot davon."
    case .unsupportedImage:
      "Mit dieser Art von Bild kann nicht gesucht werden. Suche mit einem Screenshot davon."
    case .unusableImage: "Mit diesem Bild kann nicht gesucht werden. Versuche ein anderes."
    case .tryAgain: "Der Shop ist ausgelastet. Versuche es gleich noch einmal."
    case .failed: "Im Shop ist etwas schiefgegangen. Versuche es später noch einmal."
    }
  }

  private var french: String {
    switch self {
    case .badQuestion: "L’app a demandé quelque chose que la boutique ne comprend pas."
    case .nothingAsked:
      "Il n’y a rien à chercher. Prenez une photo, ou dites ce qu’elle montre."
    case .notAllowed: "L’app n’est pas autorisée à chercher dans cette boutique."
    case .notAllowedToDo: "L’app n’est pas autorisée à faire cela."
    case .gone: "La boutique n’a plus cet article."
    case .startAgain: "Cette recherche est trop ancienne. Recommencez."
    case .incompleteImage:
      "Cette image est incomplète. Chargez-la de nouveau, ou cherchez avec une capture d’écran."
    case .tooLargeImage: "Cette image est trop grande. Cherchez avec une capture d’écran."
    case .unsupportedImage:
      "Ce type d’image ne permet pas de chercher. Cherchez avec une capture d’écran."
    case .unusableImage: "Cette image ne permet pas de chercher. Essayez-en une autre."
    case .tryAgain: "La boutique est très sollicitée. Réessayez dans un instant."
    case .failed: "Un problème est survenu dans la boutique. Réessayez plus tard."
    }
  }
}
