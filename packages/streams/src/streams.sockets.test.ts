import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@wherry/client'
import { nodes, pods } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { exec, logs, spawn } from './index.ts'

const pod = { namespace: 'default', name: 'chess' }

/** A server with a pod whose container runs. */
async function withPod(body: (server: EmbeddedApiServer, client: Client) => Promise<void>): Promise<void> {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await client.create(nodes, { metadata: { name: 'node' } })
  const containers = [{ name: 'main', image: 'main:1' }]
  await client.create(pods, { metadata: pod, spec: { nodeName: 'node', containers } })
  const running = { name: 'main', image: 'main:1', imageID: '', ready: true, restartCount: 0, state: { running: {} } }
  await client.status.patch(pods, pod, { status: { containerStatuses: [running] } })
  await body(server, client)
}

it('a client that is closed ends its streams, and the command notices it', () =>
  withPod(async (server, client) => {
    const gone = Promise.withResolvers<unknown>()
    server.onExec(async ({ signal, stdout }) => {
      stdout.write('running')
      signal.addEventListener('abort', () => gone.resolve(signal.reason))
      await gone.promise
      return undefined
    })
    const process = await spawn(client, pod, ['sleep'])
    await once(process.stdout, 'data')
    await client.close()
    await expect(process.exit).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(await gone.promise).toMatchObject({ message: 'the client has gone' })
    await expect(exec(client, pod, ['sleep'])).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  }))

it('a guarded client asks before each command, and its end ends those under way', () =>
  withPod(async (server, client) => {
    let runs = 0
    server.onExec(async ({ stdin }) => {
      runs += 1
      await text(stdin).catch(() => '')
      return undefined
    })
    let isAdmitted = true
    const guarded = client.guardedBy(() => {
      if (!isAdmitted) throw new Error('no leader')
    })
    const process = await spawn(guarded.client, pod, ['cat'], { stdin: true })
    isAdmitted = false
    await expect(exec(guarded.client, pod, ['cat'])).rejects.toThrow('no leader')
    guarded.end(new Error('the lease was lost'))
    await expect(process.exit).rejects.toThrow('the lease was lost')
    expect(runs).toBe(1)
    expect(client.connections).toBeGreaterThan(0)
  }))

it('a token that has changed is read again after a 401, once', () =>
  withPod(async (server, client) => {
    server.onExec(() => ({ stdout: 'hello' }))
    const folder = await mkdtemp(join(tmpdir(), 'wherry-token-'))
    const tokenFile = join(folder, 'token')
    try {
      await writeFile(tokenFile, 'old')
      await using renewing = new Client({ url: server.url, ca: server.ca, tokenFile })
      await expect(exec(renewing, pod, ['true'])).rejects.toMatchObject({ status: 401 })
      await writeFile(tokenFile, server.token)
      expect(await exec(renewing, pod, ['true'])).toMatchObject({ stdout: 'hello' })
    } finally {
      await rm(folder, { recursive: true })
    }
    expect(client.server).toBe(`${server.url}/`)
  }))

it('a server whose protocol cannot end stdin makes the call fail, in place of a command that never ends', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new WebSocketServer({ server, handleProtocols: offered => [...offered].at(-1) ?? false })
  try {
    await using client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    const answer = exec(client, pod, ['cat'], { stdin: 'hello' })
    await expect(answer).rejects.toMatchObject({
      code: 'STREAM_FAILED',
      message: expect.stringContaining('v4.channel.k8s.io'),
    })
  } finally {
    sockets.close()
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
})

it('without a function that plays containers, the embedded server says which one is missing', () =>
  withPod(async (_, client) => {
    await expect(exec(client, pod, ['true'])).rejects.toMatchObject({
      status: 501,
      message: expect.stringContaining('onExec()'),
    })
  }))

it('the embedded server says of a log what a kubelet says: not started yet, and the log of a former run', () =>
  withPod(async (server, client) => {
    server.onLogs(({ previous }) => (previous ? ['former'] : ['now']))
    const first = async (options = {}): Promise<string | undefined> => {
      for await (const line of logs(client, pod, options)) return line
      return undefined
    }
    expect(await first()).toBe('now')
    await expect(first({ previous: true })).rejects.toMatchObject({ status: 400 })
    const status = (state: object, lastState = {}): Promise<unknown> => {
      const main = { name: 'main', image: 'main:1', imageID: '', ready: false, restartCount: 1, state, lastState }
      return client.status.patch(pods, pod, { status: { containerStatuses: [main] } })
    }
    await status({ waiting: { reason: 'ContainerCreating' } })
    await expect(first()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('container "main" in pod "chess" is waiting to start: ContainerCreating'),
    })
    const terminated = { exitCode: 1, containerID: 'containerd://1' }
    await status({ waiting: { reason: 'CrashLoopBackOff' } }, { terminated })
    expect(await first()).toBe('now')
    expect(await first({ previous: true })).toBe('former')
  }))
