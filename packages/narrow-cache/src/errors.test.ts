import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { NarrowClosedError, NarrowListError, NarrowTimeoutError, NarrowWatchRefusedError } from './errors.ts'
import { checkHandler } from './handler.ts'
import { NarrowCache } from './narrow-cache.ts'

const cause = new Error('what the server said')

describe('an error of a narrow cache', () => {
  it.each([
    [() => new NarrowListError('the view'), 'NARROW_LIST', /the view.*Informer.*client\.list/],
    [
      () => new NarrowWatchRefusedError('v1/pods', 'a/x', cause),
      'NARROW_WATCH_REFUSED',
      /a\/x of v1\/pods.*what the server said.*poll/,
    ],
    [() => new NarrowTimeoutError('the view', 'a/x', 20, cause), 'NARROW_TIMEOUT', /a\/x of the view.*20 ms/],
    [() => new NarrowClosedError(), 'NARROW_CLOSED', /closed/],
  ])('X6: has a code and says what it is of', (make, code, says) => {
    const error = make()
    expect(error.code).toBe(code)
    expect(error.name).toBe(error.constructor.name)
    expect(error.message).toMatch(says)
  })

  it('X6: has its cause', () => {
    expect(new NarrowWatchRefusedError('v1/pods', 'a/x', cause).cause).toBe(cause)
    expect(new NarrowTimeoutError(configMaps.key, 'a/x', 20, cause)).toMatchObject({ cause, key: 'a/x' })
  })
})

describe('the options of a narrow cache', () => {
  it.each([
    [undefined, /^narrow .*object of options/],
    [{}, /^narrow\.client .*Client/],
    [{ client: undefined }, /^narrow\.client .*Client/],
  ])('X6: %o names the missing option', (options, says) => {
    expect(() => new NarrowCache(options as never)).toThrow(says)
  })
})

describe('the handler of a subscription', () => {
  it.each([
    [undefined, /^watch\.handler .*\{ add, update, delete, absent, onTransformFailed \}.*none of them \(undefined\)/],
    [{}, /none of them \(object\)/],
    [{ added: () => undefined }, /none of them/],
    [{ add: 'a text' }, /^watch\.handler .*each a function.*string/],
    [{ absent: null, add: () => undefined }, /each a function/],
  ])('X6: a handler that handles no event is an error: %o', (handler, says) => {
    expect(() => checkHandler(handler)).toThrow(says)
  })

  it('X6: may leave out all but one', () => {
    for (const name of ['add', 'update', 'delete', 'absent', 'onTransformFailed'])
      checkHandler({ [name]: () => undefined })
  })
})
