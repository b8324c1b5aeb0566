import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { systemClock } from '@wherry/client/internal'
import { nodes, pods } from '@wherry/client/resources/core'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { create } from 'tar'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { connectPort, copyFromPod, exec, logs, portForward, spawn } from './index.ts'

const pod = { namespace: 'default', name: 'chess' }

/** A server with a pod that has a running container. */
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

it('two files that can not be written end the copying with the error of the first, and not the process', () =>
  withPod(async (server, client) => {
    const folder = await mkdtemp(join(tmpdir(), 'wherry-copy-'))
    try {
      for (const name of ['chess', 'go']) {
        await mkdir(join(folder, 'there', 'games', name, 'in the way'), { recursive: true })
        await mkdir(join(folder, 'games'), { recursive: true })
        await writeFile(join(folder, 'games', name), name)
      }
      const archive = Readable.from(create({ cwd: folder, portable: true }, ['games']))
      server.onExec(async ({ stdout }) => {
        stdout.write(await buffer(archive))
        return undefined
      })
      const copying = copyFromPod(client, pod, '/data/games', join(folder, 'there'))
      await expect(copying).rejects.toMatchObject({ code: 'ENOTEMPTY' })
    } finally {
      await rm(folder, { recursive: true })
    }
  }))

it.skipIf(process.platform !== 'linux')('a copy from a pod that is aborted leaves no file open', () =>
  withPod(async (server, client) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'wherry-copy-')))
    const openFiles = async (): Promise<string[]> => {
      const links = (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
      return (await Promise.all(links)).filter(path => path.startsWith(join(folder, 'there')))
    }
    try {
      await mkdir(join(folder, 'there'))
      await writeFile(join(folder, 'games'), Buffer.alloc(300_000, 'chess'))
      const archive = await buffer(Readable.from(create({ cwd: folder, portable: true }, ['games'])))
      server.onExec(async ({ stdout, signal }) => {
        stdout.write(archive.subarray(0, 100_000))
        if (!signal.aborted) await once(signal, 'abort')
        return undefined
      })
      const abort = new AbortController()
      const copying = copyFromPod(client, pod, '/data/games', join(folder, 'there'), { signal: abort.signal })
      while ((await openFiles()).length === 0) await setTimeout(5)
      abort.abort(new Error('enough'))
      await expect(copying).rejects.toThrow('enough')
      for (let tries = 0; tries < 400 && (await openFiles()).length > 0; tries++) await setTimeout(5)
      expect(await openFiles()).toEqual([])
    } finally {
      await rm(folder, { recursive: true })
    }
  }),
)

it('an onError of a forwarded port that throws is reported, and ends nothing', () =>
  withPod(async (server, client) => {
    const errors = Promise.withResolvers<Error>()
    const environment = { onError: (error: Error) => errors.resolve(error) }
    await using own = new Client({ url: server.url, ca: server.ca, token: server.token, environment })
    const onError = (): never => {
      throw new Error('mine')
    }
    await using forward = await portForward(own, pod, 8080, { onError })
    const local = connect(forward.port, forward.host)
    expect(await errors.promise).toEqual(new Error('mine'))
    await finished(local.resume()).catch(() => {})
    expect(client.server).toBe(own.server)
  }))

it('a signal that is aborted while the credentials are read ends the call, though the server never answers', async () => {
  const server = createTcpServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const abort = new AbortController()
  const credentials = {
    headers: async () => {
      abort.abort(new Error('enough'))
      return {}
    },
    tls: () => ({}),
    digest: () => '',
    refresh: () => Promise.resolve(false),
  }
  try {
    const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await using client = new Client({ access: { server: address, credentials } })
    await expect(exec(client, pod, ['true'], { signal: abort.signal })).rejects.toThrow('enough')
  } finally {
    server.close()
    await once(server, 'close')
  }
})

it.for([
  ['nothing', ''],
  ['a refusal without its end', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 100\r\n\r\nno'],
] as const)(
  'a server that answers an exec with %s ends the call after a minute, or with its signal',
  async ([, answer]) => {
    const asked = Promise.withResolvers<void>()
    const server = createTcpServer(socket => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write(answer)
          asked.resolve()
        })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { clock, ends, pass } = clockOf(60_000)
    try {
      const { port } = server.address() as AddressInfo
      await using client = new Client({ url: `http://127.0.0.1:${port}`, environment: { clock } })
      const late = expect(exec(client, pod, ['true'])).rejects.toMatchObject({ code: 'TIMEOUT', timeoutMs: 60_000 })
      await asked.promise
      const abort = new AbortController()
      const aborted = expect(exec(client, pod, ['true'], { signal: abort.signal })).rejects.toThrow('enough')
      await expect.poll(() => ends.size).toBe(2)
      abort.abort(new Error('enough'))
      await aborted
      expect(ends.size).toBe(1)
      pass()
      await late
    } finally {
      server.close()
      await once(server, 'close')
    }
  },
)

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

it('a server with a protocol that cannot end stdin makes the call fail, in place of a command that never ends', async () => {
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

const frame = (opcode: number, ...parts: readonly (string | number[])[]): Buffer => {
  const body = Buffer.concat(parts.map(part => Buffer.from(part as string)))
  return Buffer.concat([Buffer.from([0x80 | opcode, body.length]), body])
}

/** Answers an upgrade, sends these bytes together with the answer, and then ends the connection unless `staysOpen`. */
async function withFrames(
  protocol: string,
  bytes: Buffer,
  body: (client: Client, closing: Promise<void>) => Promise<void>,
  staysOpen = false,
): Promise<void> {
  const closing = Promise.withResolvers<void>()
  const server = createTcpServer(socket => {
    socket.on('error', () => {})
    let request = ''
    socket.on('data', data => {
      // A close frame.
      if (request.endsWith('\r\n\r\n') && data[0] === 0x88) closing.resolve()
      request += data.toString('latin1')
      const [, key] = /^sec-websocket-key: (.*)\r$/im.exec(request) ?? []
      if (key === undefined || !request.endsWith('\r\n\r\n')) return
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      const head = [
        ...['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade'],
        ...[`sec-websocket-accept: ${accept}`, `sec-websocket-protocol: ${protocol}`, '', ''],
      ].join('\r\n')
      socket.write(Buffer.concat([Buffer.from(head), bytes]))
      if (!staysOpen) socket.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await using client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    await body(client, closing.promise)
  } finally {
    server.close()
    await once(server, 'close')
  }
}

it('what a server sends together with its answer to the upgrade is not lost', () => {
  const frames = [frame(2, [1], 'hello'), frame(2, [3], '{"status":"Success"}'), frame(8, [3, 232])]
  return withFrames('v5.channel.k8s.io', Buffer.concat(frames), async client => {
    expect(await exec(client, pod, ['true'], { timeoutMs: 5_000 })).toEqual({
      stdout: 'hello',
      stderr: '',
      exitCode: 0,
    })
  })
})

it('a command has ended when its status is whole, also if the connection stays open', () => {
  const frames = [
    frame(2, [1], 'hello'),
    frame(2, [3], '{"details":{}'),
    frame(2, [3], ',"status":"Success"}\n'),
    frame(2, [1], 'late'),
  ]
  const all = Buffer.concat(frames)
  return withFrames(
    'v5.channel.k8s.io',
    all,
    async (client, closing) => {
      expect(await exec(client, pod, ['true'])).toEqual({ stdout: 'hello', stderr: '', exitCode: 0 })
      await closing
    },
    true,
  )
})

it('what a command wrote can be read after its connection has ended', () => {
  const frames = [frame(2, [1], 'hello'), frame(2, [3], '{"status":"Success"}'), frame(8, [3, 232])]
  return withFrames('v5.channel.k8s.io', Buffer.concat(frames), async client => {
    const process = await spawn(client, pod, ['true'])
    expect(await process.exit).toBe(0)
    await process.close()
    expect(await text(process.stdout)).toBe('hello')
  })
})

it('a status that is no object, or not whole, is the reason of the failure when the connection ends', async () => {
  for (const status of ['null', 'out of memory', '{"status":"Success"']) {
    await withFrames('v5.channel.k8s.io', frame(2, [3], status), async client => {
      await expect(exec(client, pod, ['true'])).rejects.toMatchObject({ code: 'STREAM_FAILED', message: status })
    })
  }
})

it('bytes that are no frame end a stream with an error', () =>
  withFrames('v4.channel.k8s.io', Buffer.from([0x83, 1, 0]), async client => {
    const stream = await connectPort(client, pod, 80)
    await expect(text(stream)).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('no WebSocket frame'),
    })
  }))

/** A clock that ends timers of that time when `pass` is called, and all others as time passes. */
function clockOf(ownMs: number) {
  const system = systemClock()
  const ends = new Set<() => void>()
  const timer = (ms: number, then: () => void) => {
    if (ms !== ownMs) return system.timer(ms, then)
    ends.add(then)
    return { cancel: () => void ends.delete(then) }
  }
  const pass = (): void => {
    for (const end of [...ends]) {
      ends.delete(end)
      end()
    }
  }
  return { clock: { ...system, timer }, ends, pass }
}

it('a port of a pod that keeps silent after end() ends in order, once its bytes are read', () =>
  withPod(async server => {
    const { clock, ends, pass } = clockOf(10_000)
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token, environment: { clock } })
    server.onPortForward(({ stream }) => {
      stream.on('error', () => {})
      stream.write(Buffer.alloc(1024 * 1024))
    })
    const stream = await connectPort(client, pod, 80)
    stream.end('x')
    await expect.poll(() => stream.readableLength).toBeGreaterThan(stream.readableHighWaterMark)
    await expect.poll(() => ends.size).toBe(1)
    pass()
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
    })
    const ended = finished(stream)
    await expect.poll(() => size).toBe(1024 * 1024)
    expect(stream.readableEnded).toBe(false)
    pass()
    await ended
    await expect.poll(() => stream.closed).toBe(true)
    expect(ends.size).toBe(0)
  }))

it('stdin that fails ends the call with its error, in place of a command that waits for more', () =>
  withPod(async (server, client) => {
    server.onExec(async ({ stdin }) => ({ stdout: await text(stdin) }))
    async function* failing(): AsyncGenerator<string> {
      yield 'one'
      throw new Error('no more')
    }
    await expect(exec(client, pod, ['cat'], { stdin: failing() })).rejects.toThrow('no more')
  }))

it('the embedded server lives through frames that make no sense', () =>
  withPod(async (server, client) => {
    server.onExec(async ({ stdin }) => ({ stdout: await text(stdin) }))
    const query = 'command=cat&stdin=true&stdout=true&tty=true'
    const { pathname } = new URL(`${server.url}/api/v1/namespaces/default/pods/chess/exec`)
    const odd = new WebSocket(`${server.url.replace(/^http/, 'ws')}${pathname}?${query}`, ['v5.channel.k8s.io'], {
      ...{ ca: server.ca, headers: { authorization: `Bearer ${server.token}` } },
    })
    await once(odd, 'open')
    const answers: string[] = []
    odd.on('message', data => answers.push(data.toString()))
    for (const frame of ['', '\x04no json', '\x09?', '\x00one', '\xff\x00', '\xff\x00', '\x00late']) {
      odd.send(Buffer.from(frame, 'latin1'))
    }
    await once(odd, 'close')
    expect(answers).toEqual(['\x01one', expect.stringContaining('Success')])
    expect(await client.get(pods, pod)).toBeDefined()
  }))

it('with a terminal, the embedded server sends no stderr, as a kubelet', () =>
  withPod(async server => {
    server.onExec(async () => ({ stdout: 'one', stderr: 'two' }))
    const url = `${server.url.replace(/^http/, 'ws')}/api/v1/namespaces/default/pods/chess/exec`
    const socket = new WebSocket(`${url}?command=cat&stdout=true&stderr=true&tty=true`, ['v5.channel.k8s.io'], {
      ...{ ca: server.ca, headers: { authorization: `Bearer ${server.token}` } },
    })
    const answers: string[] = []
    socket.on('message', data => answers.push(data.toString()))
    await once(socket, 'close')
    expect(answers).toEqual(['\x01one', expect.stringContaining('Success')])
  }))

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
