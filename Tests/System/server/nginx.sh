#!/usr/bin/env bash
# The reverse proxy of docs/deploy/nginx.conf, with a certificate made for the occasion: nginx.sh VQ INDEX PICTURE
set -euo pipefail
vq=$1 index=$2 picture=$3
here=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=search.shop.example \
  -keyout "$folder/shop.key" -out "$folder/shop.pem" 2> /dev/null
# Nothing but the paths and the port differ from what the documentation shows.
sed -e "s|/run/vq/vq.sock|$folder/vq.sock|; s|/etc/ssl/shop|$folder/shop|; s|/var/log/nginx|$folder|; s|listen 443|listen 127.0.0.1:8443|" \
  "$here/docs/deploy/nginx.conf" > "$folder/nginx.conf"
"$vq" serve --index "$index" --socket "$folder/vq.sock" --trusted-proxy local > /dev/null 2> "$folder/vq.log" &
pids+=($!)
# Its workers are to reach a socket in a folder of ours.
user=
if [ "$(id -u)" -eq 0 ]; then user="user root;"; fi
nginx -p "$folder" -c "$folder/nginx.conf" -e "$folder/nginx.log" -g "daemon off; $user pid $folder/nginx.pid; error_log $folder/nginx.log;" &
pids+=($!)
ask=(curl -sS --cacert "$folder/shop.pem" --resolve search.shop.example:8443:127.0.0.1 --max-time 30)
for _ in $(seq 50); do
  "${ask[@]}" --fail -o /dev/null https://search.shop.example:8443/livez 2> /dev/null && break
  sleep 0.1
done
"${ask[@]}" --http2 -o "$folder/answer.json" -w '%{http_version} %{response_code}\n' -H 'Content-Type: image/jpeg' \
  --data-binary "@$picture" 'https://search.shop.example:8443/v1/match?labels=box&deadlineMs=2000' > "$folder/code"
grep -qx '2 200' "$folder/code"
grep -q '"id":"oats"' "$folder/answer.json"
echo "ok    a match over TLS and HTTP/2, through nginx and a Unix socket"
"${ask[@]}" -o /dev/null -w '%{response_code}' -H 'Content-Type: image/jpeg' -H 'Expect:' \
  --data-binary @<(head -c 11000000 /dev/zero) https://search.shop.example:8443/v1/match | grep -qx 413
echo "ok    a picture beyond the limit is 413 at the proxy"
# A client that hangs up behind the proxy has its query cancelled, too. Some of the moments fall into the query.
for attempt in $(seq 90); do
  "${ask[@]}" --max-time "0.0$((10 + attempt % 45))" -o /dev/null -H 'Content-Type: image/jpeg' --data-binary "@$picture" \
    'https://search.shop.example:8443/v1/match?deadlineMs=2000' 2> /dev/null || true
done
sleep 0.5
"${ask[@]}" https://search.shop.example:8443/metrics > "$folder/metrics"
grep -q '^vq_requests_cancelled_total{route="/v1/match"} [1-9]' "$folder/metrics"
grep -qx 'vq_requests_running 0' "$folder/metrics"
echo "ok    a client that hangs up on the proxy has its query cancelled"
