import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Meter } from './meter.ts'

it('H9: counts for the report and as metrics of its set: writes by verb and reason, skipped writes, repairs and the rest', () => {
  const { environment } = simulate(1)
  const meter = new Meter(environment.metrics, 'settings')
  meter.wrote('create', 'missing')
  meter.wrote('update', 'changed')
  meter.wrote('update', 'drift')
  meter.wrote('delete', 'unwanted')
  for (let i = 0; i < 2; i++) meter.skipped()
  for (let i = 0; i < 3; i++) meter.repaired()
  for (let i = 0; i < 4; i++) meter.conflict()
  for (let i = 0; i < 5; i++) meter.failed()
  for (let i = 0; i < 6; i++) meter.dryRun()
  for (let i = 0; i < 7; i++) meter.flapping()
  expect(meter.counts).toEqual({
    writes: { create: 1, update: 2, apply: 0, status: 0, annotate: 0, delete: 1 },
    skipped: 2,
    repairs: 3,
    conflicts: 4,
    failures: 5,
    dryRuns: 6,
  })
  const metric = (name: string, labels = {}) =>
    environment.metric(`wherry_copies_${name}_total`, { set: 'settings', ...labels })
  expect(metric('writes', { verb: 'update', reason: 'changed' })).toBe(1)
  expect(metric('writes', { verb: 'update', reason: 'drift' })).toBe(1)
  expect(metric('writes', { verb: 'delete', reason: 'unwanted' })).toBe(1)
  const names = ['skipped_writes', 'drift_repairs', 'conflicts', 'failures', 'dry_runs', 'flapping']
  expect(names.map(name => metric(name))).toEqual([2, 3, 4, 5, 6, 7])
})
