import type { View } from '@wherry/client'
import { isInvalidOption, systemEnvironment } from '@wherry/client/internal'
import { configMaps, pods } from '@wherry/client/resources/core'
import { type SharedInformer, Store } from '@wherry/informer'
import { StoreReader } from '@wherry/informer/internal'
import { describe, expect, it } from 'vitest'
import { viewStats } from '../cache/view-stats.ts'
import { keyOnly } from '../projections/key-only.ts'
import { pick } from '../projections/pick.ts'
import { heapOf, letters } from '../testkit/heap.ts'
import { memoryReport } from './memory-report.ts'

const managedFields = (fields: object): object[] => [
  {
    manager: 'kube-controller-manager',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } }, ...fields },
  },
]

const metadataOf = (n: number, fields: object): object => ({
  name: `object-${letters(10)}-${n}`,
  namespace: `a-namespace-${n % 50}`,
  uid: letters(36),
  resourceVersion: `${1_000_000 + n}`,
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: `application-${n % 100}`, 'pod-template-hash': letters(10) },
  managedFields: managedFields(fields),
})

const configMap = (n: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadataOf(n, { 'f:data': { '.': {}, 'f:settings.json': {}, 'f:mode': {} } }),
  // from 200 to 2,200 bytes
  data: { 'settings.json': letters(200 + (n % 21) * 100), mode: `mode-${n % 3}` },
})

const container = (n: number): object => ({
  name: `container-${n % 4}`,
  image: `images.example.com/team/${letters(12)}:v1.${n % 9}`,
  env: Array.from({ length: n % 5 }, (_, index) => ({ name: `VARIABLE_${index}`, value: letters(24) })),
  resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
  ports: [{ containerPort: 8080, protocol: 'TCP' }],
})

const pod = (n: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadataOf(n, { 'f:spec': { 'f:containers': { 'k:{"name":"container-1"}': { '.': {}, 'f:image': {} } } } }),
  spec: {
    nodeName: `node-${n % 20}.example.internal`,
    serviceAccountName: 'default',
    containers: [container(n), container(n + 1)],
    terminationGracePeriodSeconds: 30,
  },
  status: {
    phase: n % 10 === 0 ? 'Pending' : 'Running',
    podIP: `10.0.${n % 250}.${n % 200}`,
    conditions: ['Initialized', 'Ready', 'PodScheduled'].map(type => ({
      type,
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  },
})

class Read extends StoreReader<unknown> {
  readonly #store: Store<unknown>

  constructor(store: Store<unknown>) {
    super()
    this.#store = store
  }

  get view(): View {
    return this.#store.view
  }

  protected override live(): Store<unknown> {
    return this.#store
  }
}

/** A store that was filled as a list fills it: each object decoded from its text. */
function filled(view: View, texts: readonly string[]): Store<unknown> {
  const store: Store<unknown> = new Store<unknown>({
    view,
    environment: systemEnvironment(),
    freeze: false,
  })
  const snapshot = store.writer().replace()
  for (const text of texts) snapshot.put(JSON.parse(text) as object, text.length)
  snapshot.commit('1')
  return store
}

const reader = (store: Store<unknown>): SharedInformer<unknown> => new Read(store) as unknown as SharedInformer<unknown>

const count = 2000

describe('a memory report', () => {
  it.each<[string, View, (n: number) => object]>([
    ['ConfigMaps', configMaps, configMap],
    ['ConfigMaps with managedFields', configMaps.full(), configMap],
    ['the metadata of ConfigMaps', configMaps.metadata(), configMap],
    ['keys', configMaps.project(keyOnly), configMap],
    ['pods', pods, pod],
    ['three fields of pods', pods.project(pick('status.phase', 'spec.nodeName', 'metadata.labels')), pod],
  ])('T4: of a store of %s is within 25 % of what the heap says, and so is its estimate', async (_, view, make) => {
    const texts = Array.from({ length: count }, (_, n) => JSON.stringify(make(n)))
    filled(view, texts.slice(0, 10))
    const measured = heapOf(() => filled(view, texts))
    const store = filled(view, texts)
    const report = await memoryReport(reader(store))
    expect(report.keptBytes / measured).toBeGreaterThan(0.75)
    expect(report.keptBytes / measured).toBeLessThan(1.25)
    const { keptBytes, objects, receivedBytes } = viewStats(store)
    expect(keptBytes / measured).toBeGreaterThan(0.75)
    expect(keptBytes / measured).toBeLessThan(1.25)
    expect([objects, receivedBytes]).toEqual([count, texts.reduce((sum, { length }) => sum + length, 0)])
  })

  it('T4, R30: an estimate takes what could not be transformed for nothing', async () => {
    const some = configMaps.project('some', ({ metadata, data }) => {
      if (!metadata?.name?.endsWith('00')) throw new Error('not this one')
      return { data }
    })
    const store = filled(
      some,
      Array.from({ length: count }, (_, n) => JSON.stringify(configMap(n))),
    )
    expect(store.stats().failed).toBe(count - 19)
    const { keptBytes } = await memoryReport(reader(store))
    expect(Math.abs(viewStats(store).keptBytes / keptBytes - 1)).toBeLessThan(0.1)
  })

  it('T4: names the largest objects, the largest first, and how much of what came is managedFields', async () => {
    const texts = Array.from({ length: 200 }, (_, n) => JSON.stringify(configMap(n)))
    const store = filled(configMaps, texts)
    const [view] = (await memoryReport(reader(store))).views
    expect(view?.largest).toHaveLength(10)
    const sizes = view?.largest.map(({ keptBytes }) => keptBytes) ?? []
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    // of nine there is the most data
    const largest = view?.largest.slice(0, 9).map(({ key }) => Number(key.split('-').at(-1)) % 21)
    expect(new Set(largest)).toEqual(new Set([20]))
    const managed = texts.map(text => JSON.stringify((JSON.parse(text) as Managed).metadata.managedFields).length)
    const share = managed.reduce((a, b) => a + b, 0) / texts.reduce((sum, { length }) => sum + length, 0)
    expect(view?.managedFieldsShare).toBeGreaterThan(share * 0.9)
    expect(view?.managedFieldsShare).toBeLessThan(share * 1.1)
    expect(view?.managedFieldsBytes).toBe(0)
  })

  it('T4: is a text for people', async () => {
    const transform = (object: object): unknown => {
      if ((object as Managed).metadata.name.endsWith('-2')) throw new Error('bad')
      return { metadata: (object as Managed).metadata, text: 'x'.repeat(1_200_000) }
    }
    const some = pods.project('some', transform as never)
    const text = (n: number): string => JSON.stringify({ ...pod(n), metadata: { name: `a-${n}`, namespace: 'ns' } })
    const stores = [
      filled(some, [text(1), text(2)]),
      filled(configMaps.full(), [JSON.stringify(configMap(1))]),
      filled(pods, []),
    ]
    const report = await memoryReport(stores.map(reader), { largest: 1 })
    const lines = `${report}`.split('\n')
    expect(lines).toEqual([
      expect.stringMatching(
        /^\/v1\/pods\S*: 2 objects, 1 of them not transformed, 1\.2 MB kept of [\d.]+ kB received \(\d+\.\d\d x\)$/,
      ),
      '     1.2 MB  ns/a-1',
      expect.stringMatching(
        /^\/v1\/configmaps\S*: 1 object, [\d.]+ kB kept of [\d.]+ (kB|B) received \(\d+\.\d\d x\), \d+ % of what is kept are managedFields, which full\(\) keeps$/,
      ),
      expect.stringMatching(/^ +[\d.]+ kB {2}a-namespace-1\/object-\w+-1$/),
      '/v1/pods: 0 objects, 0 B kept of 0 B received (0.00 x)',
      expect.stringMatching(/^all: 1\.2 MB kept of [\d.]+ kB received$/),
    ])
    const one = `${await memoryReport(reader(filled(configMaps, [JSON.stringify(configMap(1))])), { largest: 0 })}`
    expect(one).toMatch(
      /, 0 % of what is received managedFields, left out$|, \d+ % of what is received managedFields, left out$/,
    )
    expect(one.split('\n')).toHaveLength(1)
  })

  it('T4: gives the event loop back while it looks', async () => {
    const store = filled(
      configMaps,
      Array.from({ length: 640 }, (_, n) => JSON.stringify(configMap(n))),
    )
    let [now, turns] = [0, 0]
    const clock = {
      monotonic: () => {
        now += 1
        return now
      },
      turn: () => {
        turns += 1
        return Promise.resolve()
      },
    }
    const report = await memoryReport(reader(store), { clock })
    expect(report.views[0]?.objects).toBe(640)
    expect(turns).toBeGreaterThan(0)
  })

  it('X6: refuses what it can not report on', async () => {
    await expect(memoryReport(1 as never)).rejects.toSatisfy(isInvalidOption)
    await expect(memoryReport([], { largest: -1 })).rejects.toSatisfy(isInvalidOption)
    await expect(memoryReport([], { clock: {} as never })).rejects.toSatisfy(isInvalidOption)
    expect(`${await memoryReport([])}`).toBe('all: 0 B kept of 0 B received')
  })
})

interface Managed {
  readonly metadata: { readonly name: string; readonly managedFields?: unknown }
}
