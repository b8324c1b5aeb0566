import { collect, get, merge, post, quietly, type Scenario, wait, watch } from '../scenario.ts'
import { cms, configMap, filled, sie } from './shapes.ts'

const a = `${cms}/a`

/** Both servers are restarted: nothing else runs beside these, and they come last. */
export const restartScenarios: readonly Scenario[] = [
  {
    name: 'after a compaction and a restart what is old is gone',
    alone: true,
    steps: [
      ...filled('a', 'b', 'c'),
      get(`${cms}?limit=1`, { save: { next: 'metadata.continue', old: 'metadata.resourceVersion' } }),
      quietly(merge(a, { data: { a: '2' } })),
      quietly(merge(a, { data: { a: '3' } })),
      { do: 'control', what: 'compact' },
      { do: 'control', what: 'restart' },
      wait(cms, { items: 3 }),
      watch('w', `${cms}?watch=1&resourceVersion={old}`),
      collect('w', 'end'),
      watch('s', `${cms}?${sie}&resourceVersion={old}`),
      collect('s', { events: 4 }),
      get(`${cms}?resourceVersion={old}&resourceVersionMatch=Exact`),
      get(`${cms}?resourceVersion={old}&limit=1`),
      get(`${cms}?resourceVersion={old}`),
      get(`${cms}?resourceVersion={old}&resourceVersionMatch=NotOlderThan&limit=2`),
      get(`${cms}?limit=1&continue={next}`, { save: { rest: 'metadata.continue' } }),
      get(`${cms}?limit=1&continue={rest}`, { save: { last: 'metadata.continue' } }),
      quietly(post(cms, configMap('d'))),
      get(`${cms}?limit=5&continue={last}`),
    ],
  },
]
