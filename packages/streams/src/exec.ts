import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Client, OptionTypeError, TimeoutError } from '@wherry/client'
import { abortSignal, anySignal, checkOptions, flag, integer, milliseconds, text } from '@wherry/client/internal'
import { StreamError } from './errors.ts'
import { type PodKey, podRequest } from './pod.ts'
import { openProcess, type RemoteProcess } from './process.ts'

/** The options that {@link exec}, {@link spawn} and {@link attach} share. */
export interface ProcessOptions {
  /** The name of the container. The server refuses a call without a name for a pod with several containers. @default the pod's only one */
  readonly container?: string | undefined
  /** Gives the command a terminal, which mixes stdout and stderr. @default false */
  readonly tty?: boolean | undefined
  /** Ends the connection. Calls then reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The options of {@link spawn} and {@link attach}. */
export interface SpawnOptions extends ProcessOptions {
  /** Opens the command's stdin. @default false */
  readonly stdin?: boolean | undefined
}

/** The options of {@link exec}. */
export interface ExecOptions extends ProcessOptions {
  /** The whole stdin of the command. @default none: the command has no stdin */
  readonly stdin?: string | Uint8Array | AsyncIterable<string | Uint8Array> | undefined
  /** How long the command may run, in milliseconds. After that, the call rejects with a `TimeoutError`. @default Infinity */
  readonly timeoutMs?: number | undefined
  /** How much the command may write, stdout and stderr together, in bytes. @default 16_777_216 */
  readonly maxBytes?: number | undefined
}

/** The output of a command, as UTF-8, and its exit code. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** 0 if the command succeeded. The call resolves for another code, too. */
  readonly exitCode: number
}

const processChecks = { container: text, tty: flag, signal: abortSignal }

/**
 * Runs a command in a container, and resolves when it has ended.
 *
 * The command runs without a shell. If you need one, run `['sh', '-c', '…']`. The client never repeats the request: after a `ConnectionError` or a
 * `TimeoutError`, the command may have run. The call needs the rights `get` and `create` of `pods/exec`.
 *
 * Rejects with an `ApiError` if the server refuses, with a `StreamError` if the command could not be started or wrote more than `maxBytes`, and with a
 * `TimeoutError` if the server has not opened the connection within a minute.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { exec } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * const { stdout, exitCode } = await exec(client, { name: 'db-0', namespace: 'arcade' }, ['psql', '-c', 'select 1'])
 * console.log(exitCode, stdout)
 * ```
 */
export async function exec(
  client: Client,
  pod: PodKey,
  command: readonly string[],
  options: ExecOptions = {},
): Promise<ExecResult> {
  const checks = {
    ...processChecks,
    stdin: input,
    timeoutMs: milliseconds({ min: 1, infinite: true }),
    maxBytes: integer(1),
  }
  checkOptions('exec', options, checks)
  const { stdin, timeoutMs = Number.POSITIVE_INFINITY, maxBytes = 16 * 1024 * 1024, ...rest } = options
  const { about } = podRequest(client, pod, 'exec', {})
  const ending = new AbortController()
  const signal = anySignal(ending.signal, rest.signal)
  const late = (): void => ending.abort(new TimeoutError(timeoutMs, about))
  const timer = Number.isFinite(timeoutMs) ? client.environment.clock.timer(timeoutMs, late) : undefined
  try {
    const process = await spawn(client, pod, command, { ...rest, signal, stdin: stdin !== undefined })
    try {
      const room = { left: maxBytes, maxBytes }
      const input = stdin === undefined ? undefined : bytesOf(stdin, error => ending.abort(error))
      // The command may end before it has read all of its stdin. Its exit code shows whether that was an error.
      if (input !== undefined) pipeline(input, process.stdin).catch(() => {})
      const [stdout, stderr, exitCode] = await Promise.all([
        collected(process.stdout, room),
        collected(process.stderr, room),
        process.exit,
      ])
      // The server ends the connection, too; nobody has to wait for that.
      void process.close()
      return { stdout, stderr, exitCode }
    } catch (error) {
      await process.close()
      throw error
    }
  } finally {
    timer?.cancel()
  }
}

/**
 * Starts a command in a container, and resolves when its streams are open. Otherwise as {@link exec}.
 *
 * @example
 * ```ts
 * import { createWriteStream } from 'node:fs'
 * import { pipeline } from 'node:stream/promises'
 * import { Client } from '@wherry/client'
 * import { spawn } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * await using dump = await spawn(client, { name: 'db-0', namespace: 'arcade' }, ['pg_dump', 'games'])
 * dump.stderr.pipe(process.stderr)
 * await pipeline(dump.stdout, createWriteStream('games.sql'))
 * console.log(await dump.exit)
 * ```
 */
export async function spawn(
  client: Client,
  pod: PodKey,
  command: readonly string[],
  options: SpawnOptions = {},
): Promise<RemoteProcess> {
  checkOptions('spawn', options, { ...processChecks, stdin: flag })
  const isCommand = Array.isArray(command) && command.length > 0 && command.every(word => typeof word === 'string')
  if (!isCommand) throw new OptionTypeError('command', 'a list of words that is not empty', typeof command)
  return connected(client, pod, 'exec', options, command)
}

/**
 * Connects to the program that a container runs. You can write to it only if its container has `stdin: true`. The call needs the rights `get` and `create`
 * of `pods/attach`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { attach } from '@wherry/streams'
 *
 * const client = await Client.connect()
 * await using shell = await attach(client, { name: 'console', namespace: 'arcade' }, { stdin: true })
 * shell.stdout.pipe(process.stdout)
 * shell.stdin?.end('status\n')
 * console.log(await shell.exit)
 * ```
 */
export async function attach(client: Client, pod: PodKey, options: SpawnOptions = {}): Promise<RemoteProcess> {
  checkOptions('attach', options, { ...processChecks, stdin: flag })
  return connected(client, pod, 'attach', options)
}

function connected(
  client: Client,
  pod: PodKey,
  how: 'exec' | 'attach',
  { container, stdin = false, tty = false, signal = new AbortController().signal }: SpawnOptions,
  command?: readonly string[],
): Promise<RemoteProcess> {
  const query = { command, container, stdin, stdout: true, stderr: !tty, tty }
  return openProcess(client, podRequest(client, pod, how, query), { stdin, tty }, signal)
}

function input(option: string, value: unknown): void {
  const isIterable = typeof value === 'object' && value !== null && Symbol.asyncIterator in value
  if (typeof value === 'string' || value instanceof Uint8Array || isIterable) return
  throw new OptionTypeError(option, 'a string, bytes or a stream', typeof value)
}

/** @param failed called if the source fails, since the command would wait for the rest of its stdin */
function bytesOf(stdin: NonNullable<ExecOptions['stdin']>, failed: (error: unknown) => void): Readable {
  const isWhole = typeof stdin === 'string' || stdin instanceof Uint8Array
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const piece of isWhole ? [stdin] : stdin) yield Buffer.from(piece as string)
    } catch (error) {
      failed(error)
      throw error
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

async function collected(stream: Readable, room: { left: number; readonly maxBytes: number }): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    room.left -= chunk.length
    if (room.left < 0) throw tooLong(room.maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function tooLong(maxBytes: number): StreamError {
  const message = `the command wrote more than ${maxBytes} bytes; raise maxBytes, or read its streams by spawn()`
  return new StreamError('OUTPUT_TOO_LONG', message)
}
