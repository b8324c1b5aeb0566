import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { atLevel, levelOf, metadataTarget, named, targetAt } from './level.ts'

const size = configMaps.project('size', ({ data }) => Object.keys(data ?? {}).length)

describe('how much of an object is asked for', () => {
  it('N2: is the least that a view can be made of', () => {
    const views = [configMaps.metadata(), configMaps, configMaps.full(), size, configMaps.exact()]
    expect(views.map(levelOf)).toEqual([0, 1, 2, 2, 2])
  })

  it('N2: may be more than the view needs; exact views stay so', () => {
    const kinds = ([0, 1, 2] as const).map(level => atLevel(size, level).projection.kind)
    expect(kinds).toEqual(['metadata', 'default', 'full'])
    expect(([0, 1, 2] as const).map(level => atLevel(configMaps.exact(), level).projection.kind)).toEqual(
      Array.from({ length: 3 }, () => 'exact'),
    )
    const targets = [targetAt(configMaps, 'a', 0), targetAt(configMaps, 'a', 1), targetAt(configMaps, 'a', 2)]
    expect(targets.map(({ metadata }) => metadata)).toEqual([true, false, false])
    expect(targets.map(({ lean }) => lean)).toEqual([true, true, false])
  })

  it('N1: is of one namespace, and of one name beside what the view selects', () => {
    const view = configMaps.within({ labels: { app: 'x' }, fields: 'metadata.namespace=a' })
    const target = targetAt(view, 'a', 1)
    expect(target.path).toBe('/api/v1/namespaces/a/configmaps')
    expect(named(target, view, 'x').selection).toEqual({
      labelSelector: 'app=x',
      fieldSelector: 'metadata.name=x,metadata.namespace=a',
      shardSelector: undefined,
    })
    expect(targetAt(namespaces, undefined, 1).path).toBe('/api/v1/namespaces')
  })

  it('N11: is the metadata alone of what one watch is to tell of many, of exact views too', () => {
    const targets = [metadataTarget(configMaps.exact(), 'a'), metadataTarget(size, undefined)]
    expect(targets.map(({ path, metadata, exact }) => [path, metadata, exact])).toEqual([
      ['/api/v1/namespaces/a/configmaps', true, false],
      ['/api/v1/configmaps', true, false],
    ])
  })
})
