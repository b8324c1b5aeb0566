import { Client, defineResource, type Environment, type KubernetesObject, type View } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { DynamicCache } from '@wherry/dynamic-cache'
import { Informer, type SharedInformer } from '@wherry/informer'
import { NarrowCache } from '@wherry/narrow-cache'
import { WatchManager } from '@wherry/watch-manager'
import { Authority } from './certificates.ts'
import { accessKinds, HostileCredentials } from './credentials.ts'
import { Draw } from './draw.ts'
import { Evidence } from './evidence.ts'
import { apiFaults, HostileApi } from './hostile-api.ts'
import { connectionFaults, HostileServer } from './hostile-server.ts'
import { IdleClock } from './idle-clock.ts'
import { openResources, takeStrays } from './strays.ts'
import { type Kind, kinds, Truth } from './truth.ts'
import { http1Faults, http2Faults } from './wire.ts'

const games = defineResource<KubernetesObject>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})
const minute = 60_000
/**
 * How long the view may take to be right again once the server behaves: a key's longest backoff and a watch's longest life are within it. One
 * that the server never answered, of a narrow cache, is ended after an hour and 30 s.
 */
const patience = 65 * minute
/** More requests than this in one moment of simulated time are a loop. */
const mostAtOnce = 3000

let authorities: { readonly authority: Authority; readonly stranger: Authority } | undefined

/** Something held by the client, to be compared with what the server has. */
interface Held {
  readonly what: string
  readonly plural: string
  /** Whether an object of the server belongs into it. */
  readonly belongs: (key: string) => boolean
  /** resourceVersions by key. */
  readonly contents: () => ReadonlyMap<string, string | undefined>
}

/** A run that broke a promise, with all that was drawn in it. */
export class HostileFailure extends Error {
  override readonly name = 'HostileFailure'
}

/** One life of a client with a hostile server. Rejects with a {@link HostileFailure}. */
export async function runSeed(seed: number): Promise<void> {
  const drawn: string[] = []
  const problems = new Set<string>()
  const problem = (text: string): void => void (problems.size < 20 && problems.add(text))
  const release = takeStrays((what, error) => problem(`${what}: ${error instanceof Error ? error.stack : error}`))
  const before = openResources()
  try {
    await live(seed, line => void (drawn.length < 400 && drawn.push(line)), problem)
    for (let turns = 0; turns < 2000 && leftOver(before).length > 0; turns++) {
      await new Promise<void>(resolve => setImmediate(resolve))
    }
    for (const left of leftOver(before)) problem(`left open: ${left}`)
    if (({} as { polluted?: unknown }).polluted !== undefined) problem('a prototype was changed')
  } catch (error) {
    problem(`the run itself failed: ${error instanceof Error ? error.stack : error}`)
  } finally {
    release()
  }
  if (problems.size === 0) return
  const shown = drawn.slice(0, Number(process.env.WHERRY_HOSTILE_DRAWN ?? 60))
  throw new HostileFailure(`${[...problems].map(text => `* ${text}`).join('\n')}\ndrawn:\n  ${shown.join('\n  ')}`)
}

function leftOver(before: ReadonlyMap<string, number>): string[] {
  return [...openResources()]
    .filter(([name, count]) => count > (before.get(name) ?? 0))
    .map(([name, count]) => `${name} (${count - (before.get(name) ?? 0)})`)
}

async function live(seed: number, note: (line: string) => void, problem: (text: string) => void): Promise<void> {
  const draw = new Draw(seed)
  const clock = new IdleClock()
  const evidence = new Evidence()
  const truth = new Truth()
  authorities ??= { authority: new Authority('hostile-ca'), stranger: new Authority('stranger-ca') }
  const { authority, stranger } = authorities
  const secretData = Buffer.from(`planted-secret-${seed}-${'x'.repeat(20)}`).toString('base64')
  evidence.plant('data of a Secret', `planted-secret-${seed}-xxxxx`)

  // What this life is about: few misbehaviours at a time, so that each comes to its consequences.
  const protocol = draw.pick(['http1', 'https1', 'http2', 'http2'] as const)
  const kind = draw.chance(0.4)
    ? 'token'
    : draw.pick(accessKinds.filter(one => one !== 'certificate' || protocol !== 'http1'))
  const some = <T>(all: readonly T[], most: number): T[] => draw.shuffle(all).slice(0, draw.integer(1, most))
  const faults = draw.chance(0.85) ? some(apiFaults, 5) : []
  const wireFaults = draw.chance(0.5) ? some(protocol === 'http2' ? http2Faults : http1Faults, 3) : []
  const badConnections = draw.chance(0.4)
    ? some(protocol === 'http1' ? connectionFaults.slice(0, 5) : connectionFaults, 3)
    : []
  const rate = draw.pick([0.1, 0.4, 0.8, 1])
  note(`${protocol}, ${kind}; faults ${faults}; wire ${wireFaults}; connections ${badConnections}; rate ${rate}`)

  const api = new HostileApi({ clock, truth, draw: draw.fork(), rate, faults, markers: { secretData }, note })
  const server = new HostileServer({
    protocol,
    clock,
    authority,
    stranger,
    asksCertificate: kind === 'certificate',
    draw: draw.fork(),
    connectionRate: badConnections.length > 0 ? draw.pick([0.2, 0.6]) : 0,
    wireRate: wireFaults.length > 0 ? draw.pick([0.1, 0.5]) : 0,
    connectionFaults: badConnections,
    wireFaults,
    note,
    answer: (asked, out, fault) => {
      if (asked.headers.authorization?.includes('foreign-token'))
        problem("another cluster's token was sent to this server")
      countRequest()
      api.answer(asked, out, fault)
    },
  })
  let moment = -1
  let inMoment = 0
  const countRequest = (): void => {
    if (clock.monotonic() !== moment) inMoment = 0
    moment = clock.monotonic()
    if (++inMoment === mostAtOnce) {
      problem(`${mostAtOnce} requests in one moment: a loop without a wait`)
      server.behaves = true
      api.behaves = true
    }
  }
  fill(truth, draw, secretData)
  const url = await server.listen()
  const plant = (what: string, text: string): void => evidence.plant(what, text)
  const credentials = await HostileCredentials.make({ kind, url, authority, stranger, clock, seed, plant })
  const tokensFor = (): ReadonlySet<string> | undefined =>
    kind === 'certificate' ? undefined : new Set([credentials.token])
  api.tokens = tokensFor()

  const client = new Client({
    ...(await credentials.target()),
    environment: environmentOf(clock, draw.fork(), evidence),
  })
  const life = new Life({ client, clock, draw, truth, evidence, problem })
  let isOver = false
  const script = async (): Promise<void> => {
    const calls = life.begin()
    const events = draw.integer(3, 12)
    for (let i = 0; i < events; i++) {
      await clock.wait(draw.pick([10, 1000, 20_000, 2 * minute]))
      change(truth, draw, secretData)
      if (draw.chance(0.2)) truth.compactedAt = truth.version
      if (draw.chance(0.2)) {
        note(`credentials: ${await credentials.disturb(draw)}`)
        api.tokens = tokensFor()
        if (draw.chance(0.5)) server.restart()
      }
      if (draw.chance(0.1)) server.renew()
      if (draw.chance(0.1)) server.restart()
      if (draw.chance(0.5)) calls.push(life.call())
    }
    note(`the server behaves from here, at ${Math.round(clock.monotonic() / 1000)} s`)
    await credentials.behave()
    api.tokens = tokensFor()
    api.behaves = true
    server.behaves = true
    if (draw.chance(0.5)) server.restart()
    if (draw.chance(0.7)) change(truth, draw, secretData)
    const left = new Set(calls)
    for (const call of calls) void call.ended.finally(() => left.delete(call))
    const until = clock.monotonic() + patience
    while (clock.monotonic() < until && (left.size > 0 || life.differences().length > 0)) await clock.wait(5000)
    for (const { what } of left) problem(`a call has not ended: ${what}`)
    for (const difference of life.differences()) problem(`not as the server has it: ${difference}`)
    change(truth, draw, secretData)
    await clock.wait(minute)
    life.look()
    await life.close()
    await client.close()
  }
  let failure: unknown
  void script()
    .catch(error => {
      failure = error
    })
    .finally(() => {
      isOver = true
    })
  try {
    const ended = await clock.until(() => isOver, 100 * 24 * 60 * minute)
    if (!ended) problem('nothing moves any more: close() or a wait never ends')
    if (failure !== undefined) problem(`the life failed: ${failure instanceof Error ? failure.stack : failure}`)
  } finally {
    await server.close()
    await credentials.remove()
  }
  // The server's own timers go with its connections, which end some turns later.
  for (let turns = 0; turns < 500 && clock.pending().length > 0; turns++) await clock.turn()
  for (const timer of clock.pending()) problem(`a timer is left after all was closed: ${timer}`)
  for (const found of evidence.found) problem(`it shows ${found}`)
}

function kindOf(plural: string): Kind {
  return kinds.find(one => one.plural === plural) as Kind
}

const names = ['o0', 'o1', 'o2', 'o3']
const changing = ['configmaps', 'secrets', 'games'] as const

function made(
  plural: string,
  namespace: string,
  name: string,
  draw: Draw,
  secretData: string,
): { metadata: Record<string, unknown> } {
  const metadata = { name, namespace, labels: { app: name < 'o2' ? 'x' : 'y' } }
  const value = `${draw.integer(0, 1e6)}`
  if (plural === 'secrets')
    return { metadata, type: 'Opaque', data: { value: secretData, n: Buffer.from(value).toString('base64') } } as never
  return { metadata, ...(plural === 'games' ? { spec: { value } } : { data: { value } }) } as never
}

function fill(truth: Truth, draw: Draw, secretData: string): void {
  truth.put(kindOf('customresourcedefinitions'), {
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      group: 'arcade.example.com',
      scope: 'Namespaced',
      names: { plural: 'games', kind: 'Game' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
    status: { conditions: [{ type: 'Established', status: 'True' }] },
  })
  for (const plural of changing) {
    for (const namespace of ['a', 'b']) {
      for (const name of names)
        if (draw.chance(0.7)) truth.put(kindOf(plural), made(plural, namespace, name, draw, secretData))
    }
  }
}

/** Something happens in the cluster. */
function change(truth: Truth, draw: Draw, secretData: string): void {
  for (let i = draw.integer(1, 3); i > 0; i--) {
    const plural = draw.pick(changing)
    const namespace = draw.pick(['a', 'b'])
    const name = draw.pick(names)
    if (draw.chance(0.3)) truth.delete(plural, `${namespace}/${name}`)
    else truth.put(kindOf(plural), made(plural, namespace, name, draw, secretData))
  }
}

function environmentOf(clock: IdleClock, draw: Draw, evidence: Evidence): Partial<Environment> {
  const measured = new Set<string>()
  const metric = (name: string, labels?: object): void => {
    const text = `${name} ${JSON.stringify(labels)}`
    if (measured.has(text)) return
    measured.add(text)
    evidence.look('a metric', text)
  }
  return {
    clock,
    random: () => draw.next(),
    onError: (error, context) => evidence.look('what onError receives', error, context),
    onWarning: (message, context) => evidence.look('what onWarning receives', message, context),
    metrics: {
      count: metric,
      gauge: (name, _, labels) => metric(name, labels),
      observe: (name, _, labels) => metric(name, labels),
    },
    log: (_, message, fields) => evidence.look('a log line', message, fields),
  }
}

interface LifeParts {
  readonly client: Client
  readonly clock: IdleClock
  readonly draw: Draw
  readonly truth: Truth
  readonly evidence: Evidence
  readonly problem: (text: string) => void
}

interface Call {
  readonly what: string
  readonly ended: Promise<void>
}

type Versioned = {
  readonly metadata?:
    | {
        readonly name?: string | undefined
        readonly namespace?: string | undefined
        readonly resourceVersion?: string | undefined
      }
    | undefined
}

/** A program that uses all of Wherry's parts. */
class Life {
  readonly #parts: LifeParts
  readonly #cache: DynamicCache
  readonly #narrow: NarrowCache
  readonly #manager: WatchManager
  readonly #operator: Operator
  readonly #informers: Informer<object>[] = []
  readonly #held: Held[] = []
  readonly #stop = new AbortController()
  readonly #reconciled = new Map<string, string>()
  #running: Promise<void> | undefined

  constructor(parts: LifeParts) {
    this.#parts = parts
    const { client, draw } = parts
    this.#narrow = new NarrowCache({ client, escalateAt: draw.pick([200, 200, 2]) })
    this.#cache = new DynamicCache({ client, narrow: this.#narrow, whenUnknown: 'wait' })
    this.#manager = new WatchManager({ cache: this.#cache, environment: client.environment })
    this.#operator = new Operator({ name: 'hostile', client, cache: { whenUnknown: 'wait' } })
  }

  begin(): Call[] {
    const { draw, client } = this.#parts
    const initial = draw.pick(['stream', 'stream', 'whole', 'paged'] as const)
    const pageSize = draw.pick([1, 3, 500])
    this.#informer(
      'informer of ConfigMaps',
      new Informer({ client, view: configMaps, initial, pageSize }),
      key => key !== '',
    )
    const metadata = secrets.metadata().within({ namespaces: ['a'] })
    this.#informer("informer of Secrets' metadata", new Informer({ client, view: metadata, initial, pageSize }), key =>
      key.startsWith('a/'),
    )
    const x = configMaps.within({ labels: { app: 'x' } })
    const isX = (key: string): boolean => /\/o[01]$/.test(key)
    this.#follow('dynamic cache, Games', this.#cache.informer(games), 'games', () => true)
    this.#follow('dynamic cache, ConfigMaps with a label', this.#cache.informer(x), 'configmaps', isX)
    if (draw.chance(0.3)) {
      const parsed = secrets.within({ namespaces: ['b'] }).project('parsed', object => {
        throw new Error(`this is no number: ${Buffer.from(object.data?.value ?? '', 'base64')}`)
      })
      this.#cache.informer(parsed)
    }
    this.#register()
    const calls = this.#single()
    this.#operate()
    for (let i = draw.integer(1, 6); i > 0; i--) calls.push(this.call())
    return calls
  }

  /** One call of a verb, as users make them. */
  call(): Call {
    const { client, draw, evidence } = this.#parts
    const key = { namespace: draw.pick(['a', 'b']), name: draw.pick(names) }
    const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
      get: () => client.get(configMaps, key),
      'get of a Secret': () => client.get(secrets, key),
      'list of Secrets': () => client.list(secrets.within({ namespaces: [key.namespace] })),
      list: () => client.list(configMaps),
      'list in pages': async () => {
        for await (const page of client.pages(configMaps, { limit: 2 })) void page
      },
      'create of a Secret': () =>
        client.create(secrets, { metadata: { ...key, name: `${key.name}-made` }, stringData: { value: 'created' } }),
      patch: () => client.patch(configMaps, key, { data: { patched: '1' } }),
      'delete of a Game': () => client.delete(games, key),
      discover: () => client.discover({ group: 'arcade.example.com', kind: 'Game' }),
    }
    const what = draw.pick(Object.keys(verbs))
    const ended = (async () => {
      try {
        await verbs[what]?.()
      } catch (error) {
        evidence.look(`the error of ${what}`, error)
      }
    })()
    return { what, ended }
  }

  /** In what the client's view is not what the server has. */
  differences(): string[] {
    const { truth } = this.#parts
    return this.#held.flatMap(({ what, plural, belongs, contents }) => {
      const there = new Map(
        [...truth.of(plural)]
          .filter(([key]) => belongs(key))
          .map(([key, object]) => [key, object.metadata.resourceVersion]),
      )
      const held = contents()
      const keys = [...new Set([...there.keys(), ...held.keys()])]
      return keys
        .filter(key => there.get(key) !== held.get(key))
        .map(key => `${what}: ${key} is ${held.get(key)}, not ${there.get(key)}`)
    })
  }

  /** At all that says something of itself. */
  look(): void {
    const { evidence, client } = this.#parts
    evidence.look('the report of the dynamic cache', this.#cache.report(), `${this.#cache.report()}`)
    evidence.look('the report of the narrow cache', this.#narrow.report(), `${this.#narrow.report()}`)
    evidence.look('the report of the operator', this.#operator.report(), `${this.#operator.report()}`)
    for (const key of this.#reconciled.keys()) {
      const explained = this.#operator.explain('watcher', key)
      evidence.look('an explanation', explained, `${explained}`)
    }
    for (const informer of [...this.#informers, ...this.#cache.informers]) {
      evidence.look('the state of an informer', informer.state, informer.lastError)
    }
    evidence.look('a client, inspected', client)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#manager.close()
    for (const informer of this.#informers) await informer.close()
    await this.#cache.close()
    await this.#narrow.close()
  }

  #informer<C extends object>(what: string, informer: Informer<C>, belongs: (key: string) => boolean): void {
    this.#informers.push(informer as unknown as Informer<object>)
    this.#follow(what, informer, informer.view.resource.plural, belongs)
    informer.on('error', error => this.#parts.evidence.look(`the error of ${what}`, error))
    informer.start()
  }

  /** What it holds, and what it delivers, are compared with what the server has. */
  #follow<C>(what: string, informer: SharedInformer<C>, plural: string, belongs: (key: string) => boolean): void {
    const { evidence } = this.#parts
    const reported = new Map<string, string | undefined>()
    const key = (object: C): string =>
      `${(object as Versioned).metadata?.namespace}/${(object as Versioned).metadata?.name}`
    const notify = (object: C): void => {
      this.#mustBeKnown(what, plural, key(object))
      reported.set(key(object), (object as Versioned).metadata?.resourceVersion)
    }
    informer.addHandler({
      add: object => notify(object),
      update: object => notify(object),
      delete: object => {
        this.#mustBeDeleted(what, plural, key(object))
        reported.delete(key(object))
      },
    })
    this.#held.push({ what: `${what}, what it delivered`, plural, belongs, contents: () => reported })
    const held = (): Map<string, string | undefined> =>
      new Map([...informer.keys()].map(one => [one, informer.version(one)?.resourceVersion]))
    this.#held.push({ what, plural, belongs, contents: held })
    informer.whenSynced().catch(error => evidence.look(`whenSynced of ${what}`, error))
  }

  #register(): void {
    const reported = new Map<string, string | undefined>()
    const what = 'registrar'
    const during = new Set<string>()
    let isReset = false
    this.#manager.start()
    const registrar = this.#manager.registrar<KubernetesObject>('hostile', event => {
      if (event.type === 'reset') {
        isReset = true
        during.clear()
      } else if (event.type === 'changed') {
        this.#mustBeKnown(what, 'configmaps', event.key)
        during.add(event.key)
        reported.set(event.key, event.object.metadata?.resourceVersion)
      } else if (event.type === 'deleted') {
        this.#mustBeDeleted(what, 'configmaps', event.key)
        reported.delete(event.key)
      } else if (isReset) {
        isReset = false
        for (const key of reported.keys()) {
          if (during.has(key)) continue
          this.#mustBeDeleted(what, 'configmaps', key)
          reported.delete(key)
        }
      }
    })
    void registrar
      .add(configMaps.within({ namespaces: ['b'] }) as View<KubernetesObject>)
      .catch(error => this.#parts.evidence.look('add of a registrar', error))
    this.#held.push({ what, plural: 'configmaps', belongs: key => key.startsWith('b/'), contents: () => reported })
  }

  /** Single objects, by the narrow cache. */
  #single(): Call[] {
    const { evidence, clock } = this.#parts
    const keys = names.map(name => ({ namespace: 'a', name }))
    const state = new Map<string, string>()
    const calls = keys.map(key => {
      const text = `a/${key.name}`
      // An entry that could not be watched is asked for again, as a program would that needs it.
      const subscribe = async (): Promise<void> => {
        while (!this.#stop.signal.aborted) {
          try {
            await this.#narrow.watch(secrets, key, {
              absent: () => state.set(text, 'absent'),
              add: object => state.set(text, `${object.metadata?.resourceVersion}`),
              update: object => state.set(text, `${object.metadata?.resourceVersion}`),
              delete: () => {
                this.#mustBeDeleted('narrow cache', 'secrets', text)
                state.set(text, 'absent')
              },
            })
            return
          } catch (error) {
            evidence.look('the error of a narrow watch', error)
            await clock.wait(30_000)
          }
        }
      }
      return { what: `narrow watch of ${text}`, ended: subscribe() }
    })
    const present = (): ReadonlyMap<string, string> =>
      new Map(
        [...names.map(name => [`a/${name}`, state.get(`a/${name}`) ?? 'unknown'] as const)].filter(
          ([, version]) => version !== 'absent',
        ),
      )
    const ours = (key: string): boolean => names.some(name => key === `a/${name}`)
    this.#held.push({ what: 'narrow cache, what it delivered', plural: 'secrets', belongs: ours, contents: present })
    const peeked = (): ReadonlyMap<string, string | undefined> =>
      new Map(
        keys.flatMap(key => {
          const known = this.#narrow.peek(secrets, key)
          const version = known === undefined ? 'unknown' : known.object?.metadata?.resourceVersion
          return version === undefined ? [] : [[`a/${key.name}`, version] as const]
        }),
      )
    this.#held.push({ what: 'narrow cache', plural: 'secrets', belongs: ours, contents: peeked })
    return calls
  }

  #operate(): void {
    const { evidence, problem, truth } = this.#parts
    const readSecrets = new Map<string, string>()
    this.#operator
      .controller('watcher', { syncTimeoutMs: 7 * 24 * 60 * minute })
      .for(configMaps.within({ namespaces: ['a'] }))
      .reconcile(async ({ key, object, read }) => {
        const secret = await read.get(secrets, { name: key.name })
        this.#reconciled.set(`a/${key.name}`, `${object.metadata?.resourceVersion}`)
        readSecrets.set(`a/${key.name}`, secret?.metadata?.resourceVersion ?? 'absent')
      })
      .onGone(({ key }) => {
        this.#mustBeDeleted('onGone', 'configmaps', `a/${key.name}`)
        this.#reconciled.delete(`a/${key.name}`)
        readSecrets.delete(`a/${key.name}`)
      })
    this.#running = this.#operator.run({ signal: this.#stop.signal, signals: false }).catch(error => {
      evidence.look('what run() rejects with', error)
      if (!this.#stop.signal.aborted) problem(`the operator ended: ${error}`)
    })
    this.#held.push({
      what: 'reconciles',
      plural: 'configmaps',
      belongs: key => key.startsWith('a/'),
      contents: () => this.#reconciled,
    })
    const present = (): ReadonlyMap<string, string> =>
      new Map([...readSecrets].filter(([, version]) => version !== 'absent'))
    const isRead = (key: string): boolean => key.startsWith('a/') && truth.of('configmaps').has(key)
    this.#held.push({ what: 'tracked reads', plural: 'secrets', belongs: isRead, contents: present })
  }

  #mustBeKnown(what: string, plural: string, key: string): void {
    const { truth, problem } = this.#parts
    if (!truth.of(plural).has(key) && !truth.wasDeleted(plural, key))
      problem(`${what} delivers ${key}, which never was`)
  }

  #mustBeDeleted(what: string, plural: string, key: string): void {
    const { truth, problem } = this.#parts
    if (!truth.wasDeleted(plural, key)) problem(`${what} delivers a delete of ${key}, which was not deleted`)
  }
}
