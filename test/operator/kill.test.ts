import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client, isNotFound } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import { type ApiServer, choose, integer, seededRandom, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { outputOf, outputs, type ProgramOptions, traceOf, traces, wishes } from './world.ts'

const available = await realApiServerAvailable('an operator that is killed')
const program = new URL('./program.ts', import.meta.url).pathname
const fromSource = new URL('../examples/from-source.ts', import.meta.url).href

/** Of each seed, on each server. */
const kills = 5
const first = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const seeds = Array.from({ length: Number(process.env.WHERRY_SEEDS ?? 1) }, (_, i) => first + i)

const names = Array.from({ length: 12 }, (_, i) => `w${i}`)
const values = Array.from({ length: 6 }, (_, i) => `s${i}`)
/** A kill comes after so many of the operator's own writes at most. */
const mostWrites = 12
const within = { interval: 20 }

const children = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of children) await killed(child)
})

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }
  children.delete(child)
}

/** One namespace, in which objects change while an operator is killed again and again. */
class World {
  readonly #client: Client
  readonly #random: () => number
  readonly #namespace: string
  readonly #options: ProgramOptions
  #stderr = ''

  constructor(client: Client, options: ProgramOptions, seed: number) {
    this.#client = client
    this.#options = options
    this.#random = seededRandom(seed)
    this.#namespace = `kill-${seed}`
  }

  async begin(): Promise<void> {
    await this.#client.create(namespaces, { metadata: { name: this.#namespace } })
  }

  start(): ChildProcess {
    const child = spawn(process.execPath, ['--import', fromSource, program, JSON.stringify(this.#options)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.add(child)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4096)
    })
    return child
  }

  /** Changes objects, while the operator runs or does not. */
  async change(changes: number): Promise<void> {
    for (let i = 0; i < changes; i++) await this.#changeOne()
  }

  /** Kills the operator after some writes of its own, or when there is none left for it to make. */
  async killSoon(child: ChildProcess): Promise<void> {
    const over = new AbortController()
    const [writes] = await this.#writes(integer(this.#random, 1, mostWrites), over.signal)
    const done = this.change(integer(this.#random, 5, 20)).then(() => this.#caughtUp(over.signal))
    await Promise.race([writes, done])
    await killed(child)
    over.abort()
    await Promise.all([writes, done])
  }

  /** Resolves when all is as it would be had nobody been killed. */
  async settled(child: ChildProcess): Promise<void> {
    // If nothing were left to do, all would be right before the process is one that handles a signal.
    const metadata = { namespace: this.#namespace, name: 'last', labels: { role: 'wish' } }
    await this.#client.apply(wishes, { metadata, data: { secret: 's0' } }, { fieldManager: 'test' })
    await vi
      .waitFor(() => this.#check(), within)
      .catch(error => {
        throw new Error(`${error.message}\nthe operator said: ${this.#stderr}`, { cause: error })
      })
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    expect(await closed, this.#stderr).toEqual([0, null])
    children.delete(child)
  }

  /** A promise, in an array, of so many writes of the operator's from now on, or of the signal. */
  async #writes(count: number, signal: AbortSignal): Promise<[Promise<void>]> {
    const views = configMaps.within({ namespaces: [this.#namespace] }).metadata()
    const { resourceVersion } = await this.#client.list(views)
    const received = async (): Promise<void> => {
      let left = count
      try {
        for await (const event of this.#client.watch(views, { resourceVersion, signal })) {
          if (event.type === 'BOOKMARK' || !/^(output|trace)-/.test(event.object.metadata?.name ?? '')) continue
          if (--left === 0) return
        }
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
    return [received()]
  }

  /** Resolves when nothing is left to do, or with the signal. */
  #caughtUp(signal: AbortSignal): Promise<void> {
    return vi.waitFor(() => (signal.aborted ? undefined : this.#check()), within)
  }

  async #changeOne(): Promise<void> {
    const namespace = this.#namespace
    const [wish, secret] = [choose(this.#random, names), choose(this.#random, values)]
    const what = this.#random()
    if (what < 0.4) {
      const metadata = { namespace, name: wish, labels: { role: 'wish' } }
      await this.#client.apply(wishes, { metadata, data: { secret } }, { fieldManager: 'test' })
    } else if (what < 0.75) {
      const value = btoa(String(integer(this.#random, 0, 1000)))
      await this.#client.apply(
        secrets,
        { metadata: { namespace, name: secret }, data: { value } },
        { fieldManager: 'test' },
      )
    } else if (what < 0.85) await this.#delete(() => this.#client.delete(secrets, { namespace, name: secret }))
    else if (what < 0.95) await this.#delete(() => this.#client.delete(wishes, { namespace, name: wish }))
    else await this.#delete(() => this.#client.delete(outputs, { namespace, name: outputOf(wish) }))
  }

  async #delete(what: () => Promise<unknown>): Promise<void> {
    try {
      await what()
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  async #check(): Promise<void> {
    const here = { namespaces: [this.#namespace] }
    const [asked, made, kept, known] = await Promise.all([
      this.#client.list(wishes.within(here)),
      this.#client.list(outputs.within(here)),
      this.#client.list(traces.within(here)),
      this.#client.list(secrets.within(here)),
    ])
    const said = new Map(known.items.map(({ metadata, data }) => [metadata?.name, atob(data?.value ?? '')]))
    const nameOf = ({ metadata }: ConfigMap): string => metadata?.name ?? ''
    expect(asked.items.filter(({ metadata }) => metadata?.deletionTimestamp !== undefined)).toEqual([])
    expect(Object.fromEntries(made.items.map(one => [nameOf(one), one.data?.said]))).toEqual(
      Object.fromEntries(
        asked.items.map(one => [outputOf(nameOf(one)), said.get(one.data?.secret ?? '') ?? 'nothing']),
      ),
    )
    expect(kept.items.map(nameOf).sort()).toEqual(asked.items.map(one => traceOf(nameOf(one))).sort())
  }
}

function killing(server: () => ApiServer): void {
  for (const seed of seeds) {
    it(`X10: killed ${kills} times, an operator comes to the same end (seed ${seed})`, async () => {
      const { url, ca, token } = server()
      const options: ProgramOptions = { url, ca, token }
      const client = new Client(options)
      try {
        const world = new World(client, options, seed)
        await world.begin()
        await world.change(20)
        for (let kill = 0; kill < kills; kill++) await world.killSoon(world.start())
        await world.settled(world.start())
      } finally {
        await client.close()
      }
    })
  }
}

describe('an operator on the embedded API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ isolate: true })
  })
  afterAll(() => server.close())
  killing(() => server)
})

describe.runIf(available)('an operator on a real API server', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ kind: 'real' })
  })
  afterAll(() => server?.close())
  killing(() => server)
})
