#compdef vq
# Completion of vq for zsh. Save it as _vq in a folder of $fpath.
_vq() {
  local context state state_descr line
  typeset -A opt_args
  local -a commands
  commands=(
    'index:make or update an index from a catalogue'
    'match:find the products and stores that a picture shows'
    'catalogue:look over, repair, export or undo an index'
    'doctor:find what makes entities hard to match or to show'
    'labels:list the labels of an index, or those that it lacks'
    'eval:measure how well an index is searched'
    'why-not:say which stage of a search loses an entity'
    'serve:answer over HTTP what pictures show'
    'key:make a key for clients of '\''vq serve'\'''
    'hash:print the PDQ hash of pictures'
    'help:explain a command'
    'completions:print the completions for a shell'
  )
  _arguments -C \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '1:COMMAND:->command' \
        '*::ARGUMENT:->argument'
  case $state in
  command) _describe command commands ;;
  argument)
    case $words[1] in
    index)
      _arguments -s -S \
        '--index=[the index to make or update]:DIR:_files -/' \
        '--images-root=[the folder that image paths start from and stay in]:DIR:_files -/' \
        '*--allow-outside=[a further folder that image paths and links may lead into]:DIR:_files -/' \
        '--thumbnails=[keep thumbnails of these sizes in the index\: 160,480]:SIDES:' \
        '--on-conflict=[what becomes of an entity that is there already]:WHAT:(keep merge replace)' \
        '--prune-missing[remove entities that the catalogue lacks]' \
        '--fetch[fetch pictures that are on servers; with --allow-host]' \
        '*--allow-host=[hosts that pictures may be fetched from]:HOST:' \
        '--dry-run[read and decode all, and write nothing]' \
        '--strict[end with the first row or picture that is refused]' \
        '--threads=[use so many threads]:N:' \
        '-j+[use so many threads]:N:' \
        '--rejected=[the file of refused rows]:FILE:_files' \
        '--json[the summary as one JSON object]' \
        '--quiet[no progress and no summary]' \
        '-q[no progress and no summary]' \
        '--currency=[that of prices that name none\: EUR]:CODE:' \
        '*--link=[where entities without a URL of their own open]:LINK:' \
        '*--allow-scheme=[schemes that links may have besides https]:LIST:' \
        '--bridge=[a label bridge\: CSV, see '\''vq help labels'\'']:FILE:_files' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '1:CATALOGUE:_files' ;;
    match)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '*--labels=[words for what is seen\: mug,cup]:LIST:' \
        '--region=[look at this part of the picture only]:X,Y,W,H:' \
        '--limit=[at most so many matches in all]:N:' \
        '--products=[at most so many products]:N:' \
        '--stores=[at most so many stores]:N:' \
        '--min-confidence=[leave out less likely matches]:P:' \
        '--deadline=[time limit in ms for each picture; 0\: no limit]:MS:' \
        '--type=[only products, or only stores]:TYPE:(product store)' \
        '*--where=[only what has such a property\: price<20]:CONDITION:' \
        '--threads=[use so many threads]:N:' \
        '-j+[use so many threads]:N:' \
        '--explain[show what each match'\''s confidence is made of]' \
        '--json[one JSON object a line and picture]' \
        '--tolerant[search with what is there of a truncated picture]' \
        '*--with-label=[only what has one of these labels]:LIST:' \
        '--near=[of like stores the nearer ones first]:LAT,LON:' \
        '--at=[tell whether stores are open then]:TIME:' \
        '--locale=[show texts in this language]:TAG:' \
        '--signature=[search with a picture'\''s signature]:TEXT:' \
        '--continue=[the next page of an earlier search]:TOKEN:' \
        '--refresh[with --continue\: search again, for what is new]' \
        '--max-bytes=[refuse larger files]:N:' \
        '--max-pixels=[refuse larger pictures]:N:' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '*:IMAGE:_files' ;;
    catalogue)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '*--id=[what to remove\: product\:mug-red,store\:harbour]:LIST:' \
        '--images-root=[with set\: the folder that image paths start from]:DIR:_files -/' \
        '*--allow-outside=[with set\: a further folder that image paths may lead into]:DIR:_files -/' \
        '--pictures[with verify\: count missing pictures as errors]' \
        '--json[status and findings as JSON]' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '*:ACTION:' ;;
    doctor)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--json[one JSON object a line and finding]' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' ;;
    labels)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--unmatched[the labels of queries that nothing knows]' \
        '--bridge=[replace the label bridge by this CSV file]:FILE:_files' \
        '--json[one JSON object a line and label]' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' ;;
    eval)
      _arguments -s -S \
        '*--index=[the index to search]:DIR:_files -/' \
        '--without-labels[ask by the pictures alone]' \
        '--calibrate[fit the confidence to these queries]' \
        '--threads=[use so many threads]:N:' \
        '-j+[use so many threads]:N:' \
        '--json[the figures as one JSON object]' \
        '--quiet[no progress]' \
        '-q[no progress]' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '*:QUERIES:_files' ;;
    why-not)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--expect=[the id that should be the first match]:ID:' \
        '*--labels=[words for what is seen\: mug,cup]:LIST:' \
        '--region=[look at this part of the picture only]:X,Y,W,H:' \
        '--limit=[at most so many matches in all]:N:' \
        '--products=[at most so many products]:N:' \
        '--stores=[at most so many stores]:N:' \
        '--min-confidence=[leave out less likely matches]:P:' \
        '--type=[only products, or only stores]:TYPE:(product store)' \
        '--threads=[use so many threads]:N:' \
        '-j+[use so many threads]:N:' \
        '--json[the answer as one JSON object]' \
        '--max-bytes=[refuse larger files]:N:' \
        '--max-pixels=[refuse larger pictures]:N:' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '1:IMAGE:_files' ;;
    serve)
      _arguments -s -S \
        '--index=[the index to search]:DIR:_files -/' \
        '--host=[listen at this IP address]:ADDRESS:' \
        '--port=[listen at this port; 0\: any that is free]:N:' \
        '--socket=[listen at a Unix socket instead]:FILE:_files' \
        '--keys=[let in only who has a key of this file]:FILE:_files' \
        '--deadline=[ms for a match where a client does not say]:MS:' \
        '--max-deadline=[ms for a match whatever a client says]:MS:' \
        '--queue=[let at most so many requests wait]:N:' \
        '--rate=[requests a second of one key, or else address]:N:' \
        '--threads=[use so many threads]:N:' \
        '-j+[use so many threads]:N:' \
        '--connections=[serve so many connections at once]:N:' \
        '--per-address=[serve so many connections of one address at once]:N:' \
        '--max-bytes=[refuse larger bodies]:N:' \
        '--max-pixels=[refuse larger pictures]:N:' \
        '--decode-memory=[MB for decoding pictures, on all threads]:N:' \
        '*--allow-origin=[let pages of these origins ask (CORS)]:ORIGIN:' \
        '*--app-id=[apps that open the shop'\''s links\: TEAM.bundle]:ID:' \
        '--grace=[seconds to finish in when told to stop]:S:' \
        '--quiet[log no requests that went well]' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' ;;
    key)
      _arguments -s -S \
        '--name=[what the key is called in logs]:NAME:' \
        '--role=[what it may do]:ROLE:(read write)' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '1:FILE:_files' ;;
    hash)
      _arguments -s -S \
        '--json[one JSON object a line and picture]' \
        '--query[the signature for '\''vq match --signature'\'']' \
        '--max-bytes=[refuse larger files]:N:' \
        '--max-pixels=[refuse larger pictures]:N:' \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '*:IMAGE:_files' ;;
    help)
      _arguments -s -S \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '1:COMMAND:(index match catalogue doctor labels eval why-not serve key hash help completions)' ;;
    completions)
      _arguments -s -S \
        '--color=[when to use colour]:WHEN:(auto always never)' \
        '--help[the complete help; -h shows a short one]' \
        '-h[the complete help; -h shows a short one]' \
        '--version[the version]' \
        '1:SHELL:(bash zsh fish)' ;;
    esac ;;
  esac
}
if [ "$funcstack[1]" = _vq ]; then _vq "$@"; else compdef _vq vq; fi
