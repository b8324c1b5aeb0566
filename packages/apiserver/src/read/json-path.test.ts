import type { Json } from '@wherry/cel/internal'
import { describe, expect, it } from 'vitest'
import { jsonPath } from './json-path.ts'

const value: Json = {
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 1 },
      { type: 'a)]b', status: 'Unknown', n: 2, on: true },
    ],
  },
  labels: { 'a.b': 'c' },
  deep: { er: { est: 'x' } },
}

describe('a JSONPath', () => {
  it.for([
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    [".status.conditions[?(@.type == 'a)]b')].status", 'Unknown'],
    ['.status.conditions[?(@.type=="None")].status', undefined],
    ['.status.conditions[?(@.on)].type', 'a)]b'],
    ['.status.conditions[?(@.on==true)].n', 2],
    ['.status.conditions[?(@.n>1)].type', 'a)]b'],
    ['.status.conditions[*].type', 'Ready'],
    ['.status.conditions[-1].type', 'a)]b'],
    ['.status.conditions[1:].type', 'a)]b'],
    ['.status.conditions[5].type', undefined],
    ['.labels.a\\.b', 'c'],
    [".labels['a\\.b']", 'c'],
    ['.deep.*.est', 'x'],
    ['..est', 'x'],
    ['.labels[0]', undefined],
    ['.none.at.all', undefined],
  ] as const)('F1: %s', ([path, found]) => {
    expect(jsonPath(path)?.(value)).toEqual(found)
  })

  it.for(['.a[', '.a[?(', '.a[?(@.b=="c"', '.a[x]', '.a{b}'])('F1: %s is none', path => {
    expect(jsonPath(path)).toBeUndefined()
  })
})
