import Testing

@testable import ShopFeeds
import VisualQuery

/// The habits of whole shops in feeds of no known format, and of programs that are not shop systems.
@Suite struct UnknownFormatHabitTests {
  private static let shops = [
    FeedShop(
      "Columns that only their values tell",
      #"""
      sku,name,Main Foto Xyz,Variation 1
      1,Mug,https://i.example/1?x=2,Red
      2,Cup,https://i.example/2?x=2,Dark blue
      """#,
      [
        "1 | Mug | - | - | Red | - | 1",
        "2 | Cup | - | - | Dark blue | - | 1",
      ]),
    FeedShop(
      "XML with variants as elements",
      #"""
      <products><product><id>1</id><name>Shirt</name><brand>Nord</brand><variants><variant><sku>R</sku><color>Red</color><size>S</size><price>19.90</price><stock>3</stock><image>https://i.example/r.jpg</image></variant><variant><sku>B</sku><color>Blue</color><size>M</size><price>21.90</price><stock>0</stock><image>https://i.example/b.jpg</image></variant></variants></product></products>
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | Nord | 1",
        "R | Shirt | 19.90 | inStock | Red | Nord | 1",
      ]),
    FeedShop(
      "XML with variants as attributes",
      #"""
      <catalog><item id="1"><title>Shirt</title><variants><variant sku="R" color="Red" price="19.90" stock="3" image="https://i.example/r.jpg"/><variant sku="B" color="Blue" price="21.90" stock="0" image="https://i.example/b.jpg"/></variants></item><item id="2"><title>Hat</title><price>9</price><variant>One</variant></item></catalog>
      """#,
      [
        "2 | Hat | 9 | - | - | - | 0",
        "B | Shirt | 21.90 | outOfStock | Blue | - | 1",
        "R | Shirt | 19.90 | inStock | Red | - | 1",
      ]),
    FeedShop(
      "Shoptet, XML",
      #"""
      <SHOP><SHOPITEM id="12"><NAME>Hrnek</NAME><MANUFACTURER>Nord</MANUFACTURER><CATEGORIES><CATEGORY id="1">Hrnky</CATEGORY></CATEGORIES><IMAGES><IMAGE description="x">https://i.example/1.jpg</IMAGE></IMAGES><VISIBILITY>visible</VISIBILITY><CURRENCY>CZK</CURRENCY><VARIANTS><VARIANT id="31"><CODE>R</CODE><EAN>4006381333931</EAN><PRICE_VAT>249</PRICE_VAT><STOCK><AMOUNT>5</AMOUNT></STOCK><AVAILABILITY_IN_STOCK>Skladem</AVAILABILITY_IN_STOCK><PARAMETERS><PARAMETER><NAME>Barva</NAME><VALUE>červená</VALUE></PARAMETER></PARAMETERS><IMAGE_REF>https://i.example/r.jpg</IMAGE_REF></VARIANT><VARIANT id="32"><CODE>B</CODE><PRICE_VAT>259</PRICE_VAT><STOCK><AMOUNT>0</AMOUNT></STOCK><PARAMETERS><PARAMETER><NAME>Barva</NAME><VALUE>modrá</VALUE></PARAMETER></PARAMETERS><IMAGE_REF>https://i.example/b.jpg</IMAGE_REF></VARIANT></VARIANTS></SHOPITEM><SHOPITEM id="13"><NAME>Skrytý</NAME><CODE>S</CODE><PRICE_VAT>9</PRICE_VAT><VISIBILITY>hidden</VISIBILITY></SHOPITEM></SHOP>
      """#,
      [
        "12 | Hrnek | 249 | - | - | Nord | 1",
        "B | Hrnek | 259 | outOfStock | modrá | Nord | 1",
        "R | Hrnek | 249 | inStock | červená | Nord | 1",
      ]),
    FeedShop(
      "Parameters with names and values in elements",
      #"""
      <products><product><id>1</id><title>Mug</title><price>9.90</price><attributes><attribute><name>Farbe</name><value>rot</value></attribute><attribute><name>Größe</name><value>M</value></attribute></attributes><pictures><picture><url>https://i.example/1.jpg</url></picture><picture><url>https://i.example/2.jpg</url></picture></pictures><stock><quantity>0</quantity></stock></product><product><id>2</id><title>Cup</title><price>9.90</price></product></products>
      """#,
      [
        "1 | Mug | 9.90 | outOfStock | rot | - | 2",
        "2 | Cup | 9.90 | - | - | - | 0",
      ]),
    FeedShop(
      "WooCommerce with a Turkish capital",
      #"""
      Kimlik,Tür,Stok kodu (SKU),İsim,Yayımlanmış,Stokta?,Normal fiyat,Görseller
      1,simple,M,Kupa,1,1,14.90,https://i.example/1.jpg
      2,simple,O,Kapalı,0,1,9,
      """#,
      [
        "M | Kupa | 14.90 | inStock | - | - | 1"
      ]),
    FeedShop(
      "Allegro",
      #"""
      ID oferty;Tytuł oferty;Cena;Liczba sztuk;Zdjęcia;Marka;Sygnatura/SKU;EAN;Status oferty
      111;Kubek;29,99;5;https://i.example/1.jpg;Nord;K1;5901234123457;Aktywna
      112;Miska;19,99;0;;Nord;K2;;Zakończona
      """#,
      [
        "111 | Kubek | 29.99 | inStock | - | Nord | 1"
      ]),
    FeedShop(
      "Kaufland",
      #"""
      ean;title;manufacturer;picture;picture;id_offer;count
      4006381333931;Becher;Nord;https://i.example/1.jpg;https://i.example/2.jpg;K1;0
      """#,
      [
        "K1 | Becher | - | outOfStock | - | Nord | 2"
      ]),
    FeedShop(
      "OTTO",
      #"""
      {"productVariations":[{"productReference":"G1","sku":"O1","ean":"4006381333931","productDescription":{"category":"Becher","brand":"Nord","attributes":[{"name":"Farbe","values":["rot"]}],"description":"Gut"},"mediaAssets":[{"type":"IMAGE","location":"https://i.example/1.jpg"}],"pricing":{"standardPrice":{"amount":14.9,"currency":"EUR"},"sale":{"salePrice":{"amount":9.9,"currency":"EUR"}}},"productName":"Becher"}]}
      """#,
      [
        "O1 | Becher | 14.9 | - | - | - | 1"
      ]),
    FeedShop(
      "JSON:API",
      #"""
      {"data":[{"type":"products","id":"1","attributes":{"name":"Mug","price":"14.90","sku":"M","available":true},"relationships":{}},{"type":"products","id":"2","attributes":{"name":"Bowl","price":"9.90","sku":"B"}}]}
      """#,
      [
        "1 | Mug | 14.90 | inStock | - | - | 0",
        "2 | Bowl | 9.90 | - | - | - | 0",
      ]),
    FeedShop(
      "Contentful",
      #"""
      {"items":[{"sys":{"id":"c1"},"fields":{"title":"Mug","price":14.9,"image":{"sys":{"id":"a1"}}}}]}
      """#,
      [
        "c1 | Mug | 14.9 | - | - | - | 0"
      ]),
    FeedShop(
      "Strapi",
      #"""
      {"data":[{"id":1,"attributes":{"name":"Mug","price":14.9,"images":{"data":[{"attributes":{"url":"https://i.example/1.jpg"}}]}}}]}
      """#,
      [
        "1 | Mug | 14.9 | - | - | - | 1"
      ]),
    FeedShop(
      "Elasticsearch",
      #"""
      {"hits":{"total":1,"hits":[{"_index":"p","_id":"1","_source":{"id":"1","name":"Mug","price":14.9,"image":"https://i.example/1.jpg","brand":"Nord","in_stock":false}}]}}
      """#,
      [
        "1 | Mug | 14.9 | outOfStock | - | Nord | 1"
      ]),
    FeedShop(
      "A page of Squarespace",
      #"""
      {"items":[{"id":"5f","title":"Mug","urlId":"mug","fullUrl":"/shop/mug","assetUrl":"https://i.example/1.jpg","items":[{"assetUrl":"https://i.example/2.jpg"}],"variants":[{"id":"v","sku":"M","price":1490,"qtyInStock":3,"unlimited":false}]}]}
      """#,
      [
        "5f | Mug | 14.90 | inStock | - | - | 1"
      ]),
    FeedShop(
      "The store interface of WooCommerce",
      #"""
      [{"id":1,"name":"Mug","slug":"mug","permalink":"https://s.example/mug","sku":"M","on_sale":true,"prices":{"price":"990","regular_price":"1490","sale_price":"990","currency_code":"EUR","currency_minor_unit":2},"images":[{"id":1,"src":"https://i.example/1.jpg","thumbnail":"https://i.example/t.jpg"}],"is_in_stock":true,"attributes":[{"name":"Color","terms":[{"name":"Red"}]}]}]
      """#,
      [
        "1 | Mug | 9.90 | inStock | Red | - | 1"
      ]),
    FeedShop(
      "Images as a database of tables writes them",
      #"""
      sku,name,Photo,price
      1,Mug,mug.jpg (https://dl.example/abc/mug.jpg),$9.90
      2,Cup,"a.jpg (https://dl.example/a.jpg),b.jpg (https://dl.example/b.jpg)",$8.90
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 1",
        "2 | Cup | 8.90 | - | - | - | 2",
      ]),
    FeedShop(
      "Elements in neutral ones",
      #"""
      <r><items><item><general><id>1</id><names><name lang="de">Tasse</name><name lang="en">Mug</name></names></general><media><images><image type="main"><url>https://i.example/1.jpg</url></image><image type="add"><url>https://i.example/2.jpg</url></image></images></media><pricing><price><amount>9.90</amount><currency>EUR</currency></price></pricing></item><item><general><id>2</id><names><name lang="de">Schale</name></names></general></item></items></r>
      """#,
      [
        "1 | Tasse | 9.90 | - | - | - | 2",
        "2 | Schale | - | - | - | - | 0",
      ]),
    FeedShop(
      "Formulas of a spreadsheet",
      #"""
      sku,name,image,price
      1,Mug,"=IMAGE(""https://i.example/1.jpg"")",9.90
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 1"
      ]),
    FeedShop(
      "Objects of images",
      #"""
      [{"id":1,"name":"Mug","images":{"main":"https://i.example/1.jpg","gallery":["https://i.example/2.jpg"]},"image":null},{"id":2,"name":"Cup","image":{"sizes":{"large":{"url":"https://i.example/l.jpg"}}}}]
      """#,
      [
        "1 | Mug | - | - | - | - | 2",
        "2 | Cup | - | - | - | - | 1",
      ]),
    FeedShop(
      "Values and images as attributes",
      #"""
      <shop><product><id>1</id><name>Mug</name><photo file="https://i.example/1.jpg" title="x"/><price value="9.90" currency="EUR"/><stock amount="5"/><param name="Color" value="red"/></product><product><id>2</id><name>Cup</name><pic big="https://i.example/b.jpg" small="https://i.example/s.jpg"/><price amount="8.90"/></product></shop>
      """#,
      [
        "1 | Mug | 9.90 | inStock | red | - | 1",
        "2 | Cup | 8.90 | - | - | - | 1",
      ]),
    FeedShop(
      "HTML as an image",
      #"""
      sku,name,image,price
      1,Mug,"<img src=""https://i.example/1.jpg"" alt=""x"">",9.90
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 1"
      ]),
    FeedShop(
      "Lists of JSON in cells",
      #"""
      sku,name,images,price,tags
      1,Mug,"[""https://i.example/1.jpg"",""https://i.example/2.jpg""]",9.90,"[""mug"",""cup""]"
      2,Cup,"[{""url"":""https://i.example/3.jpg""}]",8.90,"{""a"":1}"
      """#,
      [
        "1 | Mug | 9.90 | - | - | - | 2",
        "2 | Cup | 8.90 | - | - | - | 1",
      ]),
    FeedShop(
      "Products by their ids",
      #"""
      {"1":{"sku":"1","name":"Mug","price":9.9},"2":{"sku":"2","name":"Cup","price":8.9}}
      """#,
      [
        "1 | Mug | 9.9 | - | - | - | 0",
        "2 | Cup | 8.9 | - | - | - | 0",
      ]),
    FeedShop(
      "A list in objects",
      #"""
      {"shop":{"catalog":{"products":[{"sku":"1","names":{"default":"Mug"},"title":"Mug","media":{"images":[{"original":{"url":"https://i.example/1.jpg"}}]},"price":{"net":{"amount":8},"gross":{"amount":9.9,"currency":"EUR"}}}]}}}
      """#,
      [
        "1 | Mug | 9.9 | - | - | - | 1"
      ]),
  ]

  /// Would break if a part of a shop were lost, or if a draft were shown.
  @Test(arguments: shops) func `a shop with its habits`(shop: FeedShop) throws {
    try shop.check()
  }
}
