import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { type ControlledApiServer, install, type PlayOptions, play, startApiServer } from '@wherry/testing'
import { deployedOptions } from '../harness/deployed.ts'

export interface ProgramOptions {
  readonly main: string
  /** The objects that the server has before the program starts. @default nothing */
  readonly objects?: Iterable<object> | undefined
  /** The controllers and the kubelet that are played. @default nothing */
  readonly play?: PlayOptions | undefined
  /** Whether Node is started with its defaults, and not as a Deployment of `wherry manifests` starts it. @default false */
  readonly nodeDefaults?: boolean | undefined
}

/** A program that runs, and the server that it has for itself. */
export interface ProgramScene {
  readonly server: ControlledApiServer
  readonly client: Client
  /** What the program holds after a full collection. */
  memory(): Promise<NodeJS.MemoryUsage>
}

const definitions = join(import.meta.dirname, '../../../examples/ported/tenants/deploy/crd')
const imported = ['in-pod.ts', 'memory-probe.ts'].flatMap(file => ['--import', join(import.meta.dirname, file)])
const execArgv = ['--expose-gc', ...imported]

/** Writes what a Pod finds of its service account. Resolves with the folder. */
async function serviceAccount({ ca, token }: ControlledApiServer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-peers-'))
  for (const [file, text] of Object.entries({ 'ca.crt': ca ?? '', token, namespace: 'default' }))
    await writeFile(join(folder, file), text)
  return folder
}

/** Runs a program, of either side, against a server of its own. Each of both is a process. Reports are taken by this one. */
export async function withProgram<T>(options: ProgramOptions, body: (scene: ProgramScene) => Promise<T>): Promise<T> {
  const taker = createServer((request, answer) => request.resume().on('end', () => answer.writeHead(204).end()))
  await using _ = taker
  taker.listen(0, '127.0.0.1')
  await once(taker, 'listening')
  const args = ['--reports', `http://127.0.0.1:${(taker.address() as AddressInfo).port}/`]
  await using server = await startApiServer({ isolate: true })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await install(server, definitions)
  if (options.objects !== undefined) await server.fill([...options.objects])
  const player = options.play && (await play(server, options.play))
  const folder = await serviceAccount(server)
  const deployed = { NODE_ENV: 'production', NODE_OPTIONS: options.nodeDefaults ? '' : deployedOptions.join(' ') }
  const { hostname, port } = new URL(server.url)
  const cluster = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT: folder }
  // Without a kubeconfig: none is named, and none is in its home.
  const { KUBECONFIG: _kubeconfig, ...rest } = process.env
  const env = { ...rest, ...deployed, ...cluster, HOME: folder, PORT: '0', GATE_PORT: '0' }
  const child: ChildProcess = fork(options.main, args, { env, stdio: 'ignore', execArgv })
  const closed = once(child, 'close')
  const memory = async (): Promise<NodeJS.MemoryUsage> => {
    child.send('memory')
    const [usage] = await once(child, 'message')
    return usage
  }
  const ended = closed.then(([code]) => Promise.reject(new Error(`${options.main} has ended, with ${code}`)))
  try {
    return await Promise.race([body({ server, client, memory }), ended])
  } finally {
    ended.catch(() => undefined)
    child.kill('SIGKILL')
    await closed
    await player?.close()
    taker.closeAllConnections()
    await rm(folder, { recursive: true })
  }
}
