import { spawn } from 'node:child_process'

/** @import { Ended } from './failure.mjs' */

/**
 * @typedef {object} SpawnOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} env
 * @property {string} [progress] what to say while it runs, every ten seconds
 */

/**
 * Runs a command to its end and keeps what it said. One that can't be started has code 127.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {SpawnOptions} options
 * @returns {Promise<Ended>}
 */
export function run(file, args, { cwd, env, progress }) {
  return new Promise(resolve => {
    const start = Date.now()
    const shell = process.platform === 'win32' && !/\.(exe|cmd)$/.test(file)
    const child = spawn(file, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] })
    const ticker = setInterval(() => {
      if (progress) process.stderr.write(`wherry: ${progress} … ${Math.round((Date.now() - start) / 1000)} s\n`)
    }, 10_000)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', chunk => {
        output += chunk
      })
    }
    child.once('error', error => {
      clearInterval(ticker)
      resolve({ code: 127, output: `${output}${file}: ${error.message}` })
    })
    child.once('close', code => {
      clearInterval(ticker)
      resolve({ code: code ?? undefined, output })
    })
  })
}

/**
 * Becomes the command: its input and output are ours, signals go to it, and so does the wait. Gives the code to
 * exit with, which for a signal is 128 and its number, as a shell has it.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>}
 */
export function become(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: 'inherit' })
    // A terminal sends Ctrl-C to the whole group, the child included: then waiting is all that is to do here.
    const interrupt = () => process.stdin.isTTY || child.kill('SIGINT')
    const forward = () => child.kill('SIGTERM')
    process.on('SIGINT', interrupt).on('SIGTERM', forward).on('SIGHUP', forward)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      process.off('SIGINT', interrupt).off('SIGTERM', forward).off('SIGHUP', forward)
      const numbers = /** @type {Record<string, number>} */ ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 })
      resolve(code ?? 128 + (numbers[signal ?? ''] ?? 0))
    })
  })
}
