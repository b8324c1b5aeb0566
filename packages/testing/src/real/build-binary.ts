import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import {
  availableVersions,
  buildArguments,
  cachedBinary,
  moduleArguments,
  moduleFolder,
  sourceArguments,
} from './binary-cache.ts'
import { ApiServerBuildError, ApiServerVersionError } from './errors.ts'
import { isAlive, withLock } from './lock.ts'

/** Options of `buildApiServer`. */
export interface BuildOptions {
  /** The version of Kubernetes: `1.37`, `1.36` or `1.34`. @default the newest */
  readonly version?: string | undefined
  /** Receives the progress of the build, a line at a time; every few seconds during the compilation. @default none */
  readonly onProgress?: ((line: string) => void) | undefined
  /** The environment variables by which the cache and Go are found. @default process.env */
  readonly env?: NodeJS.ProcessEnv | undefined
}

const HOW_TO_GET_GO =
  'install Go 1.26 or later (1.21 does if it may fetch the rest itself) so that `go version` works, or point WHERRY_APISERVER to a binary'

/**
 * Builds kube-apiserver and etcd into a single binary, unless the binary exists, and resolves with its path. A first build
 * downloads about 300 MB of modules and takes five to ten minutes on two cores, at a low priority; a later build takes seconds.
 * Processes that want the same binary at the same time build it once.
 *
 * @throws `ApiServerBuildError`, and `ApiServerVersionError` for a version without a module.
 */
export async function buildApiServer(options: BuildOptions = {}): Promise<string> {
  const { onProgress: say = () => {}, env = process.env, version = availableVersions[0] as string } = options
  if (!availableVersions.includes(version)) throw new ApiServerVersionError(version, availableVersions)
  const path = cachedBinary(env, version)
  if (existsSync(path)) return path
  const onWait = (holder: number): void => say(`process ${holder} is building it already; waiting for it`)
  try {
    return await withLock(`${path}.lock`, onWait, async () => {
      if (!existsSync(path)) await build(path, version, say, env)
      return path
    })
  } catch (cause) {
    if (cause instanceof ApiServerBuildError) throw cause
    throw new ApiServerBuildError(`${dirname(path)} cannot be used: ${(cause as Error).message}`, '', cause)
  }
}

async function build(
  path: string,
  version: string,
  say: (line: string) => void,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = moduleFolder()
  const partial = `${path}.partial-${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  await removeAbandoned(dirname(path), path)
  const run = (args: readonly string[], onLine: (line: string) => void = () => {}): Promise<string> =>
    go(args, folder, env, onLine)
  try {
    const compiler = (await run(['version'])).trim()
    say(`${compiler.replace(/^go version /, '')}; getting the modules`)
    let downloads = 0
    await run(['mod', 'download', ...moduleArguments(version)], () => {
      downloads += 1
      if (downloads % 50 === 0) say(`got ${downloads} modules`)
    })
    const packages = (await run(['list', ...sourceArguments(version), '-deps', '.'])).split('\n').length
    say(`compiling up to ${packages} packages: minutes the first time, seconds later`)
    const report = everyFewSeconds(say)
    let compiled = 0
    await run(['build', '-v', ...buildArguments(version), '-o', partial, '.'], () => {
      compiled += 1
      report(`compiled ${compiled} of up to ${packages} packages`)
    })
    await chmod(partial, 0o755)
    await rename(partial, path)
    say(`built ${path}: ${Math.round((await stat(path)).size / 1e6)} MB`)
  } finally {
    await rm(partial, { force: true })
  }
}

/** Removes partial binaries of killed builds. */
async function removeAbandoned(folder: string, path: string): Promise<void> {
  const partial = `${basename(path)}.partial-`
  for (const name of await readdir(folder)) {
    if (!name.startsWith(partial) || isAlive(Number(name.slice(partial.length)))) continue
    await rm(join(folder, name), { force: true })
  }
}

/** Runs Go, and resolves with its stdout; `onLine` receives each line of stderr. Ends with this process. */
function go(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const stop = (): void => void child.kill()
    process.once('exit', stop)
    let out = ''
    let log = ''
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-20_000)
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    })
    child.on('spawn', () => lowerPriority(child.pid))
    child.on('error', cause => {
      process.off('exit', stop)
      const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
      const message = missing ? `Go is not there: ${HOW_TO_GET_GO}` : `Go cannot be started: ${cause.message}`
      reject(new ApiServerBuildError(message, log, cause))
    })
    child.on('close', (code, signal) => {
      process.off('exit', stop)
      if (code === 0) resolve(out)
      else reject(new ApiServerBuildError(reasonOf(args[0] ?? '', code ?? signal, log), log))
    })
  })
}

/** Lowers the priority of Go and of the compilers that it starts, so that a long build does not slow the machine down. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended, or this is not allowed: the priority stays.
  }
}

/** The failure and its remedy, in one line. */
function reasonOf(step: string, ended: string | number | null, log: string): string {
  const last = log.trim().split('\n').at(-1) ?? ''
  if (/no space left on device/.test(log)) return 'the disk is full: a first build needs about 4 GB of it'
  if (/unknown directive|requires go >=|invalid go version|toolchain not available/.test(log)) {
    return `this Go is too old: ${HOW_TO_GET_GO} (${last})`
  }
  if (/checksum mismatch|SECURITY ERROR/.test(log)) {
    return `a module is not what go.sum says: clear it with \`go clean -modcache\`, and look at GOPROXY (${last})`
  }
  if (/dial tcp|no such host|i\/o timeout|TLS handshake|connection refused|proxyconnect/.test(log)) {
    return `the Go modules cannot be fetched: look at the network and GOPROXY (${last})`
  }
  if (/signal: killed/.test(log) || ended === 'SIGKILL') {
    return 'the compiler was killed, likely for want of memory: a first build needs about 2 GB (GOFLAGS=-p=1 needs less)'
  }
  return `go ${step} ended with ${ended}: ${last}`
}

function everyFewSeconds(say: (line: string) => void): (line: string) => void {
  let next = performance.now() + 5_000
  return line => {
    if (performance.now() < next) return
    next = performance.now() + 5_000
    say(line)
  }
}
