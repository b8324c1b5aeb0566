import { defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { type SimulatedCluster, simulatedCluster } from '@wherry/informer/testkit/served'
import { peace, troubles } from '@wherry/informer/testkit/troubles'
import { chance, choose, forEachSeed, integer, type Random } from '@wherry/testing'
import { expect, it } from 'vitest'
import { copySetLabel } from './marks.ts'
import type { CopiesOptions } from './options.ts'
import { type Running, runCopies, settings } from './testkit/cluster.ts'
import { hooked, hooks } from './testkit/hooks.ts'

it('H4–H9, X10: whatever happens on the way, the copies come to what their sources want, and then nothing is written', async () => {
  // a changed copy (npm run mutants) has seconds for all tests
  const seeds = 25
  await forEachSeed(seed => new Model(seed).run(), { seeds })
}, 900_000)

const sources = ['s0', 's1', 's2']
const targets = ['t0', 't1', 't2', 't3', 't4']
const verbs = ['create', 'update', 'patch', 'delete', 'get']

/** A resource with the data of a ConfigMap, and a status. */
interface Thing extends ConfigMap {
  status?: { n?: string; by?: string; mine?: string }
}
type Things = Resource<Thing, 'namespaced'>
const group = 'arcade.example.com'
const things: Things = defineResource<Thing>({
  group,
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
})
const text = { type: 'string' }
const texts = { type: 'object', additionalProperties: text }
const definition = {
  metadata: { name: `things.${group}` },
  spec: {
    ...{
      group,
      scope: 'Namespaced',
      names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: 'object', properties: { data: texts, status: texts } } },
      },
    ],
  },
}

/** The status of copies: none for every fifth state. */
const statusOf = (n: string | undefined): Thing['status'] =>
  Number(n) % 5 === 0 ? undefined : { n: `${n}`, by: 'copies' }

/** One random run: an operator in trouble, people and programs that write, and the server's state as the oracle. */
class Model {
  readonly #seed: number
  #cluster!: SimulatedCluster
  #random!: Random
  #running!: Running<Thing, Thing>
  /** The copied objects: with a status, or without. */
  readonly #things: Things
  readonly #hasStatus: boolean
  #isEnabled = true
  #changes = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#hasStatus = seed % 3 !== 0
    this.#things = this.#hasStatus ? things : configMaps
  }

  async run(): Promise<void> {
    const hook = this.#seed % 2 === 0 ? (namespace: string) => namespace : () => 'x'
    this.#cluster = await simulatedCluster(this.#seed, { webhooks: hooks(hook) })
    const { simulation, writer } = this.#cluster
    this.#random = simulation.random.fork('test')
    try {
      await simulation.run(() => writer.create(customResourceDefinitions, definition as never))
      await simulation.advance(1000)
      await simulation.run(async () => {
        await writer.create(namespaces, { metadata: { name: 'shared' } })
        const { plural, group, version } = this.#things.resource
        const of = { apiGroups: [group], apiVersions: [version] }
        if (this.#seed % 5 < 2)
          await writer.create(mutatingWebhookConfigurations, hooked(plural, { tenant: 'x' }, undefined, of) as never)
        for (const name of targets) await this.#try(() => this.#namespace(name))
        for (const name of sources) await this.#try(() => this.#source(name))
        this.#begin()
      })
      for (let step = 0; step < 60; step++) {
        await simulation.run(() => this.#step())
        if (chance(this.#random, 0.5)) await simulation.advance(integer(this.#random, 0, 3000))
      }
      await this.#end()
    } finally {
      await simulation.run(() => this.#running?.stop())
      await this.#cluster.close()
    }
  }

  #begin(): void {
    const concurrency = choose(this.#random, [1, 3, 20])
    const { name, targets, build } = settings as CopiesOptions<Thing, Thing>
    this.#running = runCopies(this.#cluster.client, {
      ...{ name, targets, build, concurrency, enabled: this.#isEnabled },
      source: this.#things.within({ namespaces: ['shared'] }),
      copies: this.#things,
      status: this.#hasStatus ? ({ data }) => statusOf(data?.n) : undefined,
    })
  }

  async #step(): Promise<void> {
    const { writer, server } = this.#cluster
    const random = this.#random
    const target = choose(random, targets)
    const name = choose(random, sources)
    const copy = { namespace: target, name }
    const n = `${++this.#changes}`
    await this.#try(async () => {
      switch (integer(random, 0, 16)) {
        case 0:
          return this.#source(name)
        case 1:
        case 2:
          return writer.patch(this.#things, { namespace: 'shared', name }, { data: { n } })
        case 3:
          return writer.delete(this.#things, { namespace: 'shared', name })
        case 4:
          return this.#namespace(target)
        case 5: {
          const labels = { tenant: choose(random, ['x', null]) }
          return writer.patch(namespaces, { name: target }, { metadata: { labels } })
        }
        case 6:
          return chance(random, 0.4) ? writer.delete(namespaces, { name: target }) : undefined
        case 7:
          return writer.patch(this.#things, copy, { data: { n } })
        case 8:
          return writer.patch(this.#things, copy, { metadata: { labels: { app: choose(random, ['edited', null]) } } })
        case 9:
          return writer.delete(this.#things, copy)
        case 10:
          if (chance(random, 0.5)) return undefined
          // Somebody makes an object of their own in the place of the copy.
          await writer.delete(this.#things, copy)
          return writer.create(this.#things, { metadata: copy, data: { foreign: 'x' } })
        case 11:
          return server.faults.add({
            match: { verb: choose(random, verbs), resource: this.#hasStatus ? `things.${group}` : 'configmaps' },
            times: integer(random, 1, 4),
            effect: choose(random, [
              { kind: 'status', code: 500 },
              { kind: 'status', code: 409, reason: 'Conflict' },
              { kind: 'status', code: 429, retryAfterSeconds: 1 },
              { kind: 'drop', after: true },
              { kind: 'drop' },
              { kind: 'delay', ms: 2000 },
            ] as const),
          })
        case 12: {
          const trouble =
            troubles[choose(random, ['drop', 'break', 'delay', 'goaway', 'expire', 'end', 'cut', 'refusal'])]
          return trouble?.(this.#cluster, random)
        }
        case 13:
          this.#isEnabled = chance(random, 0.7)
          return this.#isEnabled ? this.#running.copies.enable() : this.#running.copies.disable()
        case 14:
          return (
            this.#hasStatus && writer.status.patch(this.#things, copy, { status: { n: choose(random, [n, null]) } })
          )
        case 15:
          return this.#hasStatus && writer.status.patch(this.#things, copy, { status: { mine: n } })
        default:
          // killed, and started again
          if (!chance(random, 0.3)) return undefined
          await this.#running.stop()
          return this.#begin()
      }
    })
  }

  /** Faults hit the test's own writes too; what counts is what the server has. */
  async #try(change: () => unknown): Promise<void> {
    try {
      await change()
    } catch {
      // It was not to be: the oracle is the server.
    }
  }

  #namespace(name: string): Promise<unknown> {
    return this.#cluster.writer.create(namespaces, { metadata: { name, labels: { tenant: 'x' } } })
  }

  #source(name: string): Promise<unknown> {
    const metadata = { namespace: 'shared', name, labels: { app: 'arcade' } }
    return this.#cluster.writer.create(this.#things, { metadata, data: { n: `${++this.#changes}` } })
  }

  async #end(): Promise<void> {
    const { simulation, writer } = this.#cluster
    await simulation.run(() => peace(this.#cluster))
    // Longer than what any delay, retry or half-open connection takes.
    await simulation.advance(900_000)
    await simulation.run(() => this.#running.settled())
    const all = (await simulation.run(() => writer.list(this.#things))).items
    const spaces = (await simulation.run(() => writer.list(namespaces))).items
    const wanted = spaces
      .filter(({ metadata }) => metadata?.labels?.tenant !== undefined && metadata.deletionTimestamp === undefined)
      .filter(() => this.#isEnabled)
      .flatMap(({ metadata }) =>
        all.filter(isSource).map(source => [`${metadata?.name}/${nameOf(source)}`, source] as const),
      )
    // An object that somebody else made in a copy's place is never made a copy.
    const isForeign = (key: string): boolean => all.some(one => keyOf(one) === key && one.data?.foreign !== undefined)
    const expected = wanted
      .filter(([key]) => !isForeign(key))
      .map(([key, source]) => line(key, source, this.#hasStatus ? statusOf(source.data?.n) : undefined))
    const found = all.filter(isCopy).map(copy => line(keyOf(copy), copy, copy.status))
    expect(found.sort()).toEqual(expected.sort())
    const foreign = wanted.filter(([key]) => isForeign(key)).map(([key]) => key)
    const { failing, delayed, copies } = this.#running.copies.report()
    expect([...failing.keys()].sort()).toEqual(foreign.sort())
    expect({ delayed, copies }).toEqual({ delayed: [], copies: found.length })
    await this.#rests(all)
  }

  /** Nothing is written any more. */
  async #rests(all: readonly KubernetesObject[]): Promise<void> {
    const { simulation, writer } = this.#cluster
    const { writes, statusWrites } = this.#running.copies.report()
    this.#running.copies.resync()
    await simulation.advance(5000)
    expect(this.#running.copies.report()).toMatchObject({ writes, statusWrites })
    const after = (await simulation.run(() => writer.list(this.#things))).items
    expect(after.map(({ metadata }) => metadata?.resourceVersion)).toEqual(
      all.map(({ metadata }) => metadata?.resourceVersion),
    )
  }
}

/** Only copies write `by`. Where they have no status, `n` is somebody else's. */
const line = (key: string, { data, metadata }: Thing, { n, by }: NonNullable<Thing['status']> = {}): string =>
  `${key} ${data?.n} ${metadata?.labels?.app} ${by && n} ${by}`
const nameOf = ({ metadata }: KubernetesObject): string => `${metadata?.name}`
const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace}/${metadata?.name}`
const isCopy = ({ metadata }: KubernetesObject): boolean => metadata?.labels?.[copySetLabel] !== undefined
const isSource = (one: ConfigMap): boolean => one.metadata?.namespace === 'shared' && sources.includes(nameOf(one))
