import { readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { pods } from '@wherry/client/resources/core'
import { conditionOf, Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'
import { parse } from 'yaml'
import { declarePlatformOperators } from '../../../../examples/bundles/operator.ts'
import { platformOperators } from '../../../../examples/bundles/platform-operator.ts'
import { auditedBundles } from '../../../../examples/bundles/testkit/audit.ts'
import { TestSource } from '../../../../examples/bundles/testkit/source.ts'
import type { Metrics } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'

const crd = new URL(
  '../../../../examples/bundles/deploy/crd/platformoperators.bundles.example.com.yaml',
  import.meta.url,
)
const audit = { Installed: 25, UnsupportedInstallMode: 26, NeedsWebhooks: 14, Refused: 4 }

export async function run(): Promise<Metrics> {
  const source = new TestSource()
  const all = await auditedBundles()
  for (const { name, archive } of all) source.release(name, archive)
  await using server = await startApiServer({ isolate: true })
  const { url, ca, token } = server
  await using hand = new Client({ url, ca, token })
  await hand.create(customResourceDefinitions, parse(readFileSync(crd, 'utf8')))
  await until(() => hand.list(platformOperators).then(() => true))
  let streams = 0
  const gauge = (name: string, value: number): void => {
    if (name === 'wherry_narrow_streams') streams = value
  }
  await using client = new Client({ url, ca, token, environment: { metrics: { gauge, count() {}, observe() {} } } })
  const operator = new Operator({ name: 'bundles', client, narrow: { idleMs: 1000 } })
  declarePlatformOperators(operator, { source, pollMs: 1000 })
  const watches = (): number => streams + operator.report().watches
  const running = operator.run({ signals: false })
  try {
    await operator.settled()
    const [watchesBefore, before] = [watches(), readMemory()]
    const begun = performance.now()
    for (const { name } of all) {
      await hand.create(platformOperators, { metadata: { name }, spec: { package: name, namespace: `${name}-home` } })
    }
    const conditions = async () =>
      (await hand.list(platformOperators)).items.map(({ status }) => conditionOf(status?.conditions, 'Installed'))
    await until(async () => {
      const grouped = Map.groupBy(await conditions(), one => one?.reason)
      return Object.entries(audit).every(([reason, count]) => grouped.get(reason)?.length === count)
    })
    const ready_ms = performance.now() - begun
    const rss_bytes = readMemory().rss - before.rss
    const mb = (n: number) => (n / 1e6).toFixed(1)
    const show = (what: string) => { const m = readMemory(); const u = process.memoryUsage(); console.log(what, 'rss', mb(m.rss), '+', mb(m.rss - before.rss), 'anon +', mb(m.anonymous - before.anonymous), 'heap +', mb(m.heap - before.heap), 'heapTotal', mb(u.heapTotal), 'external +', mb(m.external - before.external), 'arrayBuffers', mb(u.arrayBuffers)) }
    show('ready'); await after(5000); show('5 s later'); 1
    const message_bytes = Math.max(...(await conditions()).map(one => Buffer.byteLength(one?.message ?? '')))
    const { items } = await hand.list(pods)
    for (const { name } of all) await hand.delete(platformOperators, { name })
    await until(async () => (await hand.list(platformOperators)).items.length === 0)
    // Those that are left are counted, and end nothing.
    await isSoonSo(() => watches() <= watchesBefore, 10_000)
    return { rss_bytes, pods: items.length, message_bytes, ready_ms, streams_left: watches() - watchesBefore }
  } finally {
    await operator.close()
    await running
  }
}

/** Waits until something is so. Rejects after a minute: a figure would be of something else. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await isSoonSo(holds, 60_000))) throw new Error('it was not so after a minute')
}

/** Waits until something is so, or the time is over. Returns whether it is so. */
async function isSoonSo(holds: () => boolean | Promise<boolean>, patienceMs: number): Promise<boolean> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await after(50)) {
    try {
      if (await holds()) return true
    } catch {
      // Not yet.
    }
  }
  return false
}

console.log(JSON.stringify(await run()))
