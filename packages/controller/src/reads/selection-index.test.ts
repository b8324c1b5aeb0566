import { LabelSelector } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Selection } from './selection.ts'
import { SelectionIndex } from './selection-index.ts'

/** An index of selections: `namespace labels`. Each notes that it received a change. */
function indexOf(...names: readonly string[]) {
  const reported: string[] = []
  const index = new SelectionIndex()
  const selections = names.map(name => {
    const [, namespace, text] = /^(\S+) ?(.*)$/.exec(name) ?? []
    const labels = LabelSelector.of(text ?? '')
    const scope = { view: configMaps, namespace: namespace === '*' ? undefined : namespace, labels, filter: labels }
    return { scope, changed: (key: string) => reported.push(`${name}: ${key}`) } as unknown as Selection
  })
  for (const selection of selections) index.add(selection)
  const report = (key: string, now: Labels | undefined, before?: Labels): string[] => {
    index.changed(key, now && { metadata: { labels: now } }, before && { metadata: { labels: before } })
    return reported.splice(0).sort()
  }
  return { index, selections, report }
}

type Labels = Readonly<Record<string, string>>

describe('selections of a view', () => {
  it('C14: are looked up by namespace and label: others are not asked about a change', () => {
    const { report } = indexOf('*', 'a', 'b', '* app=web', 'a app=web', 'b app=web', 'a app=api', 'a tier=web')
    expect(report('a/x', {})).toEqual(['*: a/x', 'a: a/x'])
    expect(report('a/x', { app: 'web' })).toEqual(['* app=web: a/x', '*: a/x', 'a app=web: a/x', 'a: a/x'])
    expect(report('c/x', { app: 'web' })).toEqual(['* app=web: c/x', '*: c/x'])
    expect(report('c/x', { app: 'job' })).toEqual(['*: c/x'])
  })

  it('C14: receive once each object that comes, goes, or changes its labels', () => {
    const { report } = indexOf('a app=web', 'a app=api', 'a app in (web,api)')
    expect(report('a/x', { app: 'web' }, { app: 'api' })).toEqual([
      'a app in (web,api): a/x',
      'a app=api: a/x',
      'a app=web: a/x',
    ])
    expect(report('a/x', { app: 'web' })).toEqual(['a app in (web,api): a/x', 'a app=web: a/x'])
    expect(report('a/x', undefined, { app: 'api' })).toEqual(['a app in (web,api): a/x', 'a app=api: a/x'])
    expect(report('a/x', { app: 'job' })).toEqual([])
  })

  it('C14: that are dropped receive nothing more; those that look for the same do', () => {
    const { report, index, selections } = indexOf('a app=web', 'a app=web,tier=x', 'a')
    for (const [i, left] of [['a app=web,tier=x: a/x', 'a: a/x'], ['a: a/x'], []].entries()) {
      index.remove(selections[i] as Selection)
      expect(report('a/x', { app: 'web', tier: 'x' })).toEqual(left)
      expect([...index.values()]).toEqual(selections.slice(i + 1))
    }
    for (const selection of selections) index.add(selection)
    expect(report('a/x', { app: 'web', tier: 'x' })).toHaveLength(3)
  })
})
