#!/usr/bin/env bash
# What a new user does: `make demo` and `make test` in a clean clone of the last commit, with an empty
# home and nothing installed but Python, a C compiler and make.
#
#     tools/stranger.sh [FILE]      FILE lists the tests that passed, for `make test PASSED=FILE`
set -euo pipefail
passed=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/home" "$folder/bin"
git clone --quiet . "$folder/clone"

# The interpreter itself: python3 may be a version manager's script, or belong to a virtual environment.
python=$(python3 -c 'import sys; print(sys._base_executable)')
printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" > "$folder/bin/python3"
chmod +x "$folder/bin/python3"
for program in sh env make cc gcc x86_64-linux-gnu-gcc aarch64-linux-gnu-gcc as ld \
  cat chmod cmp cp find ls mkdir mv rm sleep touch; do
  path=$(command -v "$program") && ln -s "$path" "$folder/bin/$program"
done

# How pip reaches its registry depends on the machine, so keep its settings, proxies and certificates.
kept=()
for name in $(compgen -e | grep -iE '^(pip_.*|(https?|all|no)_proxy|ssl_cert_(file|dir)|requests_ca_bundle)$'); do
  kept+=("$name=${!name}")
done
settings=${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf
test ! -f "$settings" || kept+=("PIP_CONFIG_FILE=${PIP_CONFIG_FILE:-$settings}")

env -i HOME="$folder/home" PATH="$folder/bin" "${kept[@]}" make -C "$folder/clone" demo test ${passed:+PASSED="$passed"} |
  tee "$folder/log"

# Check that nothing else was installed.
for component in torch jax IPython playwright chromium node; do
  grep -qE "^Not tested, because not installed: .*\b$component\b" "$folder/log" ||
    { echo "A new user's machine would not have $component, but it was found."; exit 1; }
done
