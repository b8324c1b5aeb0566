import { describe, expect, it } from 'vitest'
import { type HookRule, labelsMatch, type Matched, ruleMatches, selectsAll } from './match.ts'

const rule: HookRule = {
  ...{ operations: ['CREATE'], groups: [''], versions: ['v1'], resources: ['pods'], scope: '*', names: [] },
}
const asked: Matched = {
  group: '',
  version: 'v1',
  plural: 'pods',
  subresource: '',
  operation: 'CREATE',
  namespace: 'default',
  name: 'a',
}

describe('a rule of a webhook', () => {
  it('is about requests that match it in every part', () => {
    expect(ruleMatches(rule, asked)).toBe(true)
    for (const other of [
      { operation: 'UPDATE' },
      { group: 'apps' },
      { version: 'v2' },
      { plural: 'nodes' },
      { subresource: 'status' },
    ]) {
      expect(ruleMatches(rule, { ...asked, ...other }), JSON.stringify(other)).toBe(false)
    }
    expect(ruleMatches({ ...rule, operations: ['*'], groups: ['*'], versions: ['*'] }, { ...asked, group: 'g' })).toBe(
      true,
    )
  })

  it('is about objects of its names alone, if it has some', () => {
    expect(ruleMatches({ ...rule, names: ['a'] }, asked)).toBe(true)
    expect(ruleMatches({ ...rule, names: ['b'] }, asked)).toBe(false)
  })

  it.for([
    ['*', '', true],
    ['*', 'status', false],
    ['*/*', '', true],
    ['*/*', 'status', true],
    ['pods/*', 'status', true],
    ['pods/*', '', true],
    ['*/status', 'status', true],
    ['*/status', '', false],
    ['nodes/status', 'status', false],
  ] as const)('of resource %s is about subresource "%s": %s', ([resource, subresource, matches]) => {
    expect(ruleMatches({ ...rule, resources: [resource] }, { ...asked, subresource })).toBe(matches)
  })

  it('takes a namespace itself for cluster-scoped', () => {
    const namespace = { ...asked, plural: 'namespaces', namespace: 'a' }
    const of = (scope: string): HookRule => ({ ...rule, resources: ['*'], scope })
    expect(['*', 'Namespaced', 'Cluster'].map(scope => ruleMatches(of(scope), asked))).toEqual([true, true, false])
    expect(['*', 'Namespaced', 'Cluster'].map(scope => ruleMatches(of(scope), namespace))).toEqual([true, false, true])
    const node = { ...asked, plural: 'nodes', namespace: '' }
    expect(['*', 'Namespaced', 'Cluster'].map(scope => ruleMatches(of(scope), node))).toEqual([true, false, true])
    const custom = { ...asked, group: 'g', plural: 'namespaces' }
    expect(ruleMatches({ ...of('Namespaced'), groups: ['g'] }, custom)).toBe(true)
  })
})

describe('a LabelSelector', () => {
  const expression = (operator: string, ...values: string[]): { matchExpressions: object[] } => ({
    matchExpressions: [{ key: 'a', operator, ...(values.length > 0 ? { values } : {}) }],
  })
  it.for([
    [{}, undefined, true],
    [{ matchLabels: { a: 'x' } }, { a: 'x' }, true],
    [{ matchLabels: { a: 'x' } }, { a: 'y' }, false],
    [{ matchLabels: { a: 'x' } }, undefined, false],
    [{ matchLabels: { toString: 'x' } }, {}, false],
    [expression('In', 'x', 'y'), { a: 'y' }, true],
    [expression('In', 'x', 'y'), { a: 'z' }, false],
    [expression('In', 'x'), {}, false],
    [expression('NotIn', 'x'), { a: 'y' }, true],
    [expression('NotIn', 'x'), {}, true],
    [expression('NotIn', 'x'), { a: 'x' }, false],
    [expression('Exists'), { a: '' }, true],
    [expression('Exists'), { b: '' }, false],
    [expression('DoesNotExist'), { b: '' }, true],
    [expression('DoesNotExist'), { a: '' }, false],
    [expression('Near'), { a: '' }, false],
    [{ matchLabels: { b: 'y' }, ...expression('Exists') }, { a: '', b: 'x' }, false],
  ] as const)('%o of %o: %s', ([selector, labels, matches]) => {
    expect(labelsMatch(selector as never, labels as never)).toBe(matches)
  })

  it('that says nothing selects all', () => {
    expect(selectsAll({})).toBe(true)
    expect(selectsAll({ matchLabels: {}, matchExpressions: [] })).toBe(true)
    expect(selectsAll({ matchLabels: { a: 'b' } })).toBe(false)
    expect(selectsAll(expression('Exists') as never)).toBe(false)
  })
})
