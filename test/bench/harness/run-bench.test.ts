import { expect, it } from 'vitest'
import type { Bench, Subject } from './bench.ts'
import { judge, markdown, report } from './report.ts'
import type { Outcome } from './run-bench.ts'
import { inWork, jsonLine, measureOnce, runBench } from './run-bench.ts'

const fixture = (name: string): URL => new URL(`./fixtures/${name}.ts`, import.meta.url)

function subject(name: string, module: string, answer = 0): Subject {
  return { name, module: fixture(module), metrics: ['pid', 'objects', 'option', 'heap_bytes'], options: { answer } }
}

const bench: Bench = {
  name: 'fixture',
  measures: 'nothing',
  transport: 'none',
  objects: 7,
  of: 'things',
  subjects: [subject('one', 'counting', 1), subject('two', 'counting', 2)],
  targets: [
    { subject: 'two', metric: 'option', atMost: 2, times: { subject: 'one' } },
    { subject: 'two', metric: 'option', atMost: 1.9, times: { subject: 'one' } },
    { subject: 'one', metric: 'objects', atLeast: 7 },
    { subject: 'one', metric: 'pid', atLeast: 1, times: { subject: 'nobody' } },
    { subject: 'two', metric: 'option', atMost: 0.5, above: { subject: 'one' } },
  ],
}

it('runs subjects by turns, each run in a process of its own', async () => {
  const progress: string[] = []
  const outcome = await runBench(bench, { objects: 7, runs: 2, onProgress: line => progress.push(line) })

  expect(outcome.failures).toEqual([])
  expect(progress).toEqual([
    'fixture: run 1 of 2, the fixed work',
    'fixture: run 1 of 2, one',
    'fixture: run 1 of 2, two',
    'fixture: run 2 of 2, the fixed work',
    'fixture: run 2 of 2, one',
    'fixture: run 2 of 2, two',
  ])
  expect(outcome.workMs?.runs).toBe(2)
  expect(outcome.workMs?.median).toBeGreaterThan(0)
  expect(report(outcome)).toMatch(/^work: JSON\.parse of 1 MB, [\d.]+ ms/m)
  const pids = outcome.figures
    .filter(figure => figure.metric === 'pid')
    .flatMap(({ summary }) => [summary.min, summary.max])
  expect(new Set([process.pid, ...pids]).size).toBe(5)
  expect(outcome.figures.find(figure => figure.subject === 'two' && figure.metric === 'option')).toEqual({
    bench: 'fixture',
    input: 'things-7',
    subject: 'two',
    metric: 'option',
    summary: { median: 2, min: 2, max: 2, runs: 2 },
  })
  expect(judge(outcome).map(({ state, got }) => [state, got])).toEqual([
    ['kept', 2],
    ['missed', 2],
    ['kept', 7],
    ['open', undefined],
    ['missed', 1],
  ])
  expect(judge({ ...outcome, objects: 9 }).map(({ state }) => state)).toEqual([
    'kept',
    'missed',
    'open',
    'open',
    'open',
  ])
  expect(report(outcome)).toContain('MISS  two.option ≤ 1.9 × one.option  (got 2)')
  expect(report(outcome)).toContain('MISS  two.option ≤ one.option + 0.5  (got 1)')
})

it('reports a subject that fails with what it wrote to stderr, and goes on with the others', async () => {
  const failing = { ...bench, subjects: [subject('bad', 'failing'), subject('good', 'counting')] }
  const outcome = await runBench(failing, { objects: 1, runs: 2, fixedWork: false })
  expect(outcome.workMs).toBe(undefined)
  expect(outcome.failures.map(failure => failure.subject)).toEqual(['bad'])
  expect(outcome.failures[0]?.error.message).toMatch(/^bad ended with code 1\n.*the disk is on fire/s)
  expect(new Set(outcome.figures.map(figure => figure.subject))).toEqual(new Set(['good']))
  expect(report(outcome)).toContain('FAILED  bad: bad ended with code 1')
})

it('ends a subject that does not answer in time', async () => {
  const hanging = measureOnce(subject('slow', 'hanging'), { objects: 1, timeoutMs: 2000 })
  await expect(hanging).rejects.toThrow(/^slow did not answer within 2000 ms/)
})

it('does not let a metric that was declared go missing', async () => {
  const short = { ...subject('one', 'counting'), metrics: ['stall_ms'] }
  await expect(measureOnce(short, { objects: 1, timeoutMs: 20_000 })).rejects.toThrow('one gave no stall_ms')
})

it('gives the best of some subjects by metric, each of them measured in a process of its own', async () => {
  const rated = (name: string, perSecond: number, us: number): Subject => ({
    name,
    module: fixture('counting'),
    metrics: ['pid', 'rate_per_s', 'call_us'],
    options: { rate_per_s: perSecond, call_us: us },
  })
  const peers = [rated('many', 9, 5), rated('fast', 7, 2), rated('other', 100, 1)]
  const best = { name: 'best', of: ['many', 'fast'] }
  const { figures } = await runBench({ ...bench, subjects: peers, best }, { objects: 7, runs: 1, fixedWork: false })

  const of = (subject: string) => figures.filter(figure => figure.subject === subject)
  const value = (subject: string, metric: string) => of(subject).find(each => each.metric === metric)?.summary.median
  expect(value('best', 'rate_per_s')).toBe(9)
  expect(value('best', 'call_us')).toBe(2)
  expect(new Set(peers.map(({ name }) => value(name, 'pid'))).size).toBe(3)
})

it('has no best of subjects if one failed', async () => {
  const failing = { ...bench, subjects: [subject('bad', 'failing'), subject('good', 'counting')] }
  const best = { name: 'best', of: ['bad', 'good'] }
  const { figures } = await runBench({ ...failing, best }, { objects: 1, runs: 1, fixedWork: false })
  expect(new Set(figures.map(figure => figure.subject))).toEqual(new Set(['good']))
})

it('prints a figure as one line of JSON with the unit of its name', () => {
  const summary = { median: 1234.56789, min: 1, max: 2e9, runs: 5 }
  const figure = { bench: 'list', input: 'configmaps-100000', subject: 'wherry', metric: 'list_ms', summary }
  expect(jsonLine(figure)).toBe(
    '{"bench":"list","input":"configmaps-100000","subject":"wherry","metric":"list_ms","value":1234.57,"min":1,"max":2000000000,"runs":5,"unit":"ms"}',
  )
})

it('prints times and rates as multiples of the fixed work, too, before the figures', () => {
  expect(inWork('list_ms', 50, 10)).toBe(5)
  expect(inWork('get_us', 50, 10)).toBe(0.005)
  expect(inWork('gets_per_s', 200, 10)).toBe(2)
  expect(inWork('read_mb_per_s', 200, 10)).toBe(2)
  expect(inWork('rss_bytes', 200, 10)).toBe(undefined)
  expect(inWork('list_ms', 50, undefined)).toBe(undefined)
  const summary = { median: 50, min: 1, max: 2000, runs: 3 }
  const figure = { bench: 'call', input: 'configmaps-1000', subject: 'wherry', metric: 'list_ms', summary }
  expect(markdown([figure], 10).split('\n')).toEqual([
    '| input | subject | metric | work | median | min | max | runs |',
    '| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |',
    '| configmaps-1000 | wherry | list_ms | 5 × | 50 ms | 1 ms | 2,000 ms | 3 |',
  ])
  expect(JSON.parse(jsonLine(figure, 10))).toMatchObject({ work: 5, value: 50 })
})

it('says that a machine is too noisy if two runs of the fixed work differ by more than 15 %', () => {
  const outcome = { bench, objects: 7, figures: [], failures: [] }
  const workMs = { median: 10, min: 10, max: 11.5, runs: 3 }
  expect(report({ ...outcome, workMs })).not.toContain('NOISY')
  expect(report({ ...outcome, workMs: { ...workMs, max: 11.6 } })).toContain(
    'NOISY  two runs of the fixed work differ by 16 %',
  )
})

it('prints figures as a table in Markdown', () => {
  const summary = { median: 1.5, min: 1, max: 2000, runs: 3 }
  const figure = { bench: 'call', input: 'configmaps-1000', subject: 'wherry', metric: 'get_us', summary }
  expect(markdown([figure]).split('\n')).toEqual([
    '| input | subject | metric | median | min | max | runs |',
    '| --- | --- | --- | ---: | ---: | ---: | ---: |',
    '| configmaps-1000 | wherry | get_us | 1.5 us | 1 us | 2,000 us | 3 |',
  ])
})

it('shows an absolute bound in its unit', () => {
  const outcome: Outcome = {
    bench: { ...bench, targets: [{ subject: 'wherry', metric: 'peak_rss_bytes', atMost: 80e6 }] },
    objects: 7,
    figures: [
      {
        bench: 'b',
        input: 'i',
        subject: 'wherry',
        metric: 'peak_rss_bytes',
        summary: { median: 90e6, min: 1, max: 2, runs: 3 },
      },
    ],
    failures: [],
  }
  expect(report(outcome)).toContain('MISS  wherry.peak_rss_bytes ≤ 80 MB')
})
