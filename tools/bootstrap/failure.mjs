/** What stops the bootstrap: one line that says what is wrong and what to do. */
export class BootstrapError extends Error {}

/** @typedef {{ readonly code: number | undefined, readonly output: string }} Ended how a child process ended */

const again = 'then run this again'

/**
 * The causes that a package manager's output shows. The first that fits wins.
 *
 * @type {readonly { readonly sign: RegExp, readonly say: (registry: string) => string }[]}
 */
const causes = [
  {
    sign: /ENOSPC|no space left on device|os error 28/i,
    say: () => `the disk is full; make room (about 600 MB are needed), ${again}`,
  },
  {
    sign: /EINTEGRITY|TARBALL_INTEGRITY|integrity check failed|checksum (mismatch|failed)|sha512-\S+ .*but got/i,
    say: registry =>
      `a package from ${registry} does not have the checksum that the lockfile asks for; look at proxies and mirrors in between, or empty npm's cache (npm cache clean --force), ${again}`,
  },
  {
    sign: /\bE40[137]\b|_(401|403|407)\b|\b(401|403) (Unauthorized|Forbidden)|proxy authentication/i,
    say: registry => `the registry ${registry} refuses us; check the credentials in ~/.npmrc and the proxy, ${again}`,
  },
  {
    sign: /\bE404\b|_FETCH_404|\b404 Not Found/i,
    say: registry =>
      `the registry ${registry} lacks a package that the lockfile names; use a full mirror (npm config set registry URL), ${again}`,
  },
  {
    sign: /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|CERT_|SELF_SIGNED|META_FETCH_FAIL|error sending request|client error \(Connect\)|dns error|connection refused|timed out/i,
    say: registry =>
      `the registry ${registry} can't be reached; check the network and the proxy, or name another one (npm config set registry URL), ${again}`,
  },
  {
    sign: /lockfileVersion|Unknown command: "?ci|can only install with an existing package-lock|EUSAGE/i,
    say: () => `this npm is too old for our lockfile; bring npm 10 or newer (npm install -g npm), ${again}`,
  },
  {
    sign: /EBADPLATFORM|Unsupported platform/i,
    say: () =>
      `npm has no Node 24 for this platform (${process.platform} ${process.arch}); install Node 24 and pnpm 12, ${again}`,
  },
  {
    sign: /OUTDATED_LOCKFILE|lockfile.*(not up to date|out of date|outdated)/i,
    say: () => `pnpm-lock.yaml does not fit the package.json files; run pnpm install, commit the lockfile, ${again}`,
  },
  {
    sign: /IGNORED_BUILDS/i,
    say: () =>
      `a dependency wants to run a build script; allow or refuse it in pnpm-workspace.yaml (allowBuilds), ${again}`,
  },
  {
    sign: /EACCES|EPERM|EROFS|permission denied|read-only file system/i,
    say: () => `no permission to write here or to the package manager's cache; check who owns them, ${again}`,
  },
]

/**
 * Says in one line why a package manager failed and what to do about it.
 *
 * @param {string} what what was being done, such as `getting Node 24`
 * @param {Ended} ended
 * @param {string} registry
 * @param {string} log where the whole output is
 * @returns {BootstrapError}
 */
export function explain(what, ended, registry, log) {
  const cause = causes.find(({ sign }) => sign.test(errorsOf(ended.output)))
  if (cause) return new BootstrapError(`${what} failed: ${cause.say(registry)} (log: ${log})`)
  const how = ended.code === undefined ? 'was ended by a signal' : `ended with code ${ended.code}`
  return new BootstrapError(`${what} failed: the package manager ${how}; see ${log}, ${again}`)
}

/**
 * The output without its warnings (a retry that helped is no cause), on one line: some managers wrap their lines.
 *
 * @param {string} output
 */
function errorsOf(output) {
  const lines = output
    .split('\n')
    .filter(line => !/^\s*(\[WARN\]|Will retry|npm warn (?!tar TAR_ENTRY_ERROR))/i.test(line))
  return lines.map(line => line.trim()).join(' ')
}
