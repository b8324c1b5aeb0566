import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { nodes, pods } from '@wherry/client/resources/core'
import { type ApiServer, type EmbeddedApiServer, type LogLine, startApiServer } from '@wherry/testing'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { endContainer, runningStatus, startKubelet, writeLog } from './kubelet.ts'

/** A server with a pod. Its container `main` runs: commands are run on this machine, in the folder of the container. */
export interface Stage extends AsyncDisposable {
  readonly server: ApiServer
  readonly client: Client
  readonly pod: { readonly namespace: string; readonly name: string }
  /** The folder of the container. */
  readonly folder: string
  /** Adds lines to the log. */
  log(...lines: readonly { readonly time: string; readonly text: string }[]): Promise<void>
  /** Ends the container, for the node and in the pod's status. */
  end(): Promise<void>
}

/** The stages that each test of streams is played on. */
export const stages: readonly (readonly [string, () => Promise<Stage>])[] = [
  ['embedded', embeddedStage],
  ['real', realStage],
]

async function realStage(): Promise<Stage> {
  const server = await sharedRealServer()
  const client = clientOf(server)
  const kubelet = await startKubelet()
  const pod = { namespace: 'default', name: 'chess' }
  const folder = await kubelet.runPod(client, pod.name)
  return {
    ...{ server, client, pod, folder },
    log: (...lines) => writeLog(folder, lines),
    async end() {
      await endContainer(folder)
      await client.status.patch(pods, pod, { status: endedStatus })
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await kubelet[Symbol.asyncDispose]()
    },
  }
}

async function embeddedStage(): Promise<Stage> {
  const server = await startApiServer({ authorization: 'RBAC' })
  const client = clientOf(server)
  const folder = await mkdtemp(join(tmpdir(), 'wherry-container-'))
  const pod = { namespace: 'default', name: 'chess' }
  await client.create(nodes, { metadata: { name: 'node' } })
  await client.create(pods, {
    metadata: pod,
    spec: { nodeName: 'node', containers: [{ name: 'main', image: 'main:1', stdin: true }] },
  })
  await client.status.patch(pods, pod, { status: runningStatus('containerd://1') })
  const log = new PlayedLog()
  playContainer(server, folder, log)
  return {
    ...{ server, client, pod, folder },
    log: async (...lines) => log.add(lines),
    async end() {
      log.end()
      await client.status.patch(pods, pod, { status: endedStatus })
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close()
      await rm(folder, { recursive: true })
    },
  }
}

const endedStatus = {
  containerStatuses: [
    {
      ...{ name: 'main', image: 'main:1', imageID: '', containerID: 'containerd://1', ready: false, restartCount: 0 },
      state: { terminated: { exitCode: 0, containerID: 'containerd://1' } },
    },
  ],
}

function clientOf({ url, ca, token }: ApiServer): Client {
  return new Client({ url, ca, token })
}

/** Plays a container as the kubelet of these tests does. */
function playContainer(server: EmbeddedApiServer, folder: string, log: PlayedLog): void {
  server.onExec(async ({ command: [program = '', ...args], stdin, stdout, stderr, onResize, signal }) => {
    if (program === 'print-sizes') {
      const sizes: string[] = []
      await new Promise<void>(resolve => {
        onResize(({ columns, rows }) => {
          sizes.push(`${columns}x${rows}\n`)
          if (sizes.length === 2) resolve()
        })
      })
      return { stdout: sizes.join('') }
    }
    const child = spawn(program, args, { cwd: folder, signal })
    stdin.pipe(child.stdin)
    child.stdin.on('error', () => {})
    child.stdout.pipe(stdout, { end: false })
    child.stderr.pipe(stderr, { end: false })
    const [exitCode] = (await once(child, 'close')) as [number]
    return { exitCode }
  })
  server.onAttach(async ({ stdin, stdout }) => {
    for await (const bytes of stdin as AsyncIterable<Buffer>) stdout.write(bytes)
    return undefined
  })
  server.onPortForward(async ({ port, stream }) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    stream.on('close', () => socket.destroy())
    socket.on('error', () => {})
    socket.pipe(stream).pipe(socket)
  })
  server.onLogs(({ follow, signal }) => (follow ? log.followed(signal) : log.lines))
}

/** A log that grows until its container ends. */
class PlayedLog {
  readonly lines: LogLine[] = []
  #isEnded = false
  #changed = Promise.withResolvers<void>()

  add(lines: readonly LogLine[]): void {
    this.lines.push(...lines)
    this.#notify()
  }

  end(): void {
    this.#isEnded = true
    this.#notify()
  }

  async *followed(signal: AbortSignal): AsyncGenerator<LogLine, void, undefined> {
    const gone = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    for (let at = 0; ; ) {
      const changed = this.#changed.promise
      const next = this.lines.slice(at)
      yield* next
      at += next.length
      // More may have come while these were read.
      if (at < this.lines.length) continue
      if (this.#isEnded || signal.aborted) return
      await Promise.race([changed, gone])
    }
  }

  #notify(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
