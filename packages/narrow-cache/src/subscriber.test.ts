import { describe, expect, it } from 'vitest'
import type { NarrowHandler } from './handler.ts'
import { Subscriber } from './subscriber.ts'

/** A subscriber of `a/x`, and what it could not be told. */
function subscriber(handler: NarrowHandler<string>) {
  const errors: unknown[] = []
  return { errors, one: new Subscriber(handler, 'a/x', (error, key) => errors.push([error, key])) }
}

const tellAll = (one: Subscriber<string>): void => {
  one.absent()
  one.added('1', true)
  one.updated('2', '1')
  one.deleted('2', false)
  one.untold(true)
}

describe('a subscriber', () => {
  it('N6: hears what is told, with the key', () => {
    const log: unknown[] = []
    const { one, errors } = subscriber({
      absent: about => log.push(['absent', about]),
      add: (object, about) => log.push(['add', object, about]),
      update: (object, old, about) => log.push(['update', object, old, about]),
      delete: (object, about) => log.push(['delete', object, about]),
      untold: about => log.push(['untold', about]),
    })
    tellAll(one)
    expect(log).toEqual([
      ['absent', { key: 'a/x' }],
      ['add', '1', { key: 'a/x', isInInitialList: true }],
      ['update', '2', '1', { key: 'a/x' }],
      ['delete', '2', { key: 'a/x', finalStateUnknown: false }],
      ['untold', { key: 'a/x', isThere: true }],
    ])
    expect(errors).toEqual([])
  })

  it.each<[string, (one: Subscriber<string>) => void, string]>([
    ['nothing', () => undefined, 'absent'],
    ['that one is there', one => one.untold(true), 'absent'],
    ['that there is none', one => one.absent(), 'gone'],
    ['of an object', one => one.added('1', true), 'gone'],
  ])('N6: that was told %s before hears that one without a value is gone', (_, before, says) => {
    const log: string[] = []
    const { one } = subscriber({
      absent: () => log.push('absent'),
      untold: ({ isThere }) => log.push(isThere ? 'there' : 'gone'),
    })
    before(one)
    log.length = 0
    one.untold(true)
    one.untold(false)
    expect(log).toEqual(['there', says])
  })

  it('N6: hears nothing once it has ended', () => {
    const log: string[] = []
    const { one } = subscriber({ add: object => log.push(object) })
    one.added('1', true)
    one.end()
    one.added('2', false)
    expect(log).toEqual(['1'])
  })

  it('N6: need not have a function for each', () => {
    const none = subscriber({})
    tellAll(none.one)
    expect(none.errors).toEqual([])
  })

  it('R33: that throws, or rejects, is told of with the key, and goes on', async () => {
    const why = new Error('no')
    const { one, errors } = subscriber({
      absent: () => {
        throw why
      },
      add: () => Promise.reject(why),
      update: () => Promise.resolve(why),
      // No promise: nothing to wait for.
      delete: () => ({ later: true }),
    })
    tellAll(one)
    one.absent()
    await Promise.resolve()
    const told = [why, 'a/x']
    expect(errors).toEqual([told, told, told])
    expect(subscriber({ add: () => null }).one.added('1', true)).toBeUndefined()
  })

  it('R33: that returns null is no trouble', () => {
    const { one, errors } = subscriber({ add: () => null, update: () => 'a text', delete: () => undefined })
    tellAll(one)
    expect(errors).toEqual([])
  })
})
