import { describe, expect, it } from 'vitest'
import { originOf } from './roots-of.ts'

describe('where an error comes from', () => {
  it('is the first causes of what was thrown, and what all of them say', () => {
    const root = new Error('root')
    const thrown = new Error('outer', { cause: new AggregateError([root, 'text'], 'both', { cause: root }) })
    expect(originOf(thrown)).toEqual({ roots: [root, 'text'], text: 'outer\nboth\nroot\ntext\n' })
  })

  it('is what was thrown, where that has no cause', () => {
    expect(['a', undefined, 7].map(thrown => originOf(thrown).roots)).toEqual([['a'], [undefined], [7]])
  })

  it('X9: is nothing more, where a cause can not be looked at', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('x'), {})
    revoke()
    expect(originOf(new Error('y', { cause: proxy })).roots).toHaveLength(1)
  })

  it('X9: is nothing more, where what was thrown together can not be walked', () => {
    const error = new AggregateError([], 'x')
    const walk = (): never => {
      throw new Error('no')
    }
    error.errors = Object.assign([1], { [Symbol.iterator]: walk })
    expect(originOf(error).roots).toEqual([error])
  })

  it('X9: is where it gives up, where each cause has another', () => {
    let made = 0
    class Deep extends Error {
      override get cause(): unknown {
        made += 1
        return new Deep()
      }
    }
    originOf(new Deep())
    expect(made).toBe(10_000)
  })
})
