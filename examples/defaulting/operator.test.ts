import { readFileSync } from 'node:fs'
import { evaluatePolicy, type PolicyManifest } from '@wherry/cel'
import { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'
import { type AdmissionRequest, roundTrips, Webhooks } from '@wherry/webhook'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { authorLabel, labelWithAuthor } from './author.ts'
import { linesAnnotation, noticeConversion } from './conversion.ts'
import { notices } from './notice.ts'
import { urgentLabel, urgentNotices } from './policy.ts'
import { limitByQuota, quotaName } from './quota.ts'

const file = `${import.meta.dirname}/deploy/crd/notices.board.example.com.yaml`
const definition: CustomResourceDefinition = parse(readFileSync(file, 'utf8'))

it('B4: no field of a notice gets lost between its versions', async () => {
  expect(await roundTrips(noticeConversion, { definition })).toEqual([])
})

it('a value that is no number of lines stays an annotation', async () => {
  const old = (kept: string) => ({
    ...{ apiVersion: 'board.example.com/v1beta1', kind: 'Notice', spec: { message: 'Hello' } },
    metadata: { name: 'a', namespace: 'default', annotations: { [linesAnnotation]: kept } },
  })
  for (const kept of ['many', '0', '101', '1.5', '01', ' 1', '']) {
    const { converted, lost } = await noticeConversion.roundTrip(old(kept), 'v1')
    expect([kept, converted.metadata?.annotations, lost]).toEqual([kept, { [linesAnnotation]: kept }, []])
  }
  expect((await noticeConversion.roundTrip(old('7'), 'v1')).converted).toMatchObject({ spec: { text: { lines: 7 } } })
})

it('urgent notices are refused but in a namespace that allows them', () => {
  const refused = (urgent: boolean, labels: Record<string, string> | undefined): boolean => {
    const namespaceObject = { metadata: { name: 'a', ...(labels && { labels }) } }
    const object = { spec: { text: { body: 'Fire' }, urgent } }
    return evaluatePolicy(urgentNotices.policy as PolicyManifest, { object, namespaceObject }).refusals.length > 0
  }
  expect(refused(false, undefined)).toBe(false)
  expect(refused(true, undefined)).toBe(true)
  expect(refused(true, { [urgentLabel]: 'no' })).toBe(true)
  expect(refused(true, { [urgentLabel]: 'allowed' })).toBe(false)
})

const request = (more: Partial<AdmissionRequest>): AdmissionRequest => ({
  ...{ uid: '1', operation: 'CREATE', resource: { group: 'board.example.com', version: 'v1', resource: 'notices' } },
  ...more,
})

it('a notice gets the label of its author, which stays', async () => {
  // Nothing is sent there: the handler is asked, and no server.
  await using client = new Client({ url: 'https://127.0.0.1:6443' })
  await using operator = new Operator({ name: 'defaulting', client })
  const webhooks = new Webhooks(operator, { service: { namespace: 'notice-system', name: 'defaulting' } })
  labelWithAuthor(webhooks)
  const notice = (author?: string) => ({
    metadata: { name: 'a', namespace: 'b', ...(author && { labels: { [authorLabel]: author } }) },
  })
  const created = request({ userInfo: { username: 'system:serviceaccount:a:b' }, object: notice('jane') })
  const value = 'system-serviceaccount-a-b'
  const path = `/metadata/labels/${authorLabel.replace('/', '~1')}`
  expect((await webhooks.review('author', created)).patch).toEqual([{ op: 'replace', path, value }])
  expect((await webhooks.reinvoke('author', created)).patch).toEqual([])
  const update = { operation: 'UPDATE', userInfo: { username: 'jane' }, object: notice('jane') }
  const kept = await webhooks.review('author', request({ ...update, oldObject: notice(value) }))
  expect(kept.patch).toEqual([{ op: 'replace', path, value }])
  expect((await webhooks.review('author', request({ ...update, oldObject: notice() }))).patch).toEqual([])
})

it('the quota of a namespace is what its ConfigMap says now', async () => {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await client.create(customResourceDefinitions, definition)
  const notice = (name: string) => ({ metadata: { name, namespace: 'default' }, spec: { text: { body: 'Hello' } } })
  await vi.waitFor(() => client.create(notices, notice('first'))) // a new resource is not served at once
  await using operator = new Operator({ name: 'defaulting', client })
  const webhooks = new Webhooks(operator, {
    ...{ service: { namespace: 'kube-system', name: 'defaulting' }, groups: ['board.example.com'] },
    ...{ address: '127.0.0.1', host: '127.0.0.1', port: 0 },
  })
  limitByQuota(webhooks, 'kube-system')
  void operator.run({ signals: false })
  const answer = (): Promise<string> =>
    client.create(notices, notice('second'), { dryRun: true }).then(
      () => 'taken',
      (error: Error) => error.message,
    )
  const quota = { name: quotaName, namespace: 'kube-system' }
  await client.create(configMaps, { metadata: quota, data: { default: '1' } })
  await vi.waitFor(async () => expect(await answer()).toContain('the quota of default is 1 notices, and it has 1'))
  for (const most of ['2', 'two', '', '-1']) {
    await client.patch(configMaps, quota, { data: { default: '1' } })
    await vi.waitFor(async () => expect(await answer()).toContain('the quota of default is 1 notices'))
    await client.patch(configMaps, quota, { data: { default: most } })
    await vi.waitFor(async () => expect(await answer()).toBe('taken'))
  }
})
