import { once } from 'node:events'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { Client } from '@wherry/client'
import { abortSignal, checkOptions, text } from '@wherry/client/internal'
import { StreamError } from './errors.ts'
import { exec, spawn } from './exec.ts'
import type { PodKey } from './pod.ts'

/** The options of {@link copyToPod} and {@link copyFromPod}. */
export interface CopyOptions {
  /** The name of the container. The server refuses a call without a name for a pod with several containers. @default the pod's only one */
  readonly container?: string | undefined
  /** Ends the copying. Files that were copied before it stay. */
  readonly signal?: AbortSignal | undefined
}

const checks = { container: text, signal: abortSignal }
/** The longest part of the output of `tar` that an error quotes. */
const maxSaidBytes = 64 * 1024

/**
 * Copies a file or a folder of this machine into a folder of a container: `/tmp/games` becomes `FOLDER/games`. The container needs the program `tar`.
 * The folder must exist. Files belong to the user that the container runs as.
 *
 * Rejects with a `StreamError` that quotes the message of `tar`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { copyToPod } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * await copyToPod(client, { name: 'db-0', namespace: 'arcade' }, 'games', '/data')
 * ```
 */
export async function copyToPod(
  client: Client,
  pod: PodKey,
  source: string,
  folder: string,
  options: CopyOptions = {},
): Promise<void> {
  checkOptions('copyToPod', options, checks)
  await stat(source)
  const path = resolve(source)
  const { create } = await import('tar')
  const archive = create({ cwd: dirname(path), portable: true }, [basename(path)])
  const command = ['tar', '-xmf', '-', '-C', folder]
  const { exitCode, stderr } = await exec(client, pod, command, { ...options, stdin: Readable.from(archive) })
  if (exitCode !== 0) throw failed(exitCode, stderr)
}

/**
 * Copies a file or a folder of a container into a folder of this machine: `/data/games` becomes `FOLDER/games`. The container needs the program `tar`.
 * The folder must exist.
 *
 * The container is not trusted: an entry with an absolute path, with `..`, or below a link, and a link that leads out of the folder, end the
 * copying with the code `UNSAFE_PATH`. Entries before that one were written. Devices, pipes and owners are not copied.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { copyFromPod } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * await copyFromPod(client, { name: 'db-0', namespace: 'arcade' }, '/data/games', 'backup')
 * ```
 */
export async function copyFromPod(
  client: Client,
  pod: PodKey,
  source: string,
  folder: string,
  options: CopyOptions = {},
): Promise<void> {
  checkOptions('copyFromPod', options, checks)
  const target = await realpath(folder)
  const { extract } = await import('tar')
  const command = ['tar', '-cf', '-', '-C', posix.dirname(source), '--', posix.basename(source)]
  await using process = await spawn(client, pod, command, options)
  const said = collectedText(process.stderr)
  let refusal: unknown
  const filter = (path: string, entry: unknown): boolean => {
    try {
      checkEntry(path, entry as ArchiveEntry, target)
    } catch (error) {
      refusal ??= error
    }
    return refusal === undefined
  }
  const unpack = extract({ cwd: target, strict: true, preserveOwner: false, filter })
  let broken: unknown
  const unpacked = new Promise<void>(done => {
    unpack.once('close', done)
    // This listener stays: entries are written concurrently, and each may fail.
    unpack.on('error', (error: unknown) => {
      broken ??= error
      done()
    })
  })
  let exitCode: number
  try {
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
      if (refusal !== undefined) throw refusal
      // The rest is read after a broken piece, too: tar's exit code comes last.
      if (broken === undefined && !unpack.write(chunk)) await Promise.race([once(unpack, 'drain'), unpacked])
    }
    exitCode = await process.exit
  } catch (error) {
    // Closes the file that is being written.
    if (broken === undefined) unpack.end()
    throw error
  }
  if (broken === undefined) unpack.end()
  await unpacked
  if (refusal !== undefined) throw refusal
  if (exitCode !== 0) throw failed(exitCode, await said)
  if (broken !== undefined) throw broken
}

/** The parts of an archive's entry that are checked. */
interface ArchiveEntry {
  readonly type: string
  readonly linkpath?: string | undefined
}

/** Throws if an entry would be written outside of the target folder, or is a link that leads out of it. */
export function checkEntry(path: string, entry: ArchiveEntry, target: string): void {
  if (isAbsolute(path) || posix.isAbsolute(path)) throw unsafe(path, 'is absolute')
  if (path.split(/[\\/]/).includes('..')) throw unsafe(path, 'has ..')
  const { linkpath } = entry
  if (linkpath === undefined || linkpath === '' || (entry.type !== 'SymbolicLink' && entry.type !== 'Link')) return
  // A hard link is relative to the archive, a symbolic one to its own folder.
  const from = entry.type === 'Link' ? target : join(target, dirname(path))
  if (isAbsolute(linkpath) || isOutside(target, resolve(from, linkpath))) {
    throw unsafe(path, `is a link to ${JSON.stringify(linkpath)}, which is outside`)
  }
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function failed(exitCode: number, stderr: string): StreamError {
  const said = stderr.trim()
  return new StreamError(
    'STREAM_FAILED',
    `tar ended with ${exitCode} in the container${said === '' ? '' : `: ${said}`}`,
  )
}

async function collectedText(stream: Readable): Promise<string> {
  let said = ''
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) if (said.length < maxSaidBytes) said += chunk.toString()
  } catch {
    // The connection broke: `exit` rejects with the reason.
  }
  return said
}

function unsafe(path: string, reason: string): StreamError {
  return new StreamError('UNSAFE_PATH', `${JSON.stringify(path)} in the container's archive ${reason}`)
}
