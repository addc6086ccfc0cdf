#!/usr/bin/env bash
# gitlab_note.sh FOLDER [ID]: posts the report in FOLDER as a note on the merge request, and later updates the note. Run
# it in a separate job: measured code must not see its token, KGATE_TOKEN.
source "$(dirname "$0")/common.sh"

folder=${1:?needs the folder of the reports}
marker=$(marked "${2:-kgate}")
if [ -z "${CI_MERGE_REQUEST_IID:-}" ]; then
    echo "kgate: this pipeline has no merge request, so there is no note"
    exit 0
fi
api_root=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID
api_header='PRIVATE-TOKEN:'
post=$(mktemp -d)
trap 'rm -rf "$post"' EXIT

[ -s "$folder/report.md" ] || { echo "kgate: '$folder' has no report.md" >&2; exit 2; }
jq -n --arg marker "$marker" --rawfile text "$folder/report.md" '{body: ($marker + "\n" + $text)}' >"$post/note"
me=$(api GET "$CI_API_V4_URL/user" | jq -r .username)
api_all notes '.[] | {id, body, login: .author.username} | tojson' >"$post/notes"
id=$(jq -r --arg marker "$marker" --arg me "$me" \
    'select((.body | startswith($marker)) and .login == $me) | .id' "$post/notes" | sed -n 1p)
if [ -n "$id" ]; then
    api PUT "notes/$id" "$post/note" >/dev/null
else
    api POST notes "$post/note" >/dev/null
fi
