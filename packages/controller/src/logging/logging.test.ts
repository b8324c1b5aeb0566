import { inspect } from 'node:util'
import pino from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { environmentLogger, loggerWith } from './logger.ts'
import { jsonLine, stderrLogger, textLine } from './stderr-logger.ts'

const time = '2026-01-01T00:00:00.000Z'

afterEach(() => vi.restoreAllMocks())

describe('a line of JSON', () => {
  it('has level, time, message and fields, and an error as pino writes it', () => {
    const error = Object.assign(new Error('no'), { code: 'NO' })
    const line = JSON.parse(jsonLine('error', time, 'failed', { controller: 'game', err: error, big: 1n }))
    expect(line).toEqual({
      level: 'error',
      time,
      msg: 'failed',
      controller: 'game',
      big: '1',
      err: { type: 'Error', message: 'no', code: 'NO', stack: error.stack },
    })
    expect(JSON.parse(jsonLine('info', time, 'm', { err: 'text' })).err).toEqual({ message: 'text' })
  })

  it('says what caused an error, as pino does, and not twice', () => {
    const cause = new TypeError('quota')
    const why = new Error('not stored', { cause })
    const error = new Error('no', { cause: why })
    const line = JSON.parse(jsonLine('error', time, 'failed', { err: error }))
    expect(line.err.message).toBe('no: not stored: quota')
    expect(line.err.stack).toBe([error, why, cause].map(({ stack }) => stack).join('\ncaused by: '))
    const messageOf = (message: string, of: unknown): unknown =>
      JSON.parse(jsonLine('error', time, 'm', { err: new Error(message, { cause: of }) })).err.message
    expect(messageOf('no: quota', cause)).toBe('no: quota')
    expect(messageOf('thrown', { a: 1 })).toBe('thrown: { a: 1 }')
    const itself = new Error('round')
    itself.cause = new Error('and', { cause: itself })
    expect(messageOf('about', itself)).toBe('about: round: and')
  })

  it('X9: is written of what holds itself, and of fields that can not be', () => {
    const of = { a: 1 }
    const fields: Record<string, unknown> = { first: of, again: of }
    expect(JSON.parse(jsonLine('info', time, 'm', fields))).toEqual({ level: 'info', time, msg: 'm', ...fields })
    fields.self = fields
    const circular = JSON.parse(jsonLine('info', time, 'm', { ...fields, err: new Error('no') }))
    expect(circular).toMatchObject({ level: 'info', time, msg: 'm', err: { type: 'Error', message: 'no' } })
    expect(circular.fields).toContain('first: { a: 1 }')
    const broken = {
      toJSON() {
        throw new Error('no')
      },
      [inspect.custom]() {
        throw new Error('no')
      },
    }
    const line = JSON.parse(jsonLine('info', time, 'm', { broken }))
    expect(line).toEqual({ level: 'info', time, msg: 'm', fields: '[object]' })
    expect(textLine('info', time, 'm', { broken })).toContain('m broken=[object]')
    const bare = Object.create(null)
    expect(JSON.parse(jsonLine('info', time, 'm', { err: bare })).err.message).toContain('{}')
  })

  it('X9: is written of an error that can not be printed', () => {
    const broken = Object.defineProperty(new Error('no'), 'message', {
      get() {
        throw new Error('no')
      },
    })
    for (const err of [broken, Object.assign(new Error('no', { cause: 'quota' }), { message: 5 })]) {
      expect(JSON.parse(jsonLine('info', time, 'm', { a: 1, err }))).toMatchObject({
        level: 'info',
        time,
        msg: 'm',
        a: 1,
      })
    }
  })

  it('X3: writes nothing of an error but its name, code, message and stack', () => {
    const error = Object.assign(new Error('no', { cause: Object.assign(new Error('why'), { token: 'abc' }) }), {
      config: { authorization: 'xyz' },
    })
    for (const line of [jsonLine, textLine]) {
      expect(line('error', time, 'm', { err: error })).not.toMatch(/abc|xyz/)
      const other = line('error', time, 'm', { reason: error, of: { error, all: [error] } })
      expect(other).toContain('no: why')
      expect(other).not.toMatch(/abc|xyz/)
      // As an error of axios, which writes its request.
      const own = Object.assign(new Error('401'), { toJSON: () => ({ config: { authorization: 'xyz' } }) })
      const written = line('error', time, 'm', { reason: own, of: { own } })
      expect(written).toContain('401')
      expect(written).not.toContain('xyz')
    }
  })

  it('X3: writes no property of an error in an object of a class, a map, a set, a promise or a function', () => {
    class Failure {
      readonly error: Error
      constructor(error: Error) {
        this.error = error
      }
    }
    const error = Object.assign(new Error('no'), { config: { authorization: 'xyz' } })
    const promise = Promise.reject(error)
    promise.catch(() => {})
    const shown = [
      new Failure(error),
      new Map([['a', error]]),
      new Map([[error, 'a']]),
      new Set([error]),
      Object.assign(Object.create(null), { error }),
      Object.assign(() => {}, { error }),
      Object.assign(new Date(0), { error }),
      [new Map([['a', new Failure(error)]])],
    ]
    for (const of of shown) {
      const line = textLine('error', time, 'm', { of })
      expect(line).toContain('Error: no')
      expect(line).not.toContain('xyz')
    }
    for (const of of [promise, new Map([['a', error]]).values(), new Set([error]).values()]) {
      expect(textLine('error', time, 'm', { of })).not.toContain('xyz')
    }
  })

  it('keeps its own level, time and message', () => {
    const fields = { level: 'loud', time: 0, msg: 'other', a: 1 }
    expect(jsonLine('info', time, 'm', fields)).toBe(`{"level":"info","time":"${time}","msg":"m","a":1}`)
  })
})

describe('a line of text', () => {
  it('has each field in the line, however long it is', () => {
    const of = {
      sizes: [...Array(30).keys()],
      reason: new Error('no'),
      text: 'a\nb',
      deep: { a: { b: { c: { d: 1 } } } },
    }
    const line = textLine('info', time, 'm', { of, reason: of.reason })
    expect(line).toMatch(/sizes: \[ 0, 1, 2, .* 29 \].* reason=Error: no/)
    expect(line).not.toContain('\n')
  })

  it('has objects of classes as Node prints them', () => {
    class Game {
      readonly players = 2
    }
    const all = [
      new Game(),
      new Map([['a', [1]]]),
      new Set([1]),
      /a/,
      new Date(0),
      new Uint8Array(2),
      Game,
      new URL('a:b'),
    ]
    for (const of of all) {
      const printed = inspect(of, { breakLength: Number.POSITIVE_INFINITY, compact: true }).replaceAll(/\n */g, ' ')
      expect(textLine('info', time, 'm', { of })).toBe(`00:00:00.000 INFO  m of=${printed}`)
    }
  })

  it('is for people', () => {
    const error = new Error('no', { cause: 'quota' })
    error.stack = 'Error: no\n at here'
    const fields = { controller: 'game', n: 1, gone: undefined, of: { a: 1 }, err: error }
    expect(textLine('warn', time, 'failed', fields)).toBe(
      '00:00:00.000 WARN  failed controller=game n=1 of={ a: 1 }\n  Error: no\n   at here\n  caused by: quota',
    )
  })
})

describe('the logger of standard error', () => {
  it('writes from its level on', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const logger = stderrLogger({ format: 'json', level: 'warn' })
    logger.debug({}, 'a')
    logger.info({}, 'b')
    logger.warn({}, 'c')
    logger.error({ x: 1 }, 'd')
    const lines = write.mock.calls.map(([line]) => JSON.parse(`${line}`))
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'c' },
      { level: 'error', msg: 'd', x: 1 },
    ])
  })

  it.each([
    [{ format: 'xml' }, 'format'],
    [{ level: 'loud' }, 'level'],
    [{ colour: true }, 'colour'],
  ])('X6: refuses %j', (options, option) => {
    const error = expect.objectContaining({ code: 'INVALID_OPTION', option: `stderrLogger.${option}` })
    expect(() => stderrLogger(options as object)).toThrow(error)
  })
})

describe('a logger with fields', () => {
  it('adds them to each line, of pino too', () => {
    const lines: unknown[] = []
    const base = pino({ base: null }, { write: line => lines.push(JSON.parse(line)) })
    const logger = loggerWith(base, { controller: 'game' }, () => {})
    logger.info({ a: 1 }, 'm')
    logger.error({ err: new Error('no') }, 'n')
    expect(lines).toMatchObject([
      { controller: 'game', a: 1, msg: 'm' },
      { controller: 'game', err: { type: 'Error', message: 'no' } },
    ])
  })

  it('takes an error in the place of fields, as pino does, and loses nothing of it', () => {
    const lines: unknown[] = []
    const base = pino({ base: null }, { write: line => lines.push(JSON.parse(line)) })
    loggerWith(base, { controller: 'game' }, () => {}).error(new Error('no'), 'failed')
    vi.spyOn(process.stderr, 'write').mockImplementation(line => lines.push(JSON.parse(`${line}`)) > 0)
    stderrLogger({ format: 'json' }).error(new Error('no'), 'failed')
    const log = (level: string, msg: string, fields?: object): unknown => lines.push({ level, msg, ...fields })
    environmentLogger({ log }).error(new TypeError('no'), 'failed')
    expect(lines).toMatchObject([
      { controller: 'game', err: { type: 'Error', message: 'no' }, msg: 'failed' },
      { err: { type: 'Error', message: 'no' }, msg: 'failed' },
      { err: new TypeError('no'), msg: 'failed' },
    ])
  })

  it('X9: what it throws is reported to onError', () => {
    const errors: string[] = []
    const broken = (): never => {
      throw new Error('disk full')
    }
    const logger = loggerWith({ debug: broken, info: broken, warn: broken, error: broken }, {}, (error, { phase }) =>
      errors.push(`${phase}: ${error.message}`),
    )
    logger.debug({}, 'a')
    logger.error({}, 'b')
    expect(errors).toEqual(['log: disk full', 'log: disk full'])
  })

  it('X9: and what a promise that it gives rejects with', async () => {
    const errors: unknown[] = []
    const line = async (): Promise<never> => {
      throw 'disk full'
    }
    const broken = { debug: line, info: line, warn: line, error: line }
    loggerWith(broken, {}, (error, { phase }) => errors.push([phase, error.cause])).info({}, 'a')
    await vi.waitFor(() => expect(errors).toEqual([['log', 'disk full']]))
  })
})
