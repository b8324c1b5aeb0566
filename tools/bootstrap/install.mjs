import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { explain } from './failure.mjs'
import { withLock } from './lock.mjs'
import { registryOf } from './toolchain.mjs'

/** @import { Surroundings, Toolchain } from './toolchain.mjs' */

/**
 * Installs the workspace's dependencies from the frozen lockfile, unless the last whole installation was of the very
 * same lockfile and package.json files. The stamp that says so is written last.
 *
 * @param {Surroundings} around
 * @param {Toolchain} tools
 */
export async function install(around, tools) {
  const { root, env, run, say } = around
  const stamp = join(root, '.tools/installed')
  const wanted = fingerprint(root)
  const isDone = () => existsSync(join(root, 'node_modules')) && read(stamp) === wanted
  if (isDone()) return
  const onWait = (/** @type {number} */ holder) => say(`process ${holder} is installing already; waiting for it`)
  await withLock(join(root, '.tools/install.lock'), onWait, async () => {
    if (isDone()) return
    say('installing the dependencies from the lockfile')
    rmSync(stamp, { force: true })
    const args = ['install', '--frozen-lockfile', '--reporter=append-only', '--config.confirmModulesPurge=false']
    const retries = [
      '--config.fetch-retries=2',
      '--config.fetch-retry-mintimeout=500',
      '--config.fetch-retry-maxtimeout=3000',
    ]
    const path = [...tools.path, env.PATH].join(delimiter)
    // pnpm does not read npm's variables; a registry that was named for npm is meant for both.
    const registry = env.pnpm_config_registry ?? env.npm_config_registry
    const pnpmEnv = { ...env, PATH: path, ...(registry && { pnpm_config_registry: registry }) }
    const options = { cwd: root, env: pnpmEnv, progress: 'installing' }
    const ended = await run(tools.pnpm, [...args, ...retries], options)
    if (ended.code !== 0) {
      const log = join(root, '.tools/bootstrap.log')
      mkdirSync(join(root, '.tools'), { recursive: true })
      writeFileSync(log, ended.output)
      throw explain('installing the dependencies', ended, registryOf(env), log)
    }
    writeFileSync(stamp, wanted)
  })
}

/**
 * A digest of all that decides what is installed.
 *
 * @param {string} root
 */
export function fingerprint(root) {
  const folders = ['packages', 'examples', 'examples/ported', 'tools', 'test']
  const manifests = folders.flatMap(parent => {
    const path = join(root, parent)
    return existsSync(path)
      ? readdirSync(path)
          .sort()
          .map(name => join(path, name, 'package.json'))
      : []
  })
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']
    .map(name => join(root, name))
    .concat(manifests)) {
    const text = read(file)
    if (text !== undefined) hash.update(`${file.slice(root.length)}\0${text}\0`)
  }
  return hash.digest('hex')
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
