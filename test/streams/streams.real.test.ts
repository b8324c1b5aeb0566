import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { Client } from '@wherry/client'
import { attach, connectPort, copyFromPod, copyToPod, exec, logs, portForward, spawn } from '@wherry/streams'
import { describe, expect, it } from 'vitest'
import { type Stage, stages } from './stage.ts'

/** Plays `body` with a stage, which ends with it. */
const on = (open: () => Promise<Stage>, body: (stage: Stage) => Promise<void>) => async () => {
  await using stage = await open()
  await body(stage)
}

const at = (second: number, text: string): { time: string; text: string } => ({
  time: `2026-01-01T00:00:0${second}.500000000Z`,
  text,
})

describe.each(stages)('%s', (_, open) => {
  it(
    'exec gives what a command wrote, and its exit code',
    on(open, async ({ client, pod }) => {
      const script = 'echo out; echo wrong >&2; exit 3'
      expect(await exec(client, pod, ['sh', '-c', script])).toEqual({ stdout: 'out\n', stderr: 'wrong\n', exitCode: 3 })
      expect(await exec(client, pod, ['sh', '-c', 'true'])).toEqual({ stdout: '', stderr: '', exitCode: 0 })
    }),
  )

  it(
    'exec sends stdin to its end, whatever its form',
    on(open, async ({ client, pod }) => {
      expect(await exec(client, pod, ['cat'], { stdin: 'wörds' })).toMatchObject({ stdout: 'wörds' })
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < 40; i++) yield Buffer.alloc(100_000, 'x')
      }
      expect((await exec(client, pod, ['wc', '-c'], { stdin: pieces() })).stdout.trim()).toBe('4000000')
    }),
  )

  it(
    'exec gives up on a command that writes too much, takes too long, or is not wanted any more',
    on(open, async ({ client, pod }) => {
      const much = ['head', '-c', '300000', '/dev/zero']
      expect((await exec(client, pod, much)).stdout).toHaveLength(300_000)
      await expect(exec(client, pod, much, { maxBytes: 299_999 })).rejects.toMatchObject({ code: 'OUTPUT_TOO_LONG' })
      const slow = exec(client, pod, ['sleep', '60'], { timeoutMs: 200 })
      await expect(slow).rejects.toMatchObject({ code: 'TIMEOUT', key: 'default/chess' })
      const controller = new AbortController()
      const stopped = exec(client, pod, ['sleep', '60'], { signal: controller.signal })
      controller.abort(new Error('enough'))
      await expect(stopped).rejects.toThrow('enough')
    }),
  )

  it(
    'a command that can not be run, a container that does not exist or does not run, and a pod that does not exist are errors',
    on(open, async ({ client, pod, end }) => {
      await expect(exec(client, pod, ['no-such-program'])).rejects.toMatchObject({
        code: 'STREAM_FAILED',
        reason: 'InternalError',
        message: expect.stringContaining('no-such-program'),
      })
      await expect(exec(client, pod, ['true'], { container: 'other' })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('container other is not valid for pod chess'),
      })
      const nobody = { ...pod, name: 'nobody' }
      await expect(exec(client, nobody, ['true'])).rejects.toMatchObject({ status: 404, reason: 'NotFound' })
      await end()
      await expect(exec(client, pod, ['true'])).rejects.toMatchObject({
        reason: 'InternalError',
        message: expect.stringContaining('container not found ("main")'),
      })
    }),
  )

  it(
    'exec needs the right to create, besides that to get',
    on(open, async ({ server, client, pod }) => {
      const as = async (name: string, verbs: string[]): Promise<Client> => {
        const rule = { verbs, apiGroups: [''], resources: ['pods/exec'] }
        const { token } = await server.account([rule], { name })
        return new Client({ url: server.url, ca: server.ca, token })
      }
      await using reader = await as('reader', ['get'])
      await expect(exec(reader, pod, ['true'])).rejects.toMatchObject({ status: 403 })
      await using user = await as('user', ['get', 'create'])
      expect(await exec(user, pod, ['true'])).toMatchObject({ exitCode: 0 })
      await expect(exec(client, pod, [])).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    }),
  )

  it(
    'spawn streams both ways, and a reader that is slow holds the command back',
    on(open, async ({ client, pod }) => {
      await using cat = await spawn(client, pod, ['cat'], { stdin: true })
      cat.stdin.write('one\n')
      const [first] = (await once(cat.stdout, 'data')) as [Buffer]
      expect(first.toString()).toBe('one\n')
      cat.stdin.end('two\n')
      expect(await text(cat.stdout)).toBe('two\n')
      expect(await cat.exit).toBe(0)
      await using flood = await spawn(client, pod, ['head', '-c', '30000000', '/dev/zero'])
      await once(flood.stdout, 'readable')
      await expect.poll(() => flood.stdout.readableLength).toBeGreaterThan(0)
      // Far from what the command writes: the rest waits on the other side.
      expect(flood.stdout.readableLength).toBeLessThan(2_000_000)
      expect(await buffer(flood.stdout)).toHaveLength(30_000_000)
    }),
  )

  it(
    'a terminal has a size, and mixes stdout and stderr',
    on(open, async ({ client, pod }) => {
      await using process = await spawn(client, pod, ['print-sizes'], { tty: true })
      process.resize({ columns: 80, rows: 24 })
      process.resize({ columns: 100, rows: 50 })
      expect(await text(process.stdout)).toBe('80x24\n100x50\n')
      expect(await text(process.stderr)).toBe('')
    }),
  )

  it(
    'attach is connected to the program of the container',
    on(open, async ({ client, pod }) => {
      await using process = await attach(client, pod, { stdin: true })
      process.stdin.end('hello')
      expect(await text(process.stdout)).toBe('hello')
      expect(await process.exit).toBe(0)
    }),
  )

  it(
    'a forwarded port leads to the pod, for each connection',
    on(open, async ({ client, pod }) => {
      const server = createServer(socket => socket.pipe(socket)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      const errors: Error[] = []
      {
        await using forward = await portForward(client, pod, port, { onError: error => errors.push(error) })
        const echoed = async (bytes: Buffer): Promise<number> => {
          const socket = connect(forward.port, '127.0.0.1')
          let length = 0
          socket.write(bytes)
          for await (const chunk of socket as AsyncIterable<Buffer>) {
            length += chunk.length
            if (length === bytes.length) break
          }
          return length
        }
        expect(await Promise.all([echoed(Buffer.alloc(3_000_000)), echoed(Buffer.from('x'))])).toEqual([3_000_000, 1])
      }
      expect(errors).toEqual([])
      server.close()
      await once(server, 'close')
      const stream = await connectPort(client, pod, port)
      await expect(text(stream)).rejects.toMatchObject({
        code: 'STREAM_FAILED',
        message: expect.stringMatching(/refused/i),
      })
    }),
  )

  it(
    'a slow reader of a forwarded port holds the pod back, and gets each byte, also those from before the end',
    on(open, async ({ client, pod }) => {
      const sent = Buffer.alloc(30_000_000)
      for (let at = 0; at < sent.length; at += 4) sent.writeUInt32BE(at, at)
      const written = Promise.withResolvers<Socket>()
      const server = createServer({ allowHalfOpen: true }, socket => {
        for (let at = 0; at < sent.length; at += 1_000_000) socket.write(sent.subarray(at, at + 1_000_000))
        socket.on('error', () => {}).end()
        written.resolve(socket)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const parts: Buffer[] = []
      {
        await using forward = await portForward(client, pod, (server.address() as { port: number }).port)
        const socket = connect(forward.port, '127.0.0.1')
        await once(socket, 'readable')
        expect((await written.promise).writableFinished).toBe(false)
        for await (const part of socket as AsyncIterable<Buffer>) {
          parts.push(part)
          await new Promise(setImmediate)
        }
      }
      server.close()
      await once(server, 'close')
      expect(Buffer.concat(parts).equals(sent)).toBe(true)
    }),
  )

  it(
    'files are copied to a container and back, and nothing is written outside of the folder',
    on(open, async ({ client, pod, folder }) => {
      const here = await mkdtemp(join(tmpdir(), 'wherry-copy-'))
      try {
        await mkdir(join(here, 'games'))
        await writeFile(join(here, 'games/chess.txt'), 'e4 e5')
        await mkdir(join(here, 'back'))
        await copyToPod(client, pod, join(here, 'games'), '.')
        expect(await readFile(join(folder, 'games/chess.txt'), 'utf8')).toBe('e4 e5')
        await copyFromPod(client, pod, 'games', join(here, 'back'))
        expect(await readFile(join(here, 'back/games/chess.txt'), 'utf8')).toBe('e4 e5')
        await expect(copyFromPod(client, pod, 'checkers', join(here, 'back'))).rejects.toMatchObject({
          code: 'STREAM_FAILED',
          message: expect.stringContaining('checkers'),
        })
        await expect(copyToPod(client, pod, join(here, 'games'), 'nowhere')).rejects.toThrow('nowhere')
        await symlink('/etc/passwd', join(folder, 'games/passwd'))
        await expect(copyFromPod(client, pod, 'games', join(here, 'back'))).rejects.toMatchObject({
          code: 'UNSAFE_PATH',
        })
      } finally {
        await rm(here, { recursive: true })
      }
    }),
  )

  it(
    'logs are lines: all, the last ones, those since a time, with their times, as bytes',
    on(open, async ({ client, pod, log }) => {
      await log(at(1, 'one'), at(2, ''), at(3, 'thrée'))
      const all = async <T>(lines: AsyncIterable<T>): Promise<T[]> => {
        const found: T[] = []
        for await (const line of lines) found.push(line)
        return found
      }
      expect(await all(logs(client, pod))).toEqual(['one', '', 'thrée'])
      expect(await all(logs(client, pod, { tail: 1 }))).toEqual(['thrée'])
      expect(await all(logs(client, pod, { since: new Date('2026-01-01T00:00:02Z') }))).toEqual(['', 'thrée'])
      expect(await all(logs(client, pod, { tail: 1, timestamps: true }))).toEqual([
        '2026-01-01T00:00:03.500000000Z thrée',
      ])
      expect(await all(logs(client, pod, { tail: 1, as: 'bytes' }))).toEqual([Buffer.from('thrée')])
      await expect(all(logs(client, pod, { maxLineBytes: 2 }))).rejects.toThrow('long')
      await expect(all(logs(client, pod, { container: 'other' }))).rejects.toMatchObject({ status: 400 })
      await expect(all(logs(client, pod, { previous: true }))).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('previous terminated container "main" in pod "chess" not found'),
      })
    }),
  )

  it(
    'a log that is followed loses no line and gives none twice over a restart of the server, and ends with its container',
    on(open, async ({ server, client, pod, log, end }) => {
      await log(at(1, 'one'), at(2, 'two'), at(2, 'two again'))
      const seen: string[] = []
      for await (const line of logs(client, pod, { follow: true })) {
        seen.push(line)
        if (line === 'two again') {
          await server.restart()
          // The same time as the last line.
          await log(at(2, 'two, a third time'), at(3, 'three'))
        }
        if (line === 'three') {
          await log(at(4, 'four'))
          await end()
        }
      }
      expect(seen).toEqual(['one', 'two', 'two again', 'two, a third time', 'three', 'four'])
    }),
  )
})
