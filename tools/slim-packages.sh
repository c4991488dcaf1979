#!/usr/bin/env bash
# Takes out of a folder of packages what nobody reads in the image: types, source maps, static libraries,
# manuals without a licence, tests and command lines of libraries, their programs for another runtime.
set -euo pipefail
cd "$1"
licence='permission is hereby granted|permission to use, copy|redistribution and use'
find . \( -name '*.d.*ts' -o -name '*.map' -o -name '*.a' \) -type f -delete
find . -name '*.md' -type f ! -iname '*licen[cs]e*' ! -iname 'notice*' \
  ! -exec grep -qiE "$licence" {} \; -delete
find . \( -path '*/bare-*/prebuilds' -o -path '*/protobufjs/cli' -o -path '*/kvparser/test' \
  -o -path '*/bintrees/test' -o -path '*/mqtt/dist' -o -path '*/typebox/build/cjs' \) \
  -prune -exec rm -rf {} +
find . -path './drizzle-orm/*.cjs' -delete
