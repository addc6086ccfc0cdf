# Functions of all steps of action.yml: messages for the log, outputs, and the API of the service. Other scripts source
# this file.
set -euo pipefail

# Escapes a message for one line of a workflow command.
escaped() {
    local text=$1
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    printf '%s' "${text//$'\n'/%0A}"
}

warn() {
    echo "::warning title=kgate::$(escaped "$1")"
}

die() {
    echo "::error title=kgate::$(escaped "$1")"
    exit 2
}

# Writes an output of the step. The value gets one line.
output() {
    printf '%s=%s\n' "$1" "${2//[$'\r\n']/ }" >>"$GITHUB_OUTPUT"
}

# Prints a member of the event that started the workflow; nothing if it is missing.
event() {
    jq -r "$1 // empty" "$GITHUB_EVENT_PATH"
}

# Address of the API and header of the token. gitlab_note.sh replaces both.
api_root=${GITHUB_API_URL:-}/repos/${GITHUB_REPOSITORY:-}
api_header='Authorization: Bearer'

# api METHOD PATH [BODY]: prints the answer. On an error it prints the status to standard error and fails. No argument
# contains the token, because other processes can read arguments.
api() {
    local method=$1 path=$2 answer status data=()
    [[ $path == http* ]] || path=$api_root/$path
    answer=$(mktemp)
    [ $# -lt 3 ] || data=(--data-binary "@$3" -H 'Content-Type: application/json')
    status=$(curl -q -sS --max-time 60 --retry 2 -X "$method" "${data[@]}" -o "$answer" -w '%{http_code}' \
        -K <(printf 'header = "%s %s"\n' "$api_header" "$KGATE_TOKEN") "$path") || status=000
    if [[ $status != 2* ]]; then
        echo "$method $path: $status $(jq -r '.message // empty' "$answer" 2>/dev/null)" >&2
        rm -f "$answer"
        return 1
    fi
    cat "$answer"
    rm -f "$answer"
}

# api_all PATH FILTER: applies FILTER to each page of a list.
api_all() {
    local page=1 answer
    while answer=$(api GET "$1?per_page=100&page=$page"); do
        jq -r "$2" <<<"$answer"
        [ "$(jq length <<<"$answer")" -eq 100 ] || return 0
        page=$((page + 1))
    done
    return 1
}

# marked ID: prints the first line of the comments with this id.
marked() {
    printf '<!-- kgate:%s -->' "$1"
}
