#!/bin/sh
# The user's own line, behind the libraries of each language: hotspots, leaks, check and diff name it, and say what they leave out.
# The profiles are speedscope's, which have names and files.
. "$SOURCE/tests/cli/tap.sh"
cd "$TMP" || exit 1

# profile FILE STACK...: each stack of `function@file|function@file ... bytes`, the outermost first.
profile() {
    /usr/bin/python3 - "$@" >"$1" <<'EOT'
import json, sys
frames, samples, weights = [], [], []
for stack in sys.argv[2:]:
    *path, weight = stack.split(" ")
    sample = []
    for part in " ".join(path).split("|"):
        function, _, file = part.partition("@")
        frame = {"name": function, "file": file}
        if frame not in frames: frames.append(frame)
        sample.append(frames.index(frame))
    samples.append(sample); weights.append(int(weight))
json.dump({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": frames}, "profiles": [{
    "type": "sampled", "name": "heap", "unit": "bytes", "startValue": 0, "endValue": sum(weights),
    "samples": samples, "weights": weights}]}, sys.stdout)
EOT
}

# sites ARGUMENT...: "function:value" of each hot spot.
sites() {
    run "$HEAPTAP" hotspots --csv --callers=0 "$@"
    sed 1d out | /usr/bin/python3 -c '
import csv, sys
print(" ".join("%s:%s" % (row[2], row[7]) for row in csv.reader(sys.stdin)))'
}

# hidden: what JSON says is left out.
hidden() {
    /usr/bin/python3 -c 'import json; d = json.load(open("out")); print(d["library_functions"], d["library_share"])'
}

# own LANGUAGE OWN STACK: of a stack in which one function is the user's own, it is named, with all 100 bytes.
own() {
    profile one.json "$3 100"
    is "$(sites one.json)" "$2:100" "$1: $2"
}

own "Python's standard library" parse "<module>@app.py|parse@/srv/app/parse.py|loads@/usr/lib/python3.11/json/__init__.py|raw_decode@/usr/lib/python3.11/json/decoder.py"
own "a package of Python" load "load@app.py|read_csv@/srv/venv/lib/python3.12/site-packages/pandas/io/parsers.py"
own "a package of Debian" load "load@app.py|array@/usr/lib/python3/dist-packages/numpy/core.py"
own "Python's imports" "<module>" "<module>@app.py|_find_and_load@<frozen importlib._bootstrap>|exec_module@<frozen importlib._bootstrap_external>"
own "a guest's type" build "build@app.py|dict@<type>"
own "Go's standard library" main.load "main.main@/src/main.go|main.load@/src/main.go|encoding/json.Unmarshal@/usr/lib/go-1.19/src/encoding/json/decode.go|reflect.New@/usr/lib/go-1.19/src/reflect/value.go|runtime.mallocgc@/usr/lib/go-1.19/src/runtime/malloc.go"
own "a module of Go" shop/cart.Add "shop/cart.Add@/home/me/shop/cart/cart.go|github.com/google/uuid.New@/home/me/go/pkg/mod/github.com/google/uuid@v1.3.0/version4.go"
own "... with trimmed paths" shop/cart.Add "shop/cart.Add@shop/cart/cart.go|github.com/google/uuid.New@github.com/google/uuid@v1.3.0/version4.go"
own "one's own package below a dot" github.com/me/app/db.Open "main.main@main.go|github.com/me/app/db.Open@/home/me/app/db/db.go|strings.Repeat@/usr/local/go/src/strings/strings.go"
own "Java's library" com.example.Cart.add "com.example.Main.main@Main.java|com.example.Cart.add@Cart.java|java.util.ArrayList.add@ArrayList.java|java.util.Arrays.copyOf@Arrays.java"
own "... with slashes" com/example/Cart.add "com/example/Cart.add@|java/util/ArrayList.grow@"
own "node's own files" render "render@/srv/app/render.js|concat@node:buffer"
own "what V8 has itself" ./render.js:render:7 "./render.js:render:7@/srv/app/render.js|:split:0@"
own "a package of node" render "render@/srv/app/render.js|merge@/srv/app/node_modules/lodash/lodash.js"
own "a crate of Rust" app::parse "app::parse@src/main.rs|serde_json::from_str@/home/me/.cargo/registry/src/index-6f17/serde_json-1.0/src/de.rs|alloc::vec::Vec<T>::push@/rustc/abc/library/alloc/src/vec/mod.rs"
own "headers of C++" index "index@src/index.cc|boost::container::vector::grow@/usr/include/boost/container/vector.hpp|operator new(unsigned long)@"
own "OCaml's Stdlib" App.read "App.read@app.ml|Stdlib__List.map@list.ml|Stdlib__Buffer.add_string@buffer.ml"
own "what only looks like Go's" strings.c_copy "main@main.c|strings.c_copy@strings.c"
own "what only looks like Java's" javascript "main@main.c|javascript@js.c"

# Several places, what is left out, and the words that change it.
profile shop.json "main@app.py|parse@app.py|loads@/usr/lib/python3.11/json/__init__.py|decode@/usr/lib/python3.11/json/decoder.py 300" \
    "main@app.py|parse@app.py 100" "main@app.py|fetch@client.py|get@/v/site-packages/requests/api.py 500" \
    "run@/usr/lib/python3.11/threading.py|put@/usr/lib/python3.11/queue.py 100"
run "$HEAPTAP" hotspots --callers=0 shop.json
cat >wanted <<'EOT'
shop.json: 1000 B of heap
3 of 3 functions, 100.0 % of all of it
80.0 % comes through 3 functions of libraries, left out (libraries=show)

VALUE  SHARE FUNCTION PLACE
500 B 50.0 % fetch    client.py
400 B 40.0 % parse    app.py
100 B 10.0 % put      /usr/lib/python3.11/queue.py
EOT
same out wanted "what is left out is counted; a stack of nothing else stays"
run "$HEAPTAP" hotspots --json shop.json
is "$(hidden)" "3 0.8" "... in JSON"
is "$(sites shop.json libraries=show)" "get:500 decode:300 parse:100 put:100" "libraries=show"
is "$(sites shop.json --libraries=show)" "get:500 decode:300 parse:100 put:100" "... as an option"
run "$HEAPTAP" hotspots shop.json libraries=show
lacks out "left out" "... then nothing is said of it"
is "$(sites shop.json --own requests)" "get:500 decode:300 parse:100 put:100" "--own: stacks end in what matches; others stay"
is "$(sites shop.json --own=main)" "main:900 put:100" "... with all that it calls"
is "$(sites shop.json own:file=client)" "fetch:500 decode:300 parse:100 put:100" "... by file"
is "$(sites shop.json 'own!=client')" "main:500 parse:400 put:100" "own!= adds to the libraries"
is "$(sites shop.json 'own=app.py' 'own!=parse')" "main:900 put:100" "... also to what own= leaves"
run "$HEAPTAP" top --csv shop.json own=main
is "$(sed -n 2p out | tr , '\n' | grep -c '^900$')" 2 "any report ends stacks there, if it is told to"
profile more.json "main@app.py|fetch@client.py|post@/v/site-packages/requests/api.py 900"
run "$HEAPTAP" compare --long --csv shop.json more.json
is "$(sed 1d out | grep -c 'get\|post\|decode')" 0 "diff: no function of a library"
run "$HEAPTAP" hotspots shop.json 'own=('
is "$STATUS" 2 "a wrong expression: status 2"
has err "own=(" "... and where"
done_testing
