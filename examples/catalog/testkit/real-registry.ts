import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withLock } from '@wherry/testing/real/lock'
import { certificateOfLoopback } from './certificate.ts'
import type { TestRegistry } from './registry.ts'

const source = join(import.meta.dirname, 'registry')
/** The user `puller` with the password `secret`. */
const users = 'puller:$2a$04$3F2g2TZDm6aNf/3UJ5QUwOcqHye6a0.WU8Ak0omZv7Yx1ZIk7njr.\n'

/**
 * The program of the Go module next to this file. Built if it is not in the cache yet: a minute, the first time.
 * Processes that want it at the same time build it once. `undefined` if there is no Go, unless it must be there (`CI=true`).
 */
export async function registryBinary(): Promise<string | undefined> {
  const hash = createHash('sha256').update(`${process.platform}/${process.arch}`)
  for (const name of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(source, name)))
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'wherry')
  const path = join(folder, `registry-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(path)) return path
  try {
    await withLock(
      `${path}.lock`,
      () => {},
      async () => {
        if (!existsSync(path)) await build(path)
      },
    )
    return path
  } catch (error) {
    if (process.env.CI === 'true' || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    process.stderr.write('skipped: the real registry: it is built by Go, which is not there\n')
    return undefined
  }
}

async function build(path: string): Promise<void> {
  const partial = `${path}.partial-${process.pid}`
  try {
    const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', partial, '.']
    await promisify(execFile)('go', args, { cwd: source })
    await rename(partial, path)
  } finally {
    await rm(partial, { force: true })
  }
}

/** The registry of the CNCF, in a process of its own, with files in a folder of its own. It knows its user by name and password. */
export class RealRegistry implements TestRegistry {
  readonly credentials = { username: 'puller', password: 'secret' }
  readonly ca: string
  readonly host: string
  readonly #binary: string
  readonly #folder: string
  #child: ChildProcess | undefined

  private constructor(binary: string, folder: string, ca: string, host: string) {
    this.#binary = binary
    this.#folder = folder
    this.ca = ca
    this.host = host
  }

  static async start(binary: string): Promise<RealRegistry> {
    const { cert, key } = await certificateOfLoopback()
    const folder = await mkdtemp(join(tmpdir(), 'wherry-registry-'))
    const at = (name: string): string => join(folder, name)
    const registry = new RealRegistry(binary, folder, cert, `127.0.0.1:${await freePort()}`)
    await writeFile(at('cert.pem'), cert)
    await writeFile(at('key.pem'), key, { mode: 0o600 })
    await writeFile(at('users'), users)
    const config = {
      version: '0.1',
      log: { level: 'info', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: at('data') } },
      auth: { htpasswd: { realm: 'test', path: at('users') } },
      http: { addr: registry.host, secret: 'of the test', tls: { certificate: at('cert.pem'), key: at('key.pem') } },
    }
    await writeFile(at('config.yaml'), JSON.stringify(config))
    await registry.start()
    return registry
  }

  async start(): Promise<void> {
    const child = spawn(this.#binary, ['serve', join(this.#folder, 'config.yaml')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    const stop = (): void => void child.kill('SIGKILL')
    process.once('exit', stop)
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => {
        process.off('exit', stop)
        reject(new Error(`the registry has ended: ${said}`))
      })
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-10_000)
        if (said.includes('listening on')) resolve()
      })
    })
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }

  async close(): Promise<void> {
    await this.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async corrupt(digest: string, change: (bytes: Buffer) => Buffer): Promise<void> {
    const [algorithm = '', hex = ''] = digest.split(':')
    const path = join(this.#folder, 'data/docker/registry/v2/blobs', algorithm, hex.slice(0, 2), hex, 'data')
    await writeFile(path, change(await readFile(path)))
  }
}

/** A port that was free a moment ago: the registry does not say which one it takes. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const closed = once(server, 'close')
  server.close()
  await closed
  return port
}
