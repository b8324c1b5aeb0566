import { describe, expect, it } from 'vitest'
import { lend } from './chunks.fixture.ts'
import type { Flow } from './flow.ts'
import { LineCutter } from './lines.ts'
import { ListCutter } from './list.ts'
import { type Cutter, Pump } from './pump.ts'
import { HandClock } from './requester.fixture.ts'

function setup<T = string>(cutter: Cutter<T> = new LineCutter() as Cutter<unknown> as Cutter<T>) {
  const log: string[] = []
  const clock = new HandClock()
  const source: Flow = {
    pause: () => log.push('pause'),
    resume: () => log.push('resume'),
    abort: () => log.push('abort'),
  }
  let onPiece: (piece: T) => void = () => {}
  const pump = new Pump<T>(cutter, source, clock, {
    piece(piece) {
      log.push(typeof piece === 'string' ? piece : JSON.stringify(piece))
      onPiece(piece)
    },
    end: () => log.push('end'),
    error: cause => log.push(`error ${cause.message}`),
  })
  return {
    log,
    clock,
    pump,
    send: (text: string) => lend(text, chunk => pump.data(chunk)),
    onPiece(fn: (piece: T) => void) {
      onPiece = fn
    },
  }
}

describe('the pump', () => {
  it('hands on pieces as they come, then the end', () => {
    const { log, pump, send } = setup()
    send('a\nb')
    send('c\n')
    pump.end()
    expect(log).toEqual(['a', 'bc', 'end'])
  })

  it('R7: gives the event loop back after 5 ms of work, and holds the source back meanwhile', async () => {
    const { log, pump, send, clock, onPiece } = setup()
    onPiece(() => {
      clock.time += 2
    })
    send('a\nb\nc\nd\n')
    send('e\n')
    pump.end()
    expect(log).toEqual(['a', 'b', 'c', 'pause'])
    await clock.turnAll()
    expect(log).toEqual(['a', 'b', 'c', 'pause', 'd', 'e', 'end'])
  })

  it('R7: counts the work of chunks that come one after the other', async () => {
    const { log, send, clock, onPiece } = setup()
    onPiece(() => {
      clock.time += 2
    })
    for (const text of ['a\n', 'b\n', 'c\n', 'd\n']) send(text)
    expect(log).toEqual(['a', 'b', 'c', 'pause'])
    await clock.turnAll()
    expect(log).toEqual(['a', 'b', 'c', 'pause', 'd', 'resume'])
    send('e\n')
    expect(log.at(-1)).toBe('e')
    expect(clock.turns).toBe(0)
  })

  it('holds and releases as the consumer says, also from within a piece and across a turn', async () => {
    const { log, pump, send, clock, onPiece } = setup()
    onPiece(piece => {
      if (piece === 'a') pump.hold()
      if (piece === 'b') clock.time += 10
      if (piece === 'c') {
        pump.hold()
        pump.release()
      }
    })
    send('a\nb\nc\nd\n')
    expect(log).toEqual(['a', 'pause'])
    pump.release()
    expect(log).toEqual(['a', 'pause', 'b', 'pause'])
    pump.hold()
    await clock.turnAll()
    expect(log).toEqual(['a', 'pause', 'b', 'pause', 'pause'])
    pump.release()
    expect(log.slice(5)).toEqual(['c', 'pause', 'd', 'resume'])
  })

  it('keeps a break behind what came before it', () => {
    const { log, pump, send } = setup()
    pump.hold()
    send('a\nb')
    pump.error(new Error('reset'))
    pump.release()
    expect(log).toEqual(['pause', 'a', 'error reset'])
  })

  it('reports a clean end to the cutter, and no break', () => {
    for (const broken of [false, true]) {
      const { log, pump, send } = setup<object>(new ListCutter())
      send('{"items":[{"a":1},{"a":2},{"a":3}]')
      send('}')
      if (broken) pump.error(new Error('reset'))
      else pump.end()
      expect(log).toEqual(broken ? ['{"a":1}', '{"a":2}', 'error reset'] : ['{"a":1}', '{"a":2}', '{"a":3}', 'end'])
    }
  })

  it('ends with the error of a cutter or a handler, once', () => {
    const failing = setup()
    failing.onPiece(() => {
      throw new Error('handler')
    })
    failing.send('a\nb\n')
    failing.pump.end()
    expect(failing.log).toEqual(['a', 'abort', 'error handler'])

    const bounded = setup<string>(new LineCutter(3))
    bounded.send('a\nlonger\nb\n')
    bounded.pump.error(new Error('late'))
    expect(bounded.log).toEqual(['a', 'abort', 'error a line of the stream is longer than 3 bytes'])
  })

  it('calls nothing after abort, from within a piece too', async () => {
    const { log, pump, send, clock, onPiece } = setup()
    onPiece(() => {
      clock.time += 10
      pump.abort()
    })
    send('a\nb\n')
    send('c\n')
    pump.end()
    await clock.turnAll()
    expect(log).toEqual(['a', 'abort'])
  })

  it('does not report to a handler what it throws once it has aborted, and makes an Error of another thrown value', () => {
    const gone = setup()
    gone.onPiece(() => {
      gone.pump.abort()
      throw new Error('unheard')
    })
    gone.send('a\n')
    expect(gone.log).toEqual(['a', 'abort'])

    const odd = setup()
    odd.onPiece(() => {
      throw 'text'
    })
    odd.send('a\n')
    expect(odd.log).toEqual(['a', 'abort', 'error a handler threw a value that is not an Error: "text"'])
  })
})
