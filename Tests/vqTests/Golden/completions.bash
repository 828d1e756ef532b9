# Completion of vq for bash. Load it with: source <(vq completions bash)
_vq_reply() {
  local IFS=$'\n'
  COMPREPLY=($(IFS=' '; compgen "$@" -- "$word"))
}
_vq() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command='' index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${COMP_WORDS[index]} in
    index|match|catalogue|doctor|duplicates|labels|eval|diff|why-not|feedback|serve|key|hash|sign|postgres|copy|codegen|simulate-client|help|completions) command=${COMP_WORDS[index]}; break ;;
    esac
  done
  case $command:$previous in
    *:--color) _vq_reply -W 'auto always never'; return ;;
    index:--index) _vq_reply -d; compopt -o filenames; return ;;
    index:--images-root) _vq_reply -d; compopt -o filenames; return ;;
    index:--allow-outside) _vq_reply -d; compopt -o filenames; return ;;
    index:--thumbnails) return ;;
    index:--on-conflict) _vq_reply -W 'keep merge replace'; return ;;
    index:--currency) return ;;
    index:--map) return ;;
    index:--map-from) _vq_reply -f; compopt -o filenames; return ;;
    index:--allow-host) return ;;
    index:--threads|index:-j) return ;;
    index:--rejected) _vq_reply -f; compopt -o filenames; return ;;
    index:--locale) return ;;
    index:--images-map) return ;;
    index:--allow-private-address) return ;;
    index:--public) return ;;
    index:--link) return ;;
    index:--allow-scheme) return ;;
    index:--bridge) _vq_reply -f; compopt -o filenames; return ;;
    index:--formats) _vq_reply -W 'jpeg png webp avif heic gif all'; return ;;
    index:--cache) _vq_reply -d; compopt -o filenames; return ;;
    match:--index) _vq_reply -d; compopt -o filenames; return ;;
    match:--labels) return ;;
    match:--region) return ;;
    match:--limit) return ;;
    match:--products) return ;;
    match:--stores) return ;;
    match:--min-confidence) return ;;
    match:--deadline) return ;;
    match:--type) _vq_reply -W 'product store'; return ;;
    match:--where) return ;;
    match:--threads|match:-j) return ;;
    match:--report) _vq_reply -f; compopt -o filenames; return ;;
    match:--with-label) return ;;
    match:--near) return ;;
    match:--at) return ;;
    match:--locale) return ;;
    match:--signature) return ;;
    match:--embedding) _vq_reply -f; compopt -o filenames; return ;;
    match:--continue) return ;;
    match:--cache) _vq_reply -d; compopt -o filenames; return ;;
    match:--at-least) return ;;
    match:--max-bytes) return ;;
    match:--max-pixels) return ;;
    match:--formats) _vq_reply -W 'jpeg png webp avif heic gif all'; return ;;
    catalogue:--index) _vq_reply -d; compopt -o filenames; return ;;
    catalogue:--id) return ;;
    catalogue:--images-root) _vq_reply -d; compopt -o filenames; return ;;
    catalogue:--allow-outside) _vq_reply -d; compopt -o filenames; return ;;
    catalogue:--public) return ;;
    catalogue:--cache) _vq_reply -d; compopt -o filenames; return ;;
    doctor:--index) _vq_reply -d; compopt -o filenames; return ;;
    doctor:--report) _vq_reply -f; compopt -o filenames; return ;;
    doctor:--cache) _vq_reply -d; compopt -o filenames; return ;;
    duplicates:--index) _vq_reply -d; compopt -o filenames; return ;;
    duplicates:--threads|duplicates:-j) return ;;
    duplicates:--cache) _vq_reply -d; compopt -o filenames; return ;;
    labels:--index) _vq_reply -d; compopt -o filenames; return ;;
    labels:--bridge) _vq_reply -f; compopt -o filenames; return ;;
    labels:--cache) _vq_reply -d; compopt -o filenames; return ;;
    eval:--index) _vq_reply -d; compopt -o filenames; return ;;
    eval:--threads|eval:-j) return ;;
    eval:--report) _vq_reply -f; compopt -o filenames; return ;;
    eval:--cache) _vq_reply -d; compopt -o filenames; return ;;
    diff:--index) _vq_reply -d; compopt -o filenames; return ;;
    diff:--before) _vq_reply -d; compopt -o filenames; return ;;
    diff:--threads|diff:-j) return ;;
    diff:--cache) _vq_reply -d; compopt -o filenames; return ;;
    why-not:--index) _vq_reply -d; compopt -o filenames; return ;;
    why-not:--expect) return ;;
    why-not:--labels) return ;;
    why-not:--region) return ;;
    why-not:--limit) return ;;
    why-not:--products) return ;;
    why-not:--stores) return ;;
    why-not:--min-confidence) return ;;
    why-not:--type) _vq_reply -W 'product store'; return ;;
    why-not:--threads|why-not:-j) return ;;
    why-not:--report) _vq_reply -f; compopt -o filenames; return ;;
    why-not:--max-bytes) return ;;
    why-not:--max-pixels) return ;;
    why-not:--formats) _vq_reply -W 'jpeg png webp avif heic gif all'; return ;;
    why-not:--cache) _vq_reply -d; compopt -o filenames; return ;;
    feedback:--index) _vq_reply -d; compopt -o filenames; return ;;
    feedback:--cache) _vq_reply -d; compopt -o filenames; return ;;
    serve:--index) _vq_reply -d; compopt -o filenames; return ;;
    serve:--cache) _vq_reply -d; compopt -o filenames; return ;;
    serve:--at-least) return ;;
    serve:--host) return ;;
    serve:--port) return ;;
    serve:--socket) _vq_reply -f; compopt -o filenames; return ;;
    serve:--keys) _vq_reply -f; compopt -o filenames; return ;;
    serve:--deadline) return ;;
    serve:--max-deadline) return ;;
    serve:--queue) return ;;
    serve:--rate) return ;;
    serve:--threads|serve:-j) return ;;
    serve:--connections) return ;;
    serve:--per-address) return ;;
    serve:--max-bytes) return ;;
    serve:--max-pixels) return ;;
    serve:--decode-memory) return ;;
    serve:--formats) _vq_reply -W 'jpeg png webp avif heic gif all'; return ;;
    serve:--allow-origin) return ;;
    serve:--app-id) return ;;
    serve:--name) return ;;
    serve:--grace) return ;;
    key:--name) return ;;
    key:--role) _vq_reply -W 'read feedback write'; return ;;
    hash:--max-bytes) return ;;
    hash:--max-pixels) return ;;
    hash:--formats) _vq_reply -W 'jpeg png webp avif heic gif all'; return ;;
    sign:--images-root) _vq_reply -d; compopt -o filenames; return ;;
    sign:--allow-outside) _vq_reply -d; compopt -o filenames; return ;;
    sign:--allow-scheme) return ;;
    sign:--currency) return ;;
    sign:--locale) return ;;
    sign:--map) return ;;
    sign:--images-map) return ;;
    sign:--threads|sign:-j) return ;;
    postgres:--index) _vq_reply -f; compopt -o filenames; return ;;
    postgres:--shard) return ;;
    codegen:--index) _vq_reply -d; compopt -o filenames; return ;;
    codegen:--cache) _vq_reply -d; compopt -o filenames; return ;;
    simulate-client:--server) return ;;
    simulate-client:--labels) return ;;
    simulate-client:--crop) return ;;
    simulate-client:--sides) return ;;
    simulate-client:--as) _vq_reply -W 'jpeg pixels'; return ;;
    simulate-client:--key-file) _vq_reply -f; compopt -o filenames; return ;;
    simulate-client:--language) return ;;
    simulate-client:--timeout) return ;;
    simulate-client:--sheet) _vq_reply -f; compopt -o filenames; return ;;
    simulate-client:--max-bytes) return ;;
    simulate-client:--max-pixels) return ;;
    simulate-client:--formats) _vq_reply -W 'jpeg png webp avif heic gif all'; return ;;
    help:--man) _vq_reply -d; compopt -o filenames; return ;;
  esac
  case $command:$word in
    :-*) _vq_reply -W '--color --help -h --version' ;;
    :*) _vq_reply -W 'index match catalogue doctor duplicates labels eval diff why-not feedback serve key hash sign postgres copy codegen simulate-client help completions' ;;
    index:-*) _vq_reply -W '--index --images-root --allow-outside --thumbnails --on-conflict --prune-missing --currency --map --map-from --include-drafts --fetch --allow-host --dry-run --strict --threads -j --rejected --json --quiet -q --locale --images-map --allow-private-address --public --link --allow-scheme --bridge --formats --cache --signed --color --help -h --version' ;;
    index:*) _vq_reply -f; compopt -o filenames; return ;;
    match:-*) _vq_reply -W '--index --labels --region --limit --products --stores --min-confidence --deadline --type --where --group --threads -j --explain --json --report --csv --open --all-fields --tolerant --with-label --near --at --locale --signature --embedding --continue --refresh --cache --at-least --max-bytes --max-pixels --formats --color --help -h --version' ;;
    match:*) _vq_reply -f; compopt -o filenames; return ;;
    catalogue:-*) _vq_reply -W '--index --id --images-root --allow-outside --public --pictures --json --cache --color --help -h --version' ;;
    catalogue:*) _vq_reply -fW 'status verify compact rollback export import remove set upgrade'; compopt -o filenames; return ;;
    doctor:-*) _vq_reply -W '--index --json --report --cache --color --help -h --version' ;;
    doctor:*) return ;;
    duplicates:-*) _vq_reply -W '--index --same --json --threads -j --cache --color --help -h --version' ;;
    duplicates:*) return ;;
    labels:-*) _vq_reply -W '--index --unmatched --bridge --json --cache --color --help -h --version' ;;
    labels:*) return ;;
    eval:-*) _vq_reply -W '--index --without-labels --calibrate --threads -j --json --report --quiet -q --cache --color --help -h --version' ;;
    eval:*) _vq_reply -f; compopt -o filenames; return ;;
    diff:-*) _vq_reply -W '--index --before --threads -j --json --cache --color --help -h --version' ;;
    diff:*) _vq_reply -f; compopt -o filenames; return ;;
    why-not:-*) _vq_reply -W '--index --expect --labels --region --limit --products --stores --min-confidence --type --threads -j --json --report --max-bytes --max-pixels --formats --cache --color --help -h --version' ;;
    why-not:*) _vq_reply -f; compopt -o filenames; return ;;
    feedback:-*) _vq_reply -W '--index --cache --json --color --help -h --version' ;;
    feedback:*) _vq_reply -fW 'list accept remove queries export import'; compopt -o filenames; return ;;
    serve:-*) _vq_reply -W '--index --cache --at-least --host --port --socket --keys --deadline --max-deadline --queue --rate --threads -j --connections --per-address --max-bytes --max-pixels --decode-memory --formats --allow-origin --app-id --name --grace --quiet --color --help -h --version' ;;
    serve:*) return ;;
    key:-*) _vq_reply -W '--name --role --color --help -h --version' ;;
    key:*) _vq_reply -f; compopt -o filenames; return ;;
    hash:-*) _vq_reply -W '--json --query --keypoints --max-bytes --max-pixels --formats --color --help -h --version' ;;
    hash:*) _vq_reply -f; compopt -o filenames; return ;;
    sign:-*) _vq_reply -W '--images-root --allow-outside --allow-scheme --currency --locale --map --images-map --include-drafts --threads -j --color --help -h --version' ;;
    sign:*) _vq_reply -f; compopt -o filenames; return ;;
    postgres:-*) _vq_reply -W '--index --shard --color --help -h --version' ;;
    postgres:*) _vq_reply -W 'init'; return ;;
    copy:-*) _vq_reply -W '--json --color --help -h --version' ;;
    copy:*) _vq_reply -d; compopt -o filenames; return ;;
    codegen:-*) _vq_reply -W '--index --cache --color --help -h --version' ;;
    codegen:*) _vq_reply -W 'app-intents'; return ;;
    simulate-client:-*) _vq_reply -W '--server --labels --crop --sides --as --key-file --language --timeout --sheet --json --max-bytes --max-pixels --formats --color --help -h --version' ;;
    simulate-client:*) _vq_reply -f; compopt -o filenames; return ;;
    help:-*) _vq_reply -W '--man --color --help -h --version' ;;
    help:*) _vq_reply -W 'index match catalogue doctor duplicates labels eval diff why-not feedback serve key hash sign postgres copy codegen simulate-client help completions'; return ;;
    completions:-*) _vq_reply -W '--color --help -h --version' ;;
    completions:*) _vq_reply -W 'bash zsh fish'; return ;;
  esac
}
complete -F _vq vq
