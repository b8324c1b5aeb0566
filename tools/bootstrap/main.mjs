import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BootstrapError } from './failure.mjs'
import { install } from './install.mjs'
import { become, run } from './spawn.mjs'
import { thisPlatform, toolchain } from './toolchain.mjs'

const root = resolve(fileURLToPath(import.meta.url), '../../..')

/**
 * Makes sure of Node 24, pnpm and the dependencies, builds the packages if asked to, and becomes the script. Every
 * failure on the way is one line on stderr.
 *
 * @param {readonly string[]} argv `[--build] SCRIPT [ARGS…]`, the script relative to the work tree
 */
export async function main(argv) {
  try {
    process.exitCode = await start(argv)
  } catch (error) {
    process.stderr.write(`wherry: ${oneLine(error)}\n`)
    process.exitCode = 1
  }
}

/** @param {readonly string[]} argv */
async function start(argv) {
  const build = argv[0] === '--build'
  const [script, ...args] = build ? argv.slice(1) : argv
  if (!script) throw new BootstrapError('usage: node tools/bootstrap.mjs [--build] SCRIPT [ARGS…]')
  if (!existsSync(join(root, script))) throw new BootstrapError(`there is no ${script} in this work tree`)
  const host = {
    version: process.versions.node,
    path: process.execPath,
    platform: thisPlatform(),
  }
  const say = (/** @type {string} */ line) => void process.stderr.write(`wherry: ${line}\n`)
  const around = { root, env: process.env, run, say, host }
  const tools = await toolchain(around)
  await install(around, tools)
  const path = [...tools.path, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const options = { cwd: root, env: { ...process.env, PATH: path } }
  if (build) {
    const code = await become(tools.node, [join(root, 'tools/build.ts')], options)
    if (code !== 0) return code
  }
  return become(tools.node, [join(root, script), ...args], options)
}

/** @param {unknown} error */
function oneLine(error) {
  if (error instanceof BootstrapError) return error.message
  const { code, message, path } = /** @type {NodeJS.ErrnoException} */ (error)
  if (code === 'ENOSPC') return 'the disk is full; make room (about 600 MB are needed), then run this again'
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return `no permission to write ${path ?? 'here'}; check who owns it, then run this again`
  return String(message ?? error).replaceAll('\n', ' ')
}
