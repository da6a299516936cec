#!/bin/sh
# Makes three.min.js again: three.js of a fixed version as one script, by Node.js and its package manager.
# The same versions give the same bytes. See README.md.
set -eu
THREE=0.187.0 ESBUILD=0.28.2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/entry.js" "$work"
cd "$work"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund "three@$THREE" "esbuild@$ESBUILD"
node_modules/.bin/esbuild entry.js --bundle --minify --format=iife --global-name=THREE --target=es2020 \
    --banner:js="/* three.js $THREE, MIT License, Copyright 2010-2026 three.js authors: see three.LICENSE.txt */" \
    --legal-comments=none --log-level=warning --outfile="$here/three.min.js"
cp node_modules/three/LICENSE "$here/LICENSE"
