import { expect, it } from 'vitest'
import { OwnEvents } from './own-events.ts'

/** Plays writes and events of one object, and returns the reported events with the keys that caused them. */
function reported(play: (events: OwnEvents, receive: (version: string) => void) => void): string[] {
  const lines: string[] = []
  const events = new OwnEvents()
  play(events, version => events.received('x', version, by => lines.push(`${version} by ${by ?? 'another client'}`)))
  return lines
}

it('an event of a write is its own while another write of the object is under way', () => {
  const afterBoth = reported((events, receive) => {
    const [a, b] = [events.begin('x', 'a'), events.begin('x', 'b')]
    receive('2')
    receive('3')
    a('2')
    b('3')
  })
  const between = reported((events, receive) => {
    const [a, b] = [events.begin('x', 'a'), events.begin('x', 'b')]
    a('2')
    receive('2')
    receive('3')
    b('3')
  })
  expect([afterBoth, between]).toEqual([
    ['2 by a', '3 by b'],
    ['2 by a', '3 by b'],
  ])
})

it('an event of another client waits for the writes that are under way, and is reported when all have ended', () => {
  const lines = reported((events, receive) => {
    const [a, b] = [events.begin('x', 'a'), events.begin('x', 'b')]
    receive('2')
    receive('4')
    a('2')
    b(undefined)
    receive('5')
  })
  expect(lines).toEqual(['2 by a', '4 by another client', '5 by another client'])
})

it('a write that fails does not make the event of an earlier write another client’s', () => {
  const lines = reported((events, receive) => {
    events.begin('x', 'a')('2')
    events.begin('x', 'b')(undefined)
    receive('2')
    receive('3')
  })
  expect(lines).toEqual(['2 by a', '3 by another client'])
})
