/// The names that shops give to the fields of their products, in the languages that exports are
/// found in.
///
/// Names are compared in lower case and without blanks and punctuation: `Image_Link`, `imageLink`
/// and `image link` are one name. Of several fields with the same meaning, the one whose name is
/// first in the list counts.
enum ColumnVocabulary {
  /// Returns a name in the form of the lists: letters and digits in lower case, without the prefix
  /// `g:`.
  static func normalized(_ name: String) -> String {
    var name = name.lowercased().trimmed
    if name.hasPrefix("\u{FEFF}") { name.removeFirst() }
    if name.hasPrefix("g:") { name.removeFirst(2) }
    return String(name.filter { $0.isLetter || $0.isNumber })
  }

  /// Returns whether a name has the prefix of Google Merchant, and so precedes the same one without: `g:id` is the id of
  /// an entry of Atom.
  private static func isMerchant(_ name: String) -> Bool { name.lowercased().hasPrefix("g:") }

  /// The names of one meaning, the surest first.
  private struct Entry {
    let target: FeedTarget
    let names: [String]
    /// True if further fields with this meaning are used as well.
    let isRepeatable: Bool

    init(_ target: FeedTarget, repeatable: Bool = false, _ names: String) {
      self.target = target
      self.names = names.split(whereSeparator: \.isWhitespace).map(String.init)
      isRepeatable = repeatable
    }
  }

  private static let entries: [Entry] = [
    Entry(
      .id,
      """
      id sku productsku variantsku itemsku sellersku productid itemid offerid articleid variantid awproductid \
      merchantproductid wareid artikelnummer artikelnr artnr artno articlenumber articleno articlecode itemnumber itemno \
      itemcode productcode productcodesku productnumber customlabelsku customlabel partnumber modelnumber mpn \
      ordernumber internalreference defaultcode productidnoneditable handleid productreference reference référence referencia riferimento codigo código codice code productkey handle urlhandle \
      urlkey slug uniqid uniqueid uid uuid oid guid key identifier asin gtin gtin13 ean ean13 upc barcode isbn objectid \
      entityid contentid stockcode number nummer nr externalid № артикул код
      """),
    Entry(
      .title,
      """
      title name productname producttitle itemname itemtitle displayname productdisplayname titel bezeichnung \
      produktname produktnamn artikelnamn produkttitel produktbezeichnung artikelname artikelbezeichnung nombre nom nomduproduit titre título \
      titulo titolo nome nomeprodotto naam productnaam navn namn nazwa název názov название наименование posttitle \
      articlename heading headline product produkt producto produit prodotto artikel item modelname
      """),
    Entry(
      .image,
      """
      imagelink mainimage mainimageurl mainimagelink image imageurl imageuri imagesrc imagepath imagefile imagefilename \
      imagename baseimage primaryimage primaryimageurl defaultimage defaultimageurl featuredimage featuredimageurl \
      coverimage coverimageurl heroimage productimage productimageurl productimagelink picture pictureurl picurl \
      itemphotourl photo photourl photofile img imgurl imgsrc imglink imgfile largeimage largeimageurl imagebig \
      imagefullurl bild bildurl bildlink produktbild artikelbild hauptbild foto fotourl imagen imagenurl urlimagen \
      urldelaimagen immagine immagineurl afbeelding afbeeldingurl bilde obrázek zdjęcie изображение картинка фото \
      merchantimageurl awimageurl variantimage variantimageurl filename file filepath mediaurl graphicurl
      """),
    Entry(
      .thumbnail,
      "smallimage smallimageurl thumbnail thumbnailimage thumbnailurl thumb thumburl awthumburl"),
    Entry(
      .images, repeatable: true,
      """
      images hostedimageurls additionalimagelink additionalimagelinks additionalimage additionalimages additionalimageurl \
      additionalimageurls imageurls imagelinks imagelist imageset imagefiles pictures pictureurls photos photourls \
      gallery galleryimages galleryimageurls imagegallery mediagallery mediagalleryimages media medias bilder \
      weiterebilder zusatzbilder fotos imagenes imágenes immagini images1 otherimages otherimageurl otherimageurls \
      imgurlalternative additionalimg imageurladditional alternateimage alternateimages alternateimageurl alternativeimage extraimages extraimage moreimages moreimageurls \
      productimages productimageurls allimages imageurlsxyz imagesurl imagesurls afbeeldingen zdjęcia largeimages
      """),
    Entry(
      .price,
      """
      price regularprice salesprice listprice currentprice sellingprice sellprice actualprice finalprice discountedprice unitprice \
      productprice itemprice variantprice priceamount displayprice searchprice storeprice standardprice retailprice \
      pricevat pricetaxincluded priceincltax pricetaxincl pricewithtax pricetaxexcluded priceexcltax listprice msrp rrp rrpprice \
      mrp originalprice baseprice startprice buyitnowprice buynowprice pricevalue preis verkaufspreis vkpreis vk \
      vkbrutto bruttopreis endpreis einzelpreis preisbrutto precio precioventa preciopvp pvp prix prixttc prixdevente \
      prisinklmoms prisinkmoms prisinklmva preisinklmwst prezzo prijs verkoopprijs pris preço preco cena ár цена fiyat amount
      """),
    Entry(
      .salePrice,
      """
      saleprice specialprice discountprice offerprice promotionalprice promoprice pricesale salespriceamount \
      sonderpreis angebotspreis aktionspreis preciooferta prixpromo prixsolde prezzoscontato kampanjpris
      """),
    Entry(
      .currency,
      """
      currency currencycode pricecurrency currencyid currencyiso currencysymbol währung waehrung devise moneda divisa \
      valuta waluta moeda měna валюта
      """),
    Entry(
      .availability,
      """
      availability availabilitystatus stockstatus instock isinstock inventorystatus availabilityfeed \
      productavailability available isavailable verfügbarkeit verfuegbarkeit lieferbarkeit lieferstatus lagerstatus \
      disponibilité disponibilite disponibilidad disponibilità disponibilita disponibilidade beschikbaarheid \
      tillgänglighet наличие
      """),
    Entry(
      .quantity,
      """
      quantity qty stockquantity stockqty stocklevel currentstock currentstocklevel inventory inventoryquantity \
      inventorylevel variantinventoryqty availablequantity quantityavailable unitsinstock lagerbestand bestand cantidad \
      quantité quantite quantità quantita aantal antal количество stock
      """),
    Entry(
      .brand,
      """
      brand brandname brands manufacturer manufacturername vendor vendorname marke markenname hersteller herstellername marque \
      fabricant marca fabricante merk produttore varumärke tillverkare märke producent značka výrobce бренд \
      производитель maker designer productbrand
      """),
    Entry(
      .group,
      """
      itemgroupid group groupid productgroup productgroupid parentsku parentid parentitemid parentproductid parentasin \
      parentcode parentproduct parent mastersku masterid masterproductid masterproduct variantgroup variantgroupid \
      variantof configurablesku modelcode familyid familycode
      """),
    Entry(
      .labels, repeatable: true,
      """
      labels label category categories categoryname categorypath categorytree maincategory mastercategory subcategory \
      subcategories productcategory productcategories categoryxyz categoriesxyz customproducttype producttype \
      googleproductcategory fbproductcategory articletype itemtype department tags tag producttags keywords \
      searchkeywords metakeywords generickeywords merchantcategory kategorie kategorien kategoriename warengruppe \
      produktkategorie produkttyp produktgruppe catégorie catégories categorie categoría categorías categoria categorias \
      categorytext categoryfullname rubrique kategoria kategori kategorier kategorie1 категория class subclass collection collections
      """),
    Entry(
      .url,
      """
      link url producturl productlink productpageurl productpage itemurl itemlink deeplink deeplinkurl deeplinks \
      awdeeplink merchantdeeplink permalink canonicalurl canonicallink weburl weblink pageurl href detailurl detailpage \
      producthandleurl offerurl externalurl shopurl landingpage produkturl produktlink artikelurl lien urlproduit \
      urlproducto enlace targeturl mobilelink buyurl
      """),
    Entry(
      .description,
      """
      description longdescription fulldescription productdescription itemdescription descriptionhtml bodyhtml body \
      bodytext descriptiontext beschreibung produktbeschreibung langbeschreibung artikelbeschreibung descripción \
      descripcion descrizione omschrijving beskrivning beskrivelse popis opis описание shortdescription \
      kurzbeschreibung descriptionshort summary excerpt details overview content about postcontent
      """),
    Entry(
      .attribute("color"),
      """
      color colour colorname colourname basecolor basecolour colorcode maincolor farbe farbname couleur colore kleur \
      färg farve kolor barva cor цвет productcolor productcolour
      """),
    Entry(
      .attribute("size"),
      """
      size sizename productsize größe groesse grösse groessen taille talla taglia tamaño tamanho maat storlek størrelse \
      rozmiar velikost размер
      """),
    Entry(
      .attribute("material"),
      """
      material materials materialtype fabric fabrictype stoff matière matiere materiale materiał materiaal tessuto
      """),
    Entry(.attribute("pattern"), "pattern muster motif patrón patron"),
    Entry(
      .visibility, repeatable: true,
      """
      published ispublished active isactive active01 enabled isenabled productstatus poststatus status aktiv actif activo \
      attivo actief aktivní
      """),
    Entry(.subtitle, "subtitle untertitel subheading sottotitolo"),
    Entry(.synonyms, "synonyms synonym"),
    Entry(.featured, "featured isfeatured"),
    Entry(.type, "type entitytype"),
  ]

  /// The fields of the native form, by their names there.
  private static let native: [String: FeedTarget] = [
    "type": .type, "id": .id, "title": .title, "subtitle": .subtitle, "synonyms": .synonyms,
    "labels": .labels, "images": .images, "url": .url, "group": .group, "brand": .brand,
    "price": .price, "price.amount": .amount, "price.currency": .currency,
    "availability": .availability, "featured": .featured, "address": .address,
    "geo.latitude": .latitude, "geo.longitude": .longitude, "openinghours": .openingHours,
    "timezone": .timeZone, "stock": .stock,
  ]

  /// The place of each name in its list.
  private static let places: [String: (entry: Int, rank: Int)] = {
    var places: [String: (entry: Int, rank: Int)] = [:]
    for (index, entry) in entries.enumerated() {
      for (rank, name) in entry.names.enumerated() where places[name] == nil {
        places[name] = (index, rank)
      }
    }
    return places
  }()

  /// Returns what each field becomes, in the order of the fields; `nil` for one that is kept
  /// unchanged.
  ///
  /// - Parameter names: The names of the fields, as the feed has them.
  static func targets(of names: [String]) -> [FeedTarget?] {
    var targets: [FeedTarget?] = names.map { _ in nil }
    var best: [Int: (rank: Int, column: Int)] = [:]
    var translated: [Int] = []
    for (column, name) in names.enumerated() {
      let normal = normalized(name)
      guard let place = places[normal] else {
        targets[column] = numberedImage(normal) ?? pricedColumn(name)
        if targets[column] == nil { translated.append(column) }
        continue
      }
      let entry = entries[place.entry]
      if entry.isRepeatable {
        targets[column] = entry.target
      } else if let other = best[place.entry],
        other.rank < place.rank
          || other.rank == place.rank && (isMerchant(names[other.column]) || !isMerchant(name))
      {
        continue
      } else {
        if let other = best[place.entry] { targets[other.column] = nil }
        targets[column] = entry.target
        best[place.entry] = (place.rank, column)
      }
    }
    // A field in one language counts if there is none without.
    for column in translated {
      guard let place = withoutLanguage(names[column]).flatMap({ places[normalized($0)] }),
        best[place.entry] == nil, isText(entries[place.entry].target)
      else { continue }
      targets[column] = entries[place.entry].target
      best[place.entry] = (place.rank, column)
    }
    return targets
  }

  private static func isText(_ target: FeedTarget) -> Bool {
    switch target {
    case .title, .description, .url, .labels, .attribute, .subtitle: true
    default: false
    }
  }

  /// Returns a name such as `name-en_US`, `name(de)`, `title_fr` or `translations.DEFAULT.name`
  /// without its language.
  private static func withoutLanguage(_ name: String) -> String? {
    if name.hasPrefix("translations.") { return name.split(separator: ".").last.map(String.init) }
    var rest = name.trimmed[...]
    if rest.last == ")" { rest.removeLast() }
    let parts = rest.split(whereSeparator: { "-_(: .".contains($0) })
    for count in [2, 1] where parts.count > count {
      let language = parts[parts.count - count]
      // These are words of other meanings more often than languages.
      let isWord = ["id", "is", "no", "to", "in", "it"].contains(language.lowercased())
      guard language.count == 2, !isWord, LocaleMark.of(language.lowercased()) != nil,
        count == 1 || parts[parts.count - 1].count == 2
      else { continue }
      return String(rest[..<language.startIndex])
    }
    return nil
  }

  /// Returns what the fields of the native form become, and those of other names as far as the
  /// native form leaves them out.
  static func nativeTargets(of names: [String]) -> [FeedTarget?] {
    let own = names.map { name -> FeedTarget? in
      let name = name.trimmed
      let prefix = "attributes."
      if name.hasPrefix(prefix) { return .attribute(String(name.dropFirst(prefix.count))) }
      return native[name.lowercased()]
    }
    let taken = Set(own.compactMap { $0?.name })
    return zip(own, targets(of: names)).map { own, other in
      if let own { return own }
      guard let other, !taken.contains(other.name) else { return nil }
      switch other {
      case .image, .images, .url, .price, .currency, .availability: return other
      default: return nil
      }
    }
  }

  /// Returns the target of `image 2`, `Product Image File - 1`, `other_image_url3` and the like.
  private static func numberedImage(_ name: String) -> FeedTarget? {
    guard name.contains(where: \.isNumber) else { return nil }
    let base = String(name.filter { !$0.isNumber })
    if base == "productimagefile" || base == "productimageurl" { return .images }
    guard let place = places[base] else { return nil }
    let target = entries[place.entry].target
    return target == .image || target == .images ? .images : nil
  }

  /// Returns the target of `price-EUR`, `Price (USD)`, `Preis in €` and the like.
  private static func pricedColumn(_ name: String) -> FeedTarget? {
    let words = name.lowercased().split { !($0.isLetter || $0.isNumber || $0.isCurrencySymbol) }
      .map(String.init).filter { $0 != "in" }
    guard words.count >= 2, let place = places[words.dropLast().joined()],
      entries[place.entry].target == .price,
      let code = Currency.candidates(for: words[words.count - 1])?.first, !code.isEmpty
    else { return nil }
    return .pricedIn(code)
  }
}
