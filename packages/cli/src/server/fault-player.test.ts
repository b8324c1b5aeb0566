import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { faultOf } from './fault-option.ts'
import { type After, FaultPlayer } from './fault-player.ts'

/** A clock that a test moves. */
function manual(): { readonly after: After; advance(ms: number): void; readonly waiting: () => number } {
  let now = 0
  let timers: { readonly at: number; readonly fn: () => void }[] = []
  return {
    after: (ms, fn) => {
      const timer = { at: now + ms, fn }
      timers.push(timer)
      return () => {
        timers = timers.filter(one => one !== timer)
      }
    },
    advance: ms => {
      now += ms
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { fn } of due) fn()
    },
    waiting: () => timers.length,
  }
}

/** Sends a request of its own connection, and resolves with the head of the answer. */
async function ask(server: EmbeddedApiServer, path: string): Promise<IncomingMessage> {
  const { ca, token, url } = server
  const sent = request(`${url}${path}`, { ca, agent: false, headers: { authorization: `Bearer ${token}` } })
  sent.on('error', () => undefined)
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
  return answer
}

const pods = '/api/v1/namespaces/default/pods'

it('a status is given for its time, and then no more; its end says how many requests it hit', async () => {
  await using server = await startApiServer()
  const { after, advance } = manual()
  const said: string[] = []
  const statuses: (number | undefined)[] = []
  const list = async (): Promise<void> => {
    const answer = await ask(server, pods)
    answer.resume()
    await once(answer, 'close')
    statuses.push(answer.statusCode)
  }
  {
    await using player = new FaultPlayer(server, line => said.push(line), after)
    await player.start([faultOf('429,at=5s,for=15s')])
    await list()
    advance(5000)
    await vi.waitFor(() => expect(said).toEqual(['fault 429,at=5s,for=15s: in force']))
    await list()
    await list()
    advance(15_000)
    await vi.waitFor(() => expect(said.at(-1)).toBe('fault 429,at=5s,for=15s: over'))
    await list()
  }
  expect(statuses).toEqual([200, 429, 429, 200])
  expect(said.at(-1)).toBe('fault 429,at=5s,for=15s: hit 2 requests')
})

it('a 410 ends the open watches of its resource, and answers as many next ones', async () => {
  await using server = await startApiServer()
  const { after, advance } = manual()
  const said: string[] = []
  await using player = new FaultPlayer(server, line => said.push(line), after)
  await player.start([faultOf('410,at=1s,resource=pods')])
  const [watch, other] = [await ask(server, `${pods}?watch=1`), await ask(server, '/api/v1/namespaces?watch=1')]
  const isOtherOver = vi.fn()
  other.resume().once('close', isOtherOver)
  advance(1000)
  await text(watch)
  await vi.waitFor(() => expect(said.join()).toContain('watches are ended, and get a 410 next: 1 of pods'))
  expect(await text(await ask(server, `${pods}?watch=1`))).toContain('"code":410')
  expect(isOtherOver).not.toHaveBeenCalled()
  const open = await ask(server, `${pods}?watch=1`)
  expect(open.statusCode).toBe(200)
  for (const one of [open, other]) one.destroy()
})

it.each(['reset,at=1s', 'restart,at=1s'])('%s breaks what is open, and the server answers again', async fault => {
  await using server = await startApiServer()
  const { after, advance } = manual()
  await using player = new FaultPlayer(server, () => undefined, after)
  await player.start([faultOf(fault)])
  const watch = await ask(server, `${pods}?watch=1`)
  const ended = text(watch).catch(() => '')
  advance(1000)
  await ended
  await vi.waitFor(async () => expect((await ask(server, pods)).resume().statusCode).toBe(200))
})

it('what was not reached or hit nothing is said at the end, and no timer stays', async () => {
  await using server = await startApiServer()
  const { after, advance, waiting } = manual()
  const said: string[] = []
  {
    await using player = new FaultPlayer(server, line => said.push(line), after)
    const faults = ['500,resource=pod', '410,at=1s', 'reset,at=5s', '429,for=9s']
    await player.start(faults.map(faultOf))
    expect(said).toEqual(['fault 500,resource=pod: in force', 'fault 429,for=9s: in force'])
    advance(1000)
    await vi.waitFor(() => expect(said.at(-1)).toBe('fault 410,at=1s: no watch was open'))
  }
  expect(said.slice(3)).toEqual([
    'fault 500,resource=pod: no request was hit',
    'fault 429,for=9s: no request was hit',
    'fault reset,at=5s: the end came before it',
  ])
  expect(waiting()).toBe(0)
})
