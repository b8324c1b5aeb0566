import { simulate } from '@wherry/testing'
import { expect, it } from 'vitest'
import type { CopyEvent } from './copy-event.ts'
import { Teller } from './teller.ts'

const event: CopyEvent = { type: 'deleted', key: 'a/x' }
const made = (onEvent?: (event: CopyEvent) => void) => {
  const { environment } = simulate(1)
  const end = new AbortController()
  const teller = new Teller({ environment, onEvent, resource: 'configmaps', signal: end.signal })
  return { teller, end, errors: environment.errors }
}

it('X9: tells what onEvent throws, of the copy that it was told of', () => {
  const thrown = new Error('listener')
  const { teller, errors } = made(() => {
    throw thrown
  })
  teller.emit(event)
  expect(errors).toMatchObject([{ error: thrown, context: { resource: 'configmaps', phase: 'onEvent', key: 'a/x' } }])
  expect(() => made().teller.emit(event)).not.toThrow()
})

it('X10: tells no event once all has ended', () => {
  const events: CopyEvent[] = []
  const { teller, end } = made(told => events.push(told))
  teller.emit(event)
  end.abort()
  teller.emit(event)
  expect(events).toEqual([event])
})

it('X9: makes an error of what is thrown and is none', () => {
  const { teller, errors } = made()
  teller.tell('text', 'copy', 'a/x')
  expect(errors).toMatchObject([{ error: { cause: 'text', message: expect.stringContaining('no Error') } }])
})
