import { expect, it } from 'vitest'
import { anySignal } from './any-signal.ts'
import { alikeSignal } from './testkit/alike-signal.ts'

it.for(['alike', 'native', 'last'] as const)('is aborted with the first of its signals: %s', name => {
  const ending = { alike: new AbortController(), native: new AbortController(), last: new AbortController() }
  const alike = alikeSignal(ending.alike.signal)
  const either = anySignal(undefined, alike, ending.native.signal, ending.last.signal)
  const again = anySignal(alike, ending.native.signal, ending.last.signal)
  expect(either.aborted).toBe(false)
  ending[name].abort(name)
  expect([either.reason, again.reason]).toEqual([name, name])
  expect(anySignal(alike, ending[name].signal).reason).toBe(name)
})

it('adds one listener to a signal that only has the interface', () => {
  let listeners = 0
  const alike = Object.assign(alikeSignal(new AbortController().signal), {
    addEventListener: () => {
      listeners += 1
    },
  })
  for (let i = 0; i < 10; i++) anySignal(alike, new AbortController().signal)
  expect(listeners).toBe(1)
})
