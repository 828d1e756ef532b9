#compdef vq
# Completion of vq for zsh. Save it as _vq in a folder of $fpath.
_vq() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
    'index:make or update an index from a feed'
    'match:find the products and stores that an image shows'
    'catalogue:check, compact, export, upgrade or roll back an index'
    'doctor:find entities that are hard to match or to show'
    'feeds:list, rename or remove the feeds of an index'
    'duplicates:list entities whose images are the same, or nearly'
    'labels:list the labels of an index, or unknown ones'
    'rules:pin, hide and boost entities in answers'
    'report:what people searched and opened'
    'eval:measure the search quality of an index'
    'fit:fit the confidence to labelled photos of the shop'
    'diff:compare the answers of two generations'
    'why-not:show which stage of a search loses an entity'
    'neighbors:list the entities that look most like one of the index'
    'feedback:list and undo what people said about answers'
    'serve:answer queries over HTTP'
    'mcp:answer an agent on this machine (Model Context Protocol)'
    'key:make a key for clients of '\''vq serve'\'''
    'hash:print the PDQ hash of images'
    'sign:analyze the images of a feed without an index'
    'postgres:prepare a PostgreSQL database for an index'
    'copy:copy an index into PostgreSQL, or out of it'
    'codegen:write the entities of an app as Swift source'
    'simulate-client:ask a server what a phone would, and show its answer'
    'help:explain a command, or write the manual pages'
    'completions:print completions for a shell'
  )
  _arguments -C \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:COMMAND:->command' \
        '*::ARGUMENT:->argument'
  case $state in
  command) _describe command commands ;;
  argument)
    case $words[1] in
    index)
      _arguments -s -S \
        '--index=[the index to make or update]:DIR:_files -/' \
        '--images-root=[the folder that contains the images]:DIR:_files -/' \
        '*--allow-outside=[a further folder that may contain images]:DIR:_files -/' \
        '--thumbnails=[store thumbnails of these sizes in the index\: 160,480]:SIDES:' \
        '--on-conflict=[what to do with an entity that is already indexed]:WHAT:(keep merge replace)' \
        '--prune-missing[remove entities that the feed lacks]' \
        '--max-removed=[remove nothing if the feed lacks more of the entities]:PERCENT:' \
        '*--accept-loss=[let rows take these fields from the index\: image,price]:FIELDS:' \
        '--feed-name=[the name of the feed, by which it is known every night]:NAME:' \
        '--accept-feed[take a feed with another format or currency than last time]' \
        '--report=[also write an HTML page about the run]:FILE:_files' \
        '--detailed-exit-code[tell by the exit code what was done\: 0, 7 or 8]' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--own-images=[ask for the shop'\''s own images, to learn how careful it must be]:WHEN:(auto off)' \
        '--currency=[the currency of prices without one\: EUR]:CODE:' \
        '*--map=[the fields of a feed\: id=SKU,title=Name,images=Photos]:FIELD=SOURCE:' \
        '--map-from=[print a --map for the fields of a feed, and stop]:FILE:_files' \
        '--encoding=[the encoding of the feed'\''s text\: windows-1251]:NAME:' \
        '--sheet=[the sheet of a workbook (.xlsx, .ods), by its name or number]:NAME:' \
        '--include-drafts[index drafts, archived and unpublished products, too]' \
        '--fetch[fetch images from servers; requires --allow-host]' \
        '*--allow-host=[hosts that images may be fetched from]:HOST:' \
        '--dry-run[read and decode everything, but write nothing]' \
        '--strict[stop at the first rejection or warning]' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--rejected=[the file for rejected rows]:FILE:_files' \
        '--json[the summary as one JSON object]' \
        '--quiet[no progress and no summary]' \
        '-q[no progress and no summary]' \
        '--locale=[the notation of numbers\: de for 1.299,00]:LOCALE:' \
        '*--images-map=[local copies of images\: '\''https\://cdn.example/*=photos/'\'']:URL=DIR:' \
        '*--allow-private-address=[addresses of an internal image server\: 10.1.2.0/24]:CIDR:' \
        '--ca-file=[certificates of the authorities of image servers, in PEM]:FILE:_files' \
        '--fetch-rate=[the most requests a second to a host]:NUMBER:' \
        '--fetch-time=[the time for all images, in seconds]:N:' \
        '--user-agent=[the name by which image servers know the requests]:TEXT:' \
        '*--fetch-header=[a header field for image servers\: Authorization=@token.txt]:NAME=@FILE:' \
        '--max-rows=[the most rows of a feed]:N:' \
        '--max-feed-bytes=[the most bytes of a feed, after decompression]:N:' \
        '--max-feed-ratio=[the most bytes that a compressed byte of a feed may become]:N:' \
        '--max-row-bytes=[the most bytes of the entities that one row becomes]:N:' \
        '--max-row-variants=[the most variants of one product]:N:' \
        '--max-row-levels=[the most levels of elements within an item of XML]:N:' \
        '*--public=[your own fields that '\''vq serve'\'' may show\: material,care]:FIELD:' \
        '*--link=[the URL of entities without one of their own]:LINK:' \
        '*--allow-scheme=[schemes accepted in links besides https]:LIST:' \
        '--bridge=[a label bridge\: CSV, see '\''vq help labels'\'']:FILE:_files' \
        '--formats=[formats of images that are accepted\: jpeg,png,webp]:LIST:(jpeg png webp avif heic gif all)' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--signed[FEED is the output of '\''vq sign'\''; may be several files]' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '*:FEED:_files' ;;
    match)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '*--labels=[words for what the image shows\: mug,cup]:LIST:' \
        '--text=[what is meant instead of what the image shows\: in green]:TEXT:' \
        '--region=[search with this part of the image only]:X,Y,W,H:' \
        '--limit=[maximum number of matches]:N:' \
        '--products=[maximum number of products]:N:' \
        '--stores=[maximum number of stores]:N:' \
        '--min-confidence=[omit less likely matches]:P:' \
        '--deadline=[time limit in ms for each image; 0\: no limit]:MS:' \
        '--type=[only products, or only stores]:TYPE:(product store)' \
        '*--where=[only entities with such a property\: price<20]:CONDITION:' \
        '--group[one match for each group of variants, the others beneath]' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--explain[show how each confidence was computed]' \
        '--json[one JSON object per line and image]' \
        '--report=[also write an HTML page with the images]:FILE:_files' \
        '--csv[one line per match, with a heading]' \
        '--open[open the link of the best match]' \
        '--profile[show where the time of each image went, by steps]' \
        '--all-fields[with --json\: also fields that are not public]' \
        '--tolerant[search with the part of a truncated image that is there]' \
        '--isolate=[run loaded libraries in processes of their own]:SWITCH:(on off)' \
        '--subject=[what the image may show]:SUBJECT:(anything catalogued)' \
        '--answers=[all, or only what is sure]:ANSWERS:(all sure)' \
        '--similar[also list things of the same kind]' \
        '*--with-label=[only entities with one of these labels]:LIST:' \
        '--near=[sort equally good stores by distance]:LAT,LON:' \
        '--at=[report whether stores are open at this time]:TIME:' \
        '--locale=[show texts in this language]:TAG:' \
        '--app-page=[the page of the app that asks, for the rules of that page]:NAME:' \
        '--rules=[try the rules of this file in place of those of the index]:FILE:_files' \
        '--signature=[search with an image'\''s signature]:TEXT:' \
        '--embedding=[also compare the image'\''s embedding, made by a model]:FILE:_files' \
        '--continue=[show the next page of an earlier search]:TOKEN:' \
        '--refresh[with --continue\: search again, for what is new]' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--at-least=[wait for this generation of an index in PostgreSQL]:N:' \
        '--max-bytes=[reject larger files]:N:' \
        '--max-pixels=[reject larger images]:N:' \
        '--formats=[formats of images that are accepted\: jpeg,png,webp]:LIST:(jpeg png webp avif heic gif all)' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '*:IMAGE:_files' ;;
    catalogue)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '*--id=[with remove\: product\:mug-red,store\:harbour]:LIST:' \
        '--images-root=[with set\: the folder that contains the images]:DIR:_files -/' \
        '*--allow-outside=[with set\: a further folder that may contain images]:DIR:_files -/' \
        '*--public=[with set\: your own fields that '\''vq serve'\'' may show]:FIELD:' \
        '--max-loss=[with set\: what a run of '\''vq index'\'' may take from the index]:PERCENT:' \
        '--max-loss-week=[with set\: what the runs of seven nights may take together]:PERCENT:' \
        '--pictures[with verify\: treat missing images as errors]' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--json[status and findings as JSON]' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:ACTION:(status verify compact rollback backup export import remove set upgrade read-text embed)' \
        '*:FILE:_files' ;;
    doctor)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--json[one JSON object per line and finding]' \
        '--report=[also write an HTML page with the images]:FILE:_files' \
        '--check-links[ask servers whether links lead anywhere; requires --allow-host]' \
        '*--allow-host=[hosts that are asked about links]:HOST:' \
        '--max-links=[the most links that are checked]:N:' \
        '*--allow-private-address=[addresses of an internal image server\: 10.1.2.0/24]:CIDR:' \
        '--ca-file=[certificates of the authorities of image servers, in PEM]:FILE:_files' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    feeds)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--json[the feeds as one JSON object]' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:ACTION:(list rename remove)' \
        '*:FILE:_files' ;;
    duplicates)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--same[only images that differ by no more than compression]' \
        '--json[one JSON object per line and cluster]' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    labels)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--unmatched[list unknown labels of earlier queries]' \
        '--bridge=[replace the label bridge with this CSV file]:FILE:_files' \
        '--json[one JSON object per line and label]' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    rules)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--set=[replace all rules with those of this file]:FILE:_files' \
        '*--remove=[remove the rule of this name]:NAME:' \
        '--json[the rules as one JSON object]' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    report)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--days=[only the last days]:N:' \
        '--json[the report as one JSON object]' \
        '*--with=[add the numbers of this index, such as the copy of another server]:DIR:' \
        '--report=[also write an HTML page with the images]:FILE:_files' \
        '--export=[write all sums as JSON Lines, for a backup]:FILE:_files' \
        '--import=[add the sums of an export to the index]:FILE:_files' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    eval)
      _arguments -s -S \
        '*--index=[the index to search]:DIR:_files -/' \
        '--without-labels[search with the images only]' \
        '--subject=[what the image may show]:SUBJECT:(anything catalogued)' \
        '--calibrate[fit the confidence to these queries]' \
        '--rules=[try the rules of this file in place of those of the index]:FILE:_files' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--json[the figures as one JSON object]' \
        '--report=[also write an HTML page with the images]:FILE:_files' \
        '--quiet[no progress]' \
        '-q[no progress]' \
        '*--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '*:QUERIES:_files' ;;
    fit)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--own[fit to the shop'\''s own images, edited as photos are]' \
        '--dry-run[print the verdict, and store nothing]' \
        '--show[print the fit that the index has, and the former ones]' \
        '--undo[remove the newest fit, so that the one before counts]' \
        '--with-feedback[also fit what people said about answers]' \
        '--absent=[the share of photos that show what the shop lacks]:SHARE:' \
        '--without-labels[search with the images only]' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--json[the verdict as one JSON object]' \
        '--quiet[no progress]' \
        '-q[no progress]' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '*:QUERIES:_files' ;;
    diff)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--before=[the index to compare with]:DIR:_files -/' \
        '--rules=[try the rules of this file in place of those of the index]:FILE:_files' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--json[one JSON object per line and query]' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:QUERIES:_files' ;;
    why-not)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--expect=[the id of the expected first match]:ID:' \
        '*--labels=[words for what the image shows\: mug,cup]:LIST:' \
        '--text=[what is meant instead of what the image shows\: in green]:TEXT:' \
        '--region=[search with this part of the image only]:X,Y,W,H:' \
        '--limit=[maximum number of matches]:N:' \
        '--products=[maximum number of products]:N:' \
        '--stores=[maximum number of stores]:N:' \
        '--min-confidence=[omit less likely matches]:P:' \
        '--subject=[what the image may show]:SUBJECT:(anything catalogued)' \
        '--type=[only products, or only stores]:TYPE:(product store)' \
        '*--where=[only entities with such a property\: price<20]:CONDITION:' \
        '*--with-label=[only entities with one of these labels]:LIST:' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--json[the answer as one JSON object]' \
        '--report=[also write an HTML page with the images]:FILE:_files' \
        '--max-bytes=[reject larger files]:N:' \
        '--max-pixels=[reject larger images]:N:' \
        '--formats=[formats of images that are accepted\: jpeg,png,webp]:LIST:(jpeg png webp avif heic gif all)' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:IMAGE:_files' ;;
    neighbors)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--limit=[maximum number of neighbors]:N:' \
        '*--where=[only entities with such a property\: price<20]:CONDITION:' \
        '*--with-label=[only entities with one of these labels]:LIST:' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--json[the answer as one JSON object]' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:ID:' ;;
    feedback)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--json[with list\: one JSON object per line]' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:ACTION:(list accept remove queries export import)' \
        '*:FILE:_files' ;;
    serve)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--at-least=[wait for this generation of an index in PostgreSQL]:N:' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--host=[listen on this IP address]:ADDRESS:' \
        '--port=[listen on this port; 0\: any free port]:N:' \
        '--socket=[listen on a Unix socket instead]:FILE:_files' \
        '--keys=[accept only clients with a key in this file]:FILE:_files' \
        '--deadline=[time limit of a match in ms if the client gives none]:MS:' \
        '--max-deadline=[maximum time limit of a match in ms]:MS:' \
        '--change-deadline=[maximum time of a change in ms]:MS:' \
        '--queue=[maximum number of waiting requests]:N:' \
        '--rate=[requests per second for each key, or address]:N:' \
        '--cpu-rate=[seconds of a thread per second for each key, or address]:N:' \
        '*--trusted-proxy=[proxies that name their clients in X-Forwarded-For]:ADDRESS:' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--connections=[maximum number of connections]:N:' \
        '--per-address=[maximum number of connections from one address]:N:' \
        '--max-bytes=[reject larger bodies]:N:' \
        '--max-pixels=[reject larger images]:N:' \
        '--decode-memory=[MB of memory for decoding images]:N:' \
        '--formats=[formats of images that are accepted, or all]:LIST:(jpeg png webp avif heic gif all)' \
        '--isolate=[run loaded libraries in processes of their own]:SWITCH:(on off)' \
        '*--allow-origin=[accept requests from these origins (CORS)]:ORIGIN:' \
        '*--allow-host=[without --keys\: also accept requests to these hosts]:HOST:' \
        '*--app-id=[apps that may open the shop'\''s links\: TEAMID.bundle.id]:ID:' \
        '--name=[the name of the shop, for apps (/v1/settings)]:NAME:' \
        '--numbers[count searches and what was opened, for '\''vq report'\'']' \
        '--try-rules=[use the rules of this file for half of the callers; requires --numbers]:FILE:_files' \
        '--traces=[send traces to this collector (OTLP over HTTP)]:URL:' \
        '--trace-share=[the share of requests whose traces are sent]:SHARE:' \
        '--grace=[seconds for running requests at shutdown]:S:' \
        '--quiet[do not log successful requests]' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    mcp)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--models=[read the text of images, and encode them, with the models of a folder]:DIR:_files -/' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' ;;
    key)
      _arguments -s -S \
        '--name=[the name of the key in logs]:NAME:' \
        '--role=[the permissions of the key]:ROLE:(app read feedback operate write)' \
        '--until=[the last day of the key, in UTC]:DAY:' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:FILE:_files' ;;
    hash)
      _arguments -s -S \
        '--json[one JSON object per line and image]' \
        '--query[print the signature for '\''vq match --signature'\'']' \
        '--keypoints[print that signature with its keypoints]' \
        '--max-bytes=[reject larger files]:N:' \
        '--max-pixels=[reject larger images]:N:' \
        '--formats=[formats of images that are accepted\: jpeg,png,webp]:LIST:(jpeg png webp avif heic gif all)' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '*:IMAGE:_files' ;;
    sign)
      _arguments -s -S \
        '--images-root=[the folder that contains the images]:DIR:_files -/' \
        '*--allow-outside=[a further folder that may contain images]:DIR:_files -/' \
        '*--allow-scheme=[schemes accepted in links besides https]:LIST:' \
        '--models=[read the text and codes of images with the models of a folder]:DIR:_files -/' \
        '--currency=[the currency of prices without one\: EUR]:CODE:' \
        '--locale=[the notation of numbers\: de for 1.299,00]:LOCALE:' \
        '*--map=[the fields of a feed\: id=SKU,title=Name,images=Photos]:FIELD=SOURCE:' \
        '*--images-map=[local copies of images\: '\''https\://cdn.example/*=photos/'\'']:URL=DIR:' \
        '--include-drafts[index drafts, archived and unpublished products, too]' \
        '--max-rows=[the most rows of a feed]:N:' \
        '--max-feed-bytes=[the most bytes of a feed, after decompression]:N:' \
        '--max-feed-ratio=[the most bytes that a compressed byte of a feed may become]:N:' \
        '--max-row-bytes=[the most bytes of the entities that one row becomes]:N:' \
        '--max-row-variants=[the most variants of one product]:N:' \
        '--max-row-levels=[the most levels of elements within an item of XML]:N:' \
        '--encoding=[the encoding of the feed'\''s text\: windows-1251]:NAME:' \
        '--sheet=[the sheet of a workbook (.xlsx, .ods), by its name or number]:NAME:' \
        '--threads=[number of threads]:N:' \
        '-j+[number of threads]:N:' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:FEED:_files' ;;
    postgres)
      _arguments -s -S \
        '--index=[the database\: postgres\://db.example/shop]:URL:_files' \
        '*--shard=[keep candidates for engine mode in this database]:URL:' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:ACTION:(init)' ;;
    copy)
      _arguments -s -S \
        '--json[the summary as one JSON object]' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '*:FROM TO:_files -/' ;;
    codegen)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--cache=[the directory for the copy of an index in PostgreSQL]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:KIND:(app-intents)' ;;
    simulate-client)
      _arguments -s -S \
        '--server=[the address of '\''vq serve'\''\: http\://127.0.0.1\:8080]:URL:' \
        '*--labels=[English words for what the image shows\: mug,cup]:LIST:' \
        '--crop=[the part of the image that the person framed]:X,Y,W,H:' \
        '--sides=[the longer side of the upload, in pixels; several with commas]:SIDES:' \
        '--key-file=[a file with a key of the server]:FILE:_files' \
        '--language=[the language of titles]:TAG:' \
        '--timeout=[time limit in ms for each answer]:MS:' \
        '--conversation[also ask what an app and the system ask after the tap]' \
        '--json[the server'\''s answers, one per line]' \
        '--max-bytes=[reject larger files]:N:' \
        '--max-pixels=[reject larger images]:N:' \
        '--formats=[formats of images that are accepted\: jpeg,png,webp]:LIST:(jpeg png webp avif heic gif all)' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:IMAGE:_files' ;;
    help)
      _arguments -s -S \
        '--man=[write the manual pages to this folder]:DIR:_files -/' \
        '--schemas=[write the schemas of JSON to this folder]:DIR:_files -/' \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:COMMAND:(index match catalogue doctor feeds duplicates labels rules report eval fit diff why-not neighbors feedback serve mcp key hash sign postgres copy codegen simulate-client help completions)' ;;
    completions)
      _arguments -s -S \
        '--color=[when to use color]:WHEN:(auto always never)' \
        '--help[show the complete help; -h a short one]' \
        '-h[show the complete help; -h a short one]' \
        '--version[show the version]' \
        '1:SHELL:(bash zsh fish)' ;;
    esac ;;
  esac
}
if [ "$funcstack[1]" = _vq ]; then _vq "$@"; else compdef _vq vq; fi
