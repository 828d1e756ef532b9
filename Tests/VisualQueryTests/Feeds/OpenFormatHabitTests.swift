import Testing

@testable import ShopFeeds
import VisualQuery

/// The habits of whole shops in formats that many programs write, such as variants, drafts, reduced prices and several languages.
@Suite struct OpenFormatHabitTests {
  private static let shops = [
    FeedShop(
      "Native JSON Lines",
      #"""
      {"type":"product","id":"1","title":"Mug","subtitle":"Enamel","labels":["mug"],"images":["a.jpg","b.jpg"],"url":"https://s.example/1","group":"g","brand":"Nord","price":{"amount":"14.90","currency":"EUR"},"availability":"outOfStock","attributes":{"color":"Red"},"translations":{"de":{"title":"Becher"}}}
      {"type":"product","id":"2","title":"Mug","group":"g","price":"9.90 EUR"}
      """#,
      [
        "1 | Mug | 14.90 | outOfStock | Red | Nord | 2",
        "2 | Mug | 9.90 | - | - | - | 0",
      ]),
    FeedShop(
      "Native CSV",
      #"""
      type,id,title,images,price.amount,price.currency,availability,brand,group,attributes.color
      product,1,Mug,a.jpg|b.jpg,14.90,EUR,inStock,Nord,g,Red
      product,2,Mug,c.jpg,9.90,EUR,preOrder,Nord,g,Blue
      """#,
      [
        "1 | Mug | 14.90 | inStock | Red | Nord | 2",
        "2 | Mug | 9.90 | preOrder | Blue | Nord | 1",
      ]),
    FeedShop(
      "A document of JSON",
      #"""
      {"products":[{"id":1,"name":{"de":"Becher","fr":"Tasse"},"status":"active","price":14.9,"sale_price":9.9,"manufacturer":"Nord","pictures":["a.jpg","b.jpg"],"variants":[{"sku":"R","color":"Rot","image":"r.jpg","stock":0},{"sku":"B","color":"Blau","image":"b.jpg","stock":2}]},{"id":2,"name":"Off","status":"draft"}]}
      """#,
      [
        "1 | Becher | 9.9 | - | - | Nord | 1",
        "B | Becher | 9.9 | inStock | Blau | Nord | 1",
        "R | Becher | 9.9 | outOfStock | Rot | Nord | 1",
      ]),
    FeedShop(
      "JSON-LD",
      #"""
      {"@context":"https://schema.org","@type":"ProductGroup","name":"Shirt","productGroupID":"SH","brand":{"name":"Nord"},"hasVariant":[{"@type":"Product","sku":"R","color":"Red","image":{"@type":"ImageObject","contentUrl":"r.jpg"},"offers":{"priceSpecification":{"price":19.9,"priceCurrency":"EUR"},"availability":"http://schema.org/InStock"}},
      {"@type":"Product","sku":"B","color":"Blue","image":["b.jpg"],"offers":[{"@type":"AggregateOffer","lowPrice":"21.90","priceCurrency":"EUR","availability":"SoldOut"}]}]}
      """#,
      [
        "B | Shirt | 21.90 | outOfStock | Blue | Nord | 1",
        "R | Shirt | 19.9 | inStock | Red | Nord | 1",
      ]),
    FeedShop(
      "An HTML page",
      #"""
      <!doctype html><html><head><script type="application/ld+json">{"@graph":[{"@type":"Organization","name":"S"},{"@type":"Product","sku":"1","name":"Mug &amp; cup","color":"Red","brand":"Nord","image":["a.jpg","b.jpg"],"offers":{"price":"9.90","priceCurrency":"EUR","availability":"https://schema.org/PreOrder"}}]}</script></head></html>
      """#,
      [
        "1 | Mug & cup | 9.90 | preOrder | Red | Nord | 2"
      ]),
    FeedShop(
      "Google Merchant, table",
      #"""
      id,title,description,link,image_link,additional_image_link,availability,price,sale_price,brand,item_group_id,color
      1,Mug,Nice,https://s.example/1,a.jpg,"b.jpg,c.jpg",in_stock,14.90 EUR,9.90 EUR,Nord,g,Red
      2,Mug,Nice,https://s.example/2,d.jpg,,backorder,14.90 EUR,,Nord,g,Blue
      """#,
      [
        "1 | Mug | 9.90 | inStock | Red | Nord | 3",
        "2 | Mug | 14.90 | backOrder | Blue | Nord | 1",
      ]),
    FeedShop(
      "Google Merchant, RSS",
      #"""
      <rss xmlns:g="http://base.google.com/ns/1.0"><channel><item><g:id>1</g:id><title><![CDATA[Mug & cup]]></title><g:image_link>a.jpg</g:image_link><g:additional_image_link>b.jpg</g:additional_image_link><g:price>14.90 EUR</g:price><g:sale_price>9.90 EUR</g:sale_price><g:availability>preorder</g:availability><g:brand>Nord</g:brand><g:color>Red/White</g:color><g:shipping><g:price>3 EUR</g:price></g:shipping></item></channel></rss>
      """#,
      [
        "1 | Mug & cup | 9.90 | preOrder | Red/White | Nord | 2"
      ]),
    FeedShop(
      "Google Merchant, Atom, another prefix",
      #"""
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:gm="http://base.google.com/ns/1.0"><entry><gm:id>1</gm:id><gm:title>Mug</gm:title><link href="https://s.example/1"/><gm:image_link>a.jpg</gm:image_link><gm:price>9.90 EUR</gm:price><gm:availability>out_of_stock</gm:availability><gm:brand>Nord</gm:brand></entry></feed>
      """#,
      [
        "1 | Mug | 9.90 | outOfStock | - | Nord | 1"
      ]),
    FeedShop(
      "Meta, with a note, drafts and rows of languages",
      #"""
      # See https://m.example
      id,title,link,image_link,price,availability,status,override,image[0].url,image[1].url,brand
      1,Mug,https://s.example/1,a.jpg,9.90 EUR,in stock,active,,b.jpg,c.jpg,Nord
      1,Becher,https://s.example/1,,,,,de_DE,,,
      2,Off,https://s.example/2,d.jpg,9.90 EUR,in stock,archived,,,,Nord
      """#,
      [
        "1 | Mug | 9.90 | inStock | - | Nord | 3"
      ]),
    FeedShop(
      "Ceneo",
      #"""
      <offers><o id="1" url="https://s.example/1" price="1299.00" avail="3" stock="5"><cat>Dom/Kubki</cat><name>Kubek</name><imgs><main url="a.jpg"/><i url="b.jpg"/></imgs><attrs><a name="Producent">Nord</a><a name="Kolor">Czerwony</a></attrs></o><o id="2" price="9" avail="110"><name>Miska</name></o></offers>
      """#,
      [
        "1 | Kubek | 1299.00 | inStock | Czerwony | Nord | 2",
        "2 | Miska | 9 | preOrder | - | - | 0",
      ]),
    FeedShop(
      "Skroutz, with variations",
      #"""
      <mywebstore><products><product><id>7</id><name>Φόρεμα</name><image>a.jpg</image><additionalimage>b.jpg</additionalimage><price_with_vat>39.90</price_with_vat><vat>24</vat><manufacturer>Nord</manufacturer><mpn>LN</mpn><availability>In stock</availability><color>Μπλε</color><variations><variation><variationid>7-S</variationid><size>S</size></variation><variation><variationid>7-M</variationid><size>M</size></variation></variations></product></products></mywebstore>
      """#,
      [
        "7 | Φόρεμα | 39.90 | inStock | Μπλε | Nord | 2"
      ]),
    FeedShop(
      "Heureka",
      #"""
      <SHOP><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><PRODUCT>Hrnek akce</PRODUCT><IMGURL>a.jpg</IMGURL><IMGURL_ALTERNATIVE>b.jpg</IMGURL_ALTERNATIVE><PRICE_VAT>1 249,50</PRICE_VAT><MANUFACTURER>Nord</MANUFACTURER><PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>červená</VAL></PARAM><PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>bílá</VAL></PARAM><DELIVERY_DATE>0</DELIVERY_DATE><DELIVERY><DELIVERY_PRICE>99</DELIVERY_PRICE></DELIVERY><ITEMGROUP_ID>g</ITEMGROUP_ID></SHOPITEM></SHOP>
      """#,
      [
        "1 | Hrnek | 1249.50 | inStock | červená, bílá | Nord | 2"
      ]),
    FeedShop(
      "Zboží, with hidden products",
      #"""
      <SHOP xmlns="http://www.zbozi.cz/ns/offer/1.0"><SHOPITEM><ITEM_ID>1</ITEM_ID><PRODUCTNAME>Hrnek</PRODUCTNAME><PRICE_VAT>249</PRICE_VAT><LIST_PRICE>299</LIST_PRICE><DELIVERY_DATE>3</DELIVERY_DATE><BRAND>Nord</BRAND><VISIBILITY>1</VISIBILITY></SHOPITEM><SHOPITEM><ITEM_ID>2</ITEM_ID><PRODUCTNAME>Skrytý</PRODUCTNAME><VISIBILITY>0</VISIBILITY></SHOPITEM></SHOP>
      """#,
      [
        "1 | Hrnek | 249 | backOrder | - | Nord | 0"
      ]),
    FeedShop(
      "Yandex Market",
      #"""
      <yml_catalog><shop><currencies><currency id="RUR"/></currencies><categories><category id="1">Дом</category></categories><offers><offer id="1" available="true" group_id="g"><price>1290</price><oldprice>1500</oldprice><currencyId>RUR</currencyId><categoryId>1</categoryId><picture>a.jpg</picture><picture>b.jpg</picture><vendor>Nord</vendor><name>Кружка</name><name_ua>Кухоль</name_ua><param name="Цвет">красный</param></offer><offer id="2" available="false"><price>9</price><name>Книга</name></offer></offers></shop></yml_catalog>
      """#,
      [
        "1 | Кружка | 1290 | inStock | красный | Nord | 2",
        "2 | Книга | 9 | outOfStock | - | - | 0",
      ]),
    FeedShop(
      "BMEcat 1.2",
      #"""
      <BMECAT><HEADER><CATALOG><MIME_ROOT>pics</MIME_ROOT></CATALOG></HEADER><T_NEW_CATALOG><ARTICLE><SUPPLIER_AID>1</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Zange</DESCRIPTION_SHORT><MANUFACTURER_NAME>Nord</MANUFACTURER_NAME></ARTICLE_DETAILS><ARTICLE_FEATURES><FEATURE><FNAME>Farbe</FNAME><FVALUE>schwarz</FVALUE></FEATURE></ARTICLE_FEATURES><ARTICLE_PRICE_DETAILS><ARTICLE_PRICE><PRICE_AMOUNT>3.90</PRICE_AMOUNT><PRICE_CURRENCY>EUR</PRICE_CURRENCY></ARTICLE_PRICE></ARTICLE_PRICE_DETAILS><MIME_INFO><MIME><MIME_SOURCE>1.jpg</MIME_SOURCE></MIME></MIME_INFO></ARTICLE></T_NEW_CATALOG></BMECAT>
      """#,
      [
        "1 | Zange | 3.90 | - | schwarz | Nord | 1"
      ]),
    FeedShop(
      "Salesforce Commerce, masters with variants",
      #"""
      <catalog xmlns="http://www.demandware.com/xml/impex/catalog/2006-10-31"><product product-id="V1"><ean>4006381333931</ean><online-flag>true</online-flag><custom-attributes><custom-attribute attribute-id="color">C1</custom-attribute><custom-attribute attribute-id="size">S</custom-attribute></custom-attributes></product><product product-id="M"><display-name xml:lang="x-default">Jacket</display-name><display-name xml:lang="de">Jacke</display-name><brand>Nord</brand><online-flag>true</online-flag><images><image-group view-type="small"><image path="s.jpg"/></image-group><image-group view-type="large"><image path="m.jpg"/></image-group><image-group view-type="large"><variation attribute-id="color" value="C1"/><image path="r.jpg"/><image path="r2.jpg"/></image-group><image-group view-type="large"><variation attribute-id="color" value="C2"/><image path="b.jpg"/></image-group><image-group view-type="swatch"><variation attribute-id="color" value="C2"/><image path="sw.jpg"/></image-group></images><variations><attributes><variation-attribute attribute-id="color"><variation-attribute-values><variation-attribute-value value="C1"><display-value>Red</display-value></variation-attribute-value><variation-attribute-value value="C2"><display-value>Blue</display-value></variation-attribute-value></variation-attribute-values></variation-attribute><variation-attribute attribute-id="size"/></attributes><variants><variant product-id="V1"/><variant product-id="V2"/><variant product-id="V3"/><variant product-id="V4"/></variants></variations></product><product product-id="V2"><online-flag>true</online-flag><custom-attributes><custom-attribute attribute-id="color">C1</custom-attribute><custom-attribute attribute-id="size">M</custom-attribute></custom-attributes></product><product product-id="V3"><online-flag>true</online-flag><custom-attributes><custom-attribute attribute-id="color">C2</custom-attribute></custom-attributes></product><product product-id="V4"><online-flag>false</online-flag></product><product product-id="H"><display-name>Hat</display-name><images><image-group view-type="large"><image path="h.jpg"/></image-group></images></product></catalog>
      """#,
      [
        "H | Hat | - | - | - | - | 1",
        "M | Jacket | - | - | - | Nord | 1",
        "V1 | Jacket | - | - | Red | Nord | 2",
        "V3 | Jacket | - | - | Blue | Nord | 1",
      ]),
    FeedShop(
      "CommerceML",
      #"""
      <КоммерческаяИнформация><Каталог><Товары><Товар><Ид>1</Ид><Штрихкод>4006381333931</Штрихкод><Артикул>N</Артикул><Наименование>Кружка</Наименование><Картинка>a.jpg</Картинка><Картинка>b.jpg</Картинка><Изготовитель><Ид>9</Ид><Наименование>Nord</Наименование></Изготовитель></Товар></Товары></Каталог></КоммерческаяИнформация>
      """#,
      [
        "1 | Кружка | - | - | - | Nord | 2"
      ]),
    FeedShop(
      "Other XML, in two languages",
      #"""
      <products><product id="1"><name lang="en">Mug</name><name lang="de">Becher</name><price currency="USD">9.90</price><color>Red</color><color>Blue</color><images><image>a.jpg</image><image>b.jpg</image></images><available>no</available></product></products>
      """#,
      [
        "1 | Mug | 9.90 | outOfStock | Red, Blue | - | 2"
      ]),
    FeedShop(
      "A catalogue that is not of Salesforce",
      #"""
      <catalog><product><product_url>https://s.example/1</product_url><designation>Tasse</designation><price>14.90</price><image_url>a.jpg</image_url><in_stock>N</in_stock></product></catalog>
      """#,
      [
        "https://s.example/1 | Tasse | 14.90 | outOfStock | - | - | 1"
      ]),
    FeedShop(
      "Árukereső",
      #"""
      <products><product><identifier>A1</identifier><manufacturer>Nord</manufacturer><name>Bögre</name><price>14 990</price><image_url>a.jpg</image_url><image_url_2>b.jpg</image_url_2><productnumber>N</productnumber></product></products>
      """#,
      [
        "A1 | Bögre | 14990 | - | - | Nord | 2"
      ]),
  ]

  /// Would break if a part of a shop were lost, or if a draft were shown.
  @Test(arguments: shops) func `a shop with its habits`(shop: FeedShop) throws {
    try shop.check()
  }
}
