import { expect, it } from 'vitest'
import { unitOf } from './bench.ts'
import { percentile, summarise } from './statistics.ts'

it('takes the middle one of an odd number of values, and the mean of the middle two of an even number', () => {
  expect(summarise([30, 1, 2])).toEqual({ median: 2, min: 1, max: 30, runs: 3 })
  expect(summarise([4, 1, 30, 2])).toEqual({ median: 3, min: 1, max: 30, runs: 4 })
  expect(summarise([10, 9])).toEqual({ median: 9.5, min: 9, max: 10, runs: 2 })
})

it('refuses values that are no numbers, and none', () => {
  expect(() => summarise([])).toThrow(RangeError)
  expect(() => summarise([1, Number.NaN])).toThrow(RangeError)
})

it('takes percentiles of values in any order', () => {
  const values = [30, 10, 2, 40, 50]
  expect([0, 0.5, 0.74, 0.75, 0.99, 1].map(part => percentile(values, part))).toEqual([2, 30, 30, 40, 40, 50])
  expect(() => percentile([], 0.5)).toThrow(RangeError)
})

it('reads the unit off the name of a metric', () => {
  const names = ['sync_ms', 'get_us', 'peak_rss_bytes', 'events_per_s', 'list_mb_per_s', 'requests']
  expect(names.map(unitOf)).toEqual(['ms', 'us', 'bytes', '1/s', 'MB/s', ''])
})
