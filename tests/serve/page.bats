#!/usr/bin/env bats
# The web page of tt_smi serve, in a real Chromium without a window.

load helpers

WEB=$BATS_TEST_DIRNAME/../../src/serve/web

# page TEST [ARGUMENTS]: runs a test of page.py; skips it if there is no browser.
page() {
	local test=$1 status=0
	shift
	WORK=$WORK D=$D TT_SMI=$TT_SMI "$PYTHON" "$BATS_TEST_DIRNAME/page.py" "$test" "$PORT" "$@" >"$WORK/page" 2>&1 3>&- || status=$?
	cat "$WORK/page"
	[ "$status" != 77 ] || skip "$(cat "$WORK/page")"
	[ "$status" = 0 ]
}

@test "its files are small, strict, cached and packed" {
	start -b n150 --no-workloads
	serve
	local total=0 path
	for path in / $(cd "$WEB" && ls | sed -n 's,^[^i]\|^ic,/page/&,p' | grep -v html); do
		get "$path" -D "$WORK/headers" >"$WORK/plain"
		total=$((total + $(wc -c <"$WORK/plain")))
		grep -qi "^content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';" "$WORK/headers"
		not grep -qi 'unsafe\|^set-cookie\|^access-control' "$WORK/headers"
		grep -qi '^x-content-type-options: nosniff' "$WORK/headers"
		grep -qi '^cache-control: no-cache' "$WORK/headers"
		tag=$(sed -n 's/^etag: *\(.*\)\r$/\1/Ip' "$WORK/headers")
		[ -n "$tag" ]
		rm -f "$WORK/answer"
		[ "$(status "$path" -H "If-None-Match: $tag")" = 304 ]
		[ ! -s "$WORK/answer" ]
		[ "$(status "$path" -H 'If-None-Match: "other"')" = 200 ]
		get "$path" -H 'Accept-Encoding: gzip' -D "$WORK/headers" | gzip -dc | cmp - "$WORK/plain"
		grep -qi '^content-encoding: gzip' "$WORK/headers"
		cmp "$WORK/plain" "$WEB/$([ "$path" = / ] && echo index.html || basename "$path")"
	done
	echo "$total bytes"
	[ "$total" -gt 20000 ] && [ "$total" -lt 102400 ]
	# no external resources, no inline scripts and styles
	not grep -rn 'https\?://' "$WEB" --include='*.html' --include='*.css'
	not grep -n 'style=\|onclick\|<style\|<script>' "$WEB/index.html"
	not grep -rn 'innerHTML\|outerHTML\|insertAdjacentHTML\|document.write\|eval(' "$WEB"
	[ "$(status /page/nothing.js)" = 404 ]
	[ "$(status /page/../page/page.js --path-as-is)" = 404 ]
}

@test "values arrive and change, nothing moves, the console stays empty" {
	start -b galaxy-wormhole -w dev=0+1,dram=9G,wave=3G,l1=48M,util=910,name=llama -w dev=31,via=none,name=lab
	serve
	page live
}

@test "32 chips fit on a laptop, one column on a phone, three on larger screens" {
	start -b galaxy-wormhole -w dev=0+1+2+3,dram=9G,l1=48M,util=910,name=llama --fault dead:29
	serve
	page sizes
}

@test "charts of the device with the focus are below the tiles, if there is room" {
	start -b n300,p150a -w dev=0,dram=3G,name=train
	serve
	page charted
}

@test "the connection is lost and regained, and the page says so" {
	start -b n300,p150a -w dev=0,dram=3G,name=train
	PORT=$(client port)
	page lost
}

@test "names of processes cannot inject" {
	local one='<img src=x onerror="window.hacked=1">' two='</td><script>window.hacked=1</script>' three='javascript:alert(1)'
	start -b n150 -w "dev=0,dram=1G,name=a,args=$one" -w "dev=0,dram=1G,name=b,args=$two" -w "dev=0,dram=1G,name=<b>bold</b>,args=$three"
	serve
	page hostile "$one" "$two" '<b>bold</b>' "$three"
}

@test "everything works by keys, with a focus that is seen" {
	start -b n300,p150a -w dev=0,dram=3G,name=train -w dev=1,dram=1G,name=other
	serve
	page keyboard
}

@test "dark and light, by preference and by switch, in the colours of the full screen" {
	start -b n150 --no-workloads
	serve
	page themes
}

@test "the page of a device has readings with reasons, charts and its processes" {
	start -b n300,p150a -w dev=0,dram=3G,wave=1G,util=500,name=train -w dev=1,dram=1G,name=other
	serve
	page device
}

@test "a row of the processes opens all readings of the process, also on a phone" {
	start -b n300,p150a -w dev=0,dram=3G,name=train -w dev=0+1,name=silent,via=none,args=--port\ 8000
	serve
	page process "$("$TT_SMI" --root "$D" --query-compute-apps=pid,process_name --format=csv,noheader | sed -n 's/, silent$//p' | head -n 1)"
}

@test "processes have the same reasons as in JSON" {
	machine -b n150 -w dev=0,dram=3G,name=train -w dev=0,name=silent,via=none
	serve
	"$PYTHON" "$BATS_TEST_DIRNAME/page.py" reasons "$PORT"
}

@test "filters and orders are those of the full screen" {
	[ -x "$TT_FILTER_LIST" ] || skip "built without the full screen"
	machine -b n300,2xp150a -w dev=0,dram=3G,l1=16M,name=train,args=--port\ 8000 -w dev=0+1,dram=1G,l1=1M,uid=4711,name=a,args=b \
		-w dev=1,via=none,name=TRAINER,uid=0 -w dev=2,dram=0,name=é,age=100000 -w dev=2,dram=2G,age=90,cgroup=/kubepods.slice/x,name=pod \
		-w dev=1,dram=3G,age=7000,name=same -w dev=2,dram=3G,age=7000,name=same
	serve
	page filters "$TT_FILTER_LIST"
}

@test "a client from elsewhere sees no owners on the page" {
	start -b n150 -w dev=0,dram=1G,uid=4711,name=train,args=secretword
	serve
	curl -sN --max-time 3 "http://127.0.0.1:$PORT/page/stream" >"$WORK/stream" || true
	grep -q secretword "$WORK/stream"
	end_server
	serve --no-owners
	curl -sN --max-time 3 "http://127.0.0.1:$PORT/page/stream" >"$WORK/stream" || true
	grep -q '"cells"' "$WORK/stream"
	not grep -q 'secretword\|4711' "$WORK/stream"
	get '/page/device?id=0' >"$WORK/device"
	grep -q '"cells"' "$WORK/device"
	not grep -q 'secretword\|4711' "$WORK/device"
	get "/page/process?pid=$(grep -o '"cells": *\[\["[0-9]*' "$WORK/device" | grep -o '[0-9]*$')" >"$WORK/process"
	grep -q '"Command","N/A (permission denied)",false' "$WORK/process"
	not grep -q 'secretword\|4711' "$WORK/process"
	local wrong
	for wrong in '' '?pid=' '?pid=x' '?pid=-1' '?pid=99999999999' '?pid=4294967295' '?pid=0'; do
		[ "$(status "/page/process$wrong")" = 404 ]
	done
}

@test "with passwords the page works for those that have one" {
	start -b n150 -w dev=0,dram=1G,name=train,args=secretword
	users alice wonderland
	serve --auth-file "$WORK/users"
	[ "$(status /)" = 401 ]
	page password alice:wonderland
}
