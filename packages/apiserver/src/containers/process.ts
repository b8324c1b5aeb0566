import { Readable, Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import { sendFrame } from './channels.ts'
import type { AttachCall, ContainerCall, ExecAnswer } from './handlers.ts'

/** The protocols, the preferred one first. */
export const processProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255 } as const

/** The streams that the client asks for. */
export interface AskedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

type Container = Omit<ContainerCall, 'signal'>

/** Plays a command, or a container's program, over an open WebSocket. Resolves when the connection is over. */
export async function playProcess(
  socket: WebSocket,
  container: Container,
  asked: AskedStreams,
  play: (call: AttachCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>,
): Promise<void> {
  const gone = new AbortController()
  const closed = new Promise<void>(resolve => {
    socket.once('close', () => {
      gone.abort(new Error('the client has gone'))
      resolve()
    })
  })
  socket.on('error', () => {})
  let resized: Parameters<AttachCall['onResize']>[0] = () => {}
  const sizes: Parameters<typeof resized>[0][] = []
  const stdin = new Readable({ read: () => socket.resume() })
  let isOpen = asked.stdin
  const endStdin = (): void => {
    isOpen = false
    stdin.push(null)
  }
  if (!asked.stdin) endStdin()
  socket.on('message', data => {
    const frame = data as Buffer
    const [channel] = frame
    const bytes = frame.subarray(1)
    if (channel === channels.stdin && isOpen) {
      if (bytes.length > 0 && !stdin.push(bytes)) socket.pause()
    } else if (channel === channels.resize && asked.tty) {
      const size = sizeIn(bytes.toString())
      if (size === undefined) return
      sizes.push(size)
      resized(size)
    } else if (channel === channels.close && bytes[0] === channels.stdin && isOpen) endStdin()
  })
  gone.signal.addEventListener('abort', () => stdin.destroy(), { once: true })
  const output = (channel: number, isWanted: boolean): Writable =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        if (isWanted) void sendFrame(socket, channel, chunk).then(() => done())
        else done()
      },
      // A handler may destroy its streams.
    }).on('error', () => {})
  const [stdout, stderr] = [output(channels.stdout, asked.stdout), output(channels.stderr, asked.stderr)]
  const call: AttachCall = {
    ...container,
    ...{ tty: asked.tty, stdin, stdout, stderr, signal: gone.signal },
    onResize(fn) {
      resized = fn
      for (const size of sizes) fn(size)
    },
  }
  const status = await outcome(call, play)
  await Promise.all([ended(stdout), ended(stderr)])
  await sendFrame(socket, channels.status, Buffer.from(JSON.stringify(status)))
  socket.resume()
  socket.close(1000)
  await closed
}

/** Reads a size of the client's terminal; `undefined` if the text contains none, in which case a server ignores it. */
function sizeIn(text: string): { readonly columns: number; readonly rows: number } | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text) as { Width: number; Height: number }
    return { columns, rows }
  } catch {
    return undefined
  }
}

/** Plays the call, and returns the status for the client. */
async function outcome(
  call: AttachCall,
  play: (call: AttachCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>,
): Promise<object> {
  try {
    const { stdout, stderr, exitCode = 0 } = (await play(call)) ?? {}
    print(call.stdout, stdout, 'stdout')
    print(call.stderr, stderr, 'stderr')
    return exitCode === 0 ? { metadata: {}, status: 'Success' } : failedWith(exitCode)
  } catch (error) {
    return couldNotRun(error instanceof Error ? error.message : String(error))
  }
}

/** Writes the output of an answer. Throws if the handler has ended the stream, because the output would be lost. */
function print(stream: Writable, output: string | Uint8Array | undefined, name: string): void {
  if (output === undefined || output.length === 0) return
  if (!stream.writable) throw new Error(`the handler has ended ${name}, and answers with more of it`)
  stream.write(output)
}

function failedWith(exitCode: number): object {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: `${exitCode}` }] },
  }
}

/** The status with which an API server passes on a kubelet's error. */
export function couldNotRun(message: string): object {
  const text = `Internal error occurred: ${message}`
  return {
    metadata: {},
    status: 'Failure',
    message: text,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  }
}

function ended(stream: Writable): Promise<void> {
  return new Promise(resolve => stream.end(resolve))
}
