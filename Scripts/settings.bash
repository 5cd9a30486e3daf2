# What every script here begins with: the folder of the package, the options that all take, and
# the flags with which debug builds are made. The flags are the same everywhere, so that nothing
# is built twice.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
scratch="$root/.build"

usage() {
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
}

while [ $# -gt 0 ]; do
  case "$1" in
    --scratch-path)
      [ $# -ge 2 ] || { echo "$(basename "$0"): '--scratch-path' needs a folder" >&2; exit 64; }
      mkdir -p "$2"
      scratch="$(cd "$2" && pwd)"
      shift 2
      ;;
    --scratch-path=*)
      mkdir -p "${1#*=}"
      scratch="$(cd "${1#*=}" && pwd)"
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      echo "$(basename "$0"): unknown option '$1'; see '$0 --help'" >&2
      exit 64
      ;;
  esac
done

cd "$root"

debug_flags=(
  --scratch-path "$scratch"
  --explicit-target-dependency-import-check error
  -Xswiftc -warnings-as-errors
)

say() {
  printf '\n==> %s\n' "$*"
}

# Whether a PostgreSQL server is installed, of which the tests make their own.
has_postgresql() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || [ -x /usr/bin/initdb ]
}

# Whether PgBouncer is installed, of which the tests start their own.
has_pgbouncer() {
  [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null
}
