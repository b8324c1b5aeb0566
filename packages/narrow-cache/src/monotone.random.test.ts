import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type Kit, keyOf, withNarrow } from './testkit/kit.ts'
import { late } from './testkit/late.ts'

const x = keyOf('a/x')

it('N9: no read is older than what this process knew when it began', async () => {
  await forEachSeed(
    seed =>
      withNarrow(kit => run(kit, seed), {
        seed,
        escalateAt: [1, 100][seed % 2],
        idleMs: Number.POSITIVE_INFINITY,
      }),
    { seeds: 200 },
  )
})

async function run(kit: Kit, seed: number): Promise<void> {
  const { narrow, client, run, writer, server, simulation } = kit
  const random = simulation.random.fork('test')
  const writes = client.withWriteListeners(narrow)
  const gone = new Set<string>()
  let floor = 0
  const problems: string[] = []
  const log: string[] = []
  const background: Promise<unknown>[] = []
  const bg = (body: () => Promise<unknown>): void => void background.push(run(body).catch(() => {}))
  const saw = (object: ConfigMap): void => {
    floor = Math.max(floor, Number(object.metadata?.resourceVersion))
  }
  if (seed % 2 === 0) bg(() => narrow.get(configMaps, keyOf('a/other')))
  const faults: { remove(): Promise<void> | void }[] = []
  let reads = 0
  let inTime: (() => Promise<void>) | undefined
  if (chance(random, 0.7)) {
    await run(() =>
      writer.create(configMaps, { metadata: { ...x, finalizers: chance(random, 0.5) ? ['example.com/x'] : [] } }),
    )
  }
  await kit.get('a/x')
  if (chance(random, 0.7)) inTime = await late(kit)
  for (let i = integer(random, 20, 60); i > 0; i--) {
    const die = random()
    if (die < 0.4) {
      const n = ++reads
      bg(async () => {
        const atLeast = floor
        const not = new Set(gone)
        log.push(`read ${n} begins (≥${atLeast})`)
        const object = await narrow.get(configMaps, x)
        const { uid = '', resourceVersion } = object?.metadata ?? {}
        log.push(`read ${n} ${object === undefined ? 'absent' : `${uid.slice(0, 4)} ${resourceVersion}`}`)
        if (object === undefined) return
        if (not.has(uid)) problems.push(`read ${n}: ${uid.slice(0, 4)} was gone`)
        if (Number(resourceVersion) < atLeast) problems.push(`read ${n}: ${resourceVersion} < ${atLeast}`)
        saw(object)
      })
    } else if (die < 0.65) {
      const by = chance(random, 0.6) ? 'own' : 'other'
      const to = by === 'own' ? writes : writer
      const what = choose(random, [
        'create',
        'create',
        'patch',
        'delete',
        'finalize',
        'delete',
        'finalize',
        'hold',
      ] as const)
      bg(async () => {
        try {
          if (what === 'delete') {
            const answer = await to.delete(configMaps, x)
            if (by === 'own' && answer !== undefined && answer.object === undefined && answer.uid) gone.add(answer.uid)
            log.push(`${by} delete ${answer?.uid?.slice(0, 4)} ${answer?.object?.metadata?.resourceVersion}`)
            return
          }
          const object =
            what === 'create'
              ? await to.create(configMaps, { metadata: x })
              : await to.patch(
                  configMaps,
                  x,
                  what === 'patch'
                    ? { data: { n: `${i}` } }
                    : { metadata: { finalizers: what === 'hold' ? ['example.com/x'] : null } },
                )
          const { uid = '', deletionTimestamp, finalizers = [] } = object.metadata ?? {}
          log.push(`${by} ${what} ${uid.slice(0, 4)} ${object.metadata?.resourceVersion}`)
          if (by !== 'own') return
          if (deletionTimestamp !== undefined && finalizers.length === 0) gone.add(uid)
          else saw(object)
        } catch (error) {
          log.push(`${by} ${what} failed ${(error as Error).message.slice(0, 60)}`)
        }
      })
    } else if (die < 0.8) {
      const verb = choose(random, ['list', 'list', 'get', 'watch'] as const)
      const effect = choose(random, [
        { kind: 'delay', ms: 300 },
        { kind: 'delay', ms: 2000 },
        { kind: 'status', code: 503 },
        { kind: 'status', code: 500 },
      ] as const)
      log.push(`fault ${verb} ${JSON.stringify(effect)}`)
      const times = integer(random, 1, 6)
      faults.push(await run(() => server.faults.add({ match: { verb }, nth: 1, times, effect })))
    } else if (die < 0.87) {
      if (inTime === undefined) {
        log.push('late')
        inTime = await late(kit)
      } else if (chance(random, 0.4)) {
        log.push('in time')
        await inTime()
        inTime = undefined
      }
    } else if (die < 0.9) {
      log.push('end watches')
      await run(() => server.endWatches('configmaps'))
    } else {
      log.push('a delete that found nothing')
      narrow.deleted(configMaps, x, chance(random, 0.5) ? undefined : 'other')
    }
    await simulation.advance(chance(random, 0.1) ? integer(random, 0, 70_000) : integer(random, 0, 800))
  }
  for (const fault of faults) await run(() => fault.remove())
  await inTime?.()
  await simulation.advance(300_000)
  await Promise.all(background)
  const there = await run(() => writer.get(configMaps, x))
  const seen = await kit.get('a/x')
  if (there?.metadata?.resourceVersion !== seen?.metadata?.resourceVersion) problems.push('in the end')
  expect(problems, `seed ${seed}\n${log.join('\n')}`).toEqual([])
}
