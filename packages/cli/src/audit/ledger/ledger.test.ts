import { expect, it } from 'vitest'
import { findingsOf } from '../report/findings.ts'
import { reportOf } from '../report/report.ts'
import { type ApiCall, apiCall, type RequestHead } from './api-call.ts'
import { Ledger } from './ledger.ts'

const head = {
  method: 'GET',
  accept: '',
  contentType: '',
  userAgent: '',
  isUpgrade: false,
  isOwn: true,
  impersonation: {},
}
const callOf = (path: string, more: Partial<RequestHead> = {}): ApiCall => apiCall({ ...head, path, ...more })

it.each([
  ['/api/v1/pods', {}, 'list pods'],
  ['/api/v1/pods?watch=true', {}, 'watch pods'],
  ['/api/v1/pods?watch=0', {}, 'list pods'],
  ['/api/v1/watch/namespaces/a/pods', {}, 'watch a pods'],
  ['/api/v1/namespaces', {}, 'list namespaces'],
  ['/api/v1/namespaces/a', {}, 'get namespaces a'],
  ['/api/v1/namespaces/a/status', { method: 'PUT' }, 'update namespaces a status'],
  ['/api/v1/namespaces/a/finalize', { method: 'PUT' }, 'update namespaces a finalize'],
  ['/api/v1/namespaces/a/pods/b/log', {}, 'get a pods b log'],
  ['/api/v1/namespaces/a/pods/b/exec?command=ls', { method: 'POST', isUpgrade: true }, 'connect a pods b exec'],
  ['/api/v1/namespaces/a/pods', { method: 'DELETE' }, 'deletecollection a pods'],
  ['/apis/arcade.example.com/v1/games/a%20b', { method: 'DELETE' }, 'delete games.arcade.example.com a b'],
  ['/apis/arcade.example.com/v1', {}, 'other /apis/arcade.example.com/v1'],
  ['/version', {}, 'other /version'],
  ['/%zz?%zz', {}, 'other /%zz'],
  ['*', { method: 'OPTIONS' }, 'other *'],
] as const)('%s %j is %s', (path, more, wanted) => {
  const { verb, namespace, resource, name, subresource } = callOf(path, more)
  expect([verb, namespace, resource, name, subresource].filter(Boolean).join(' ')).toBe(wanted)
})

it('lists differ by selectors, and by whether they are of metadata only', () => {
  const selector = (query: string, accept = ''): string => callOf(`/api/v1/pods?${query}`, { accept }).selector
  expect(selector('labelSelector=a%3Db&fieldSelector=metadata.name%3Dc')).toBe('a=b; metadata.name=c')
  expect(selector('', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')).toBe('metadata only')
})

const found = (name: string, more: object = {}) => ({
  ...{ name, namespace: 'a', resourceVersion: '1', kind: '', type: '', code: '', bytes: 10, ...more },
})

it.each([
  ['9', '10'],
  ['99', '100'],
  ['9999999999', '10000000000'],
])('a version that is seen late does not hide a later one: %s after %s', (early, late) => {
  const ledger = new Ledger(() => 0, 1)
  const watch = ledger.begin(callOf('/api/v1/pods?watch=1'))
  for (const resourceVersion of [late, early]) watch.found(found('b', { type: 'MODIFIED', resourceVersion }))
  const update = ledger.begin(callOf('/api/v1/namespaces/a/pods/b', { method: 'PUT' }))
  update.found(found('b', { resourceVersion: late }))
  const { byName } = reportOf(ledger, { seconds: 1, rest: undefined, memory: [] })
  expect(byName).toMatchObject([{ resource: 'pods', update: 1, unchanged: 1 }])
})

it('requests at rest are those of the last seconds before a time', () => {
  let now = 0
  const ledger = new Ledger(() => now, 10_000)
  for (now = 0; now <= 100_000; now += 1_000) ledger.begin(callOf('/api/v1/namespaces/a/pods/b'))
  now = 104_500
  ledger.begin(callOf('/healthz'))
  expect(Object.fromEntries(ledger.atRest())).toEqual({ 'get pods': 6, 'get /healthz': 1 })
  now = 200_000
  expect(ledger.atRest().size).toBe(0)
})

it.each([
  ['410', 'an event', 410],
  ['410', 'a status', 410],
  ['refused', 'a status', 403],
  ['closed', 'nothing', 0],
  ['cut', 'nothing', 0],
  ['left', 'nothing', 0],
] as const)('a list after a watch is a relist: %s, by %s %i', (reason, by, code) => {
  const ledger = new Ledger(() => 0, 1)
  const list = (query = ''): void => ledger.begin(callOf(`/api/v1/pods?${query}`)).answered(200)
  list()
  list('continue=token')
  const watch = ledger.begin(callOf('/api/v1/pods?watch=1'))
  watch.answered(by === 'a status' ? code : 200)
  if (by === 'an event') watch.found(found('', { type: 'ERROR', code: `${code}` }))
  watch.ended(reason === 'cut' || reason === 'left' ? reason : 'closed')
  watch.ended('left')
  list()
  expect(ledger.resources.get('pods')?.collections.values().next().value?.relists).toEqual(new Map([[reason, 1]]))
})

it('an event that passes before the answer of a write makes it no write that changed nothing', () => {
  const ledger = new Ledger(() => 0, 1)
  const watch = ledger.begin(callOf('/api/v1/pods?watch=1'))
  watch.found(found('b', { type: 'ADDED' }))
  const patch = (): ReturnType<Ledger['begin']> =>
    ledger.begin(callOf('/api/v1/namespaces/a/pods/b', { method: 'PATCH', userAgent: 'game/1' }))
  const first = patch()
  watch.found(found('b', { type: 'MODIFIED', resourceVersion: '2' }))
  first.found(found('b', { resourceVersion: '2' }))
  expect(ledger.resources.get('pods')?.byName.get('')).toMatchObject({ patch: 1, unchanged: 0 })
  patch().found(found('b', { resourceVersion: '2' }))
  expect(ledger.resources.get('pods')?.byName.get('')).toMatchObject({ patch: 2, unchanged: 1 })
})

it('a watch of a whole kind is a finding if it is of ten objects or more, and of ten one at most is used', () => {
  const watched = (objects: number, used: number, query = ''): unknown[] => {
    const ledger = new Ledger(() => 0, 1)
    const watch = ledger.begin(callOf(`/api/v1/pods?watch=1${query}`))
    for (let at = 0; at < objects; at++) watch.found(found(`p${at}`, { type: 'ADDED' }))
    for (let at = 0; at < used; at++) ledger.begin(callOf(`/api/v1/namespaces/a/pods/p${at}`))
    const { findings } = reportOf(ledger, { seconds: 1, rest: undefined, memory: [] })
    return findings.map(one => one.finding)
  }
  expect(watched(9, 0)).toEqual([])
  expect(watched(10, 1)).toEqual(['whole-kind'])
  expect(watched(10, 2)).toEqual([])
  expect(watched(30, 1, '&labelSelector=a')).toEqual([])
})

it('an object that the program used counts as used also after it was deleted, and each object of its name', () => {
  const ledger = new Ledger(() => 0, 1)
  const watch = ledger.begin(callOf('/api/v1/pods?watch=1'))
  for (let at = 0; at < 10; at++) {
    for (const type of ['ADDED', 'DELETED', 'ADDED']) watch.found(found(`p${at}`, { type }))
    if (at < 5) ledger.begin(callOf(`/api/v1/namespaces/a/pods/p${at}`))
    watch.found(found(`p${at}`, { type: 'DELETED' }))
  }
  const { collections, findings } = reportOf(ledger, { seconds: 1, rest: undefined, memory: [] })
  expect(collections).toMatchObject([{ distinct: 20, used: 10 }])
  expect(findings).toEqual([])
})

it('an object that was deleted and made again counts twice, with its last size once each', () => {
  const ledger = new Ledger(() => 0, 1)
  const watch = ledger.begin(callOf('/api/v1/pods?watch=1'))
  for (const [type, bytes] of [
    ['ADDED', 10],
    ['MODIFIED', 30],
    ['BOOKMARK', 99],
    ['DELETED', 20],
    ['ADDED', 5],
  ] as const)
    watch.found(found('b', { type, bytes }))
  const [pods] = reportOf(ledger, { seconds: 1, rest: undefined, memory: [] }).collections
  expect(pods).toMatchObject({ objects: 4, distinct: 2, onceBytes: 25 })
})

it('requests that were forbidden, and those at rest, are findings', () => {
  const ledger = new Ledger(() => 0, 1)
  for (const status of [403, 403, 404]) ledger.begin(callOf('/api/v1/secrets')).answered(status)
  const rest = { seconds: 10, requests: [{ request: 'get pods', times: 3 }] }
  const report = reportOf(ledger, { seconds: 20, rest, memory: [] })
  expect(report.refusals.map(({ status, times }) => [status, times])).toEqual([
    [403, 2],
    [404, 1],
  ])
  expect(findingsOf(report)).toEqual([
    { finding: 'requests-at-rest', request: 'get pods', times: 3, seconds: 10 },
    { finding: 'forbidden', request: 'list secrets', times: 2 },
  ])
})
