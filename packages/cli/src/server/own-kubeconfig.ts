import { createHash, randomUUID } from 'node:crypto'
import { link, lstat, mkdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { ApiServer } from '@wherry/apiserver'
import { refused } from '../failure.ts'

type Kubeconfig = ApiServer['kubeconfig']

/** The name of the extension that marks a file of this command. */
const mark = 'wherry.dev/made-by'

/** A kubeconfig that exists as long as its server. Its disposal removes the file, unless another file has replaced it. */
export interface OwnKubeconfig extends AsyncDisposable {
  /** The absolute path. */
  readonly path: string
}

/**
 * Writes the kubeconfig of a server to a new file that only this user can read. Replaces the file of an earlier process of this command that was killed.
 *
 * @param shown the path as the user wrote it, relative to `cwd`
 * @throws CommandFailure if another file, a link or a folder has the name; it stays unchanged
 */
export async function writeOwnKubeconfig(kubeconfig: Kubeconfig, shown: string, cwd: string): Promise<OwnKubeconfig> {
  const path = resolve(cwd, shown)
  const text = marked(kubeconfig)
  const partial = `${path}.${randomUUID()}.new`
  await mkdir(dirname(path), { recursive: true }).catch((error: Error) => {
    throw refused(`${shown} can't be made: ${error.message}`)
  })
  try {
    await makeRoom(path, shown)
    await writeFile(partial, text, { flag: 'wx', mode: 0o600 })
    // A link is made only if the name is free, and does not follow other links, so no file that appears meanwhile is overwritten.
    await link(partial, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw taken(shown)
      // A file system without links.
      return writeFile(path, text, { flag: 'wx', mode: 0o600 })
    })
  } finally {
    await rm(partial, { force: true })
  }
  const { ino, dev } = await lstat(path)
  return {
    path,
    async [Symbol.asyncDispose]() {
      const now = await lstat(path).catch(() => undefined)
      if (now?.isFile() !== true || now.ino !== ino || now.dev !== dev) return
      if ((await readFile(path, 'utf8').catch(() => '')) === text) await rm(path, { force: true })
    },
  }
}

const taken = (shown: string): Error =>
  refused(
    `${shown} is there already, and no server of wherry made it: name another file with --kubeconfig, or remove it`,
  )

/** Removes the file of a process of this command that was killed. Throws for any other file. */
async function makeRoom(path: string, shown: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw refused(`${shown} can't be made: ${error.message}`)
  })
  if (found === undefined) return
  const maker = found.isFile() ? makerOf(await readFile(path, 'utf8').catch(() => '')) : undefined
  if (maker === undefined) throw taken(shown)
  if (isRunning(maker))
    throw refused(`${shown} is that of process ${maker}, which runs: end it, or name another file with --kubeconfig`)
  await unlink(path)
}

function marked(kubeconfig: Kubeconfig): string {
  const extensions = [{ name: mark, extension: { process: process.pid, sum: sumOf(kubeconfig) } }]
  const clusters = kubeconfig.clusters.map(one => ({ ...one, cluster: { ...one.cluster, extensions } }))
  return `${JSON.stringify({ ...kubeconfig, clusters }, undefined, 2)}\n`
}

/** The cluster in a file of this command. */
interface Marked {
  readonly server: string
  readonly extensions?: readonly {
    readonly name: string
    readonly extension: { readonly process: number; readonly sum: string }
  }[]
}

function sumOf(kubeconfig: Kubeconfig): string {
  return createHash('sha256').update(JSON.stringify(kubeconfig)).digest('hex')
}

/** The id of the process that made a kubeconfig; `undefined` if the file was changed since. */
function makerOf(text: string): number | undefined {
  try {
    const found = JSON.parse(text) as Kubeconfig
    const [one] = found.clusters
    if (one === undefined) return undefined
    const { extensions, ...cluster } = one.cluster as Marked
    const { process, sum } = extensions?.find(({ name }) => name === mark)?.extension ?? {}
    const own = { ...found, clusters: [{ ...one, cluster }] }
    return Number.isInteger(process) && sumOf(own) === sum ? process : undefined
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
