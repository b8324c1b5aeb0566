import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Outside, type Question } from './outside.ts'

/** Runs on simulated time; `asked` receives each question when it is asked. */
function setting() {
  const simulation = simulate(1)
  const { clock, random } = simulation
  const outside = new Outside(clock, random.fork('outside'))
  const asked: string[] = []
  const question = (key: string, afterMs = 0): Question<string> => ({
    key,
    ask: () =>
      new Promise(resolve => {
        asked.push(key)
        clock.timer(afterMs, () => resolve(`${key}!`))
      }),
  })
  return { simulation, clock, outside, asked, question }
}

describe('code that depends on answers of others', () => {
  it('is carried out again with each answer, until it is through', async () => {
    const { simulation, outside, asked, question } = setting()
    await simulation.run(async () => {
      const log: string[] = []
      let attempts = 0
      outside.carryOut(
        () => {
          attempts++
          const [first] = outside.answers([question('a', 5)])
          const rest = outside.answers([question(`${first}b`, 5), question('c', 9)])
          log.push(`${attempts}: ${[first, ...rest].join(' ')}`)
        },
        error => log.push(String(error)),
        () => false,
      )
      await simulation.advance(20)
      expect(log).toEqual(['3: a! a!b! c!'])
      expect(asked).toEqual(['a', 'a!b', 'c'])
    })
  })

  it('runs at once and only once where nothing is asked', () => {
    const { outside } = setting()
    let runs = 0
    outside.carryOut(
      () => {
        runs++
        expect(outside.underWay).toBe(true)
      },
      () => undefined,
      () => false,
    )
    expect(runs).toBe(1)
    expect(outside.underWay).toBe(false)
  })

  it('sees the same time and the same random numbers in each attempt, and those of everybody afterwards', async () => {
    const { simulation, clock, outside, question } = setting()
    await simulation.run(async () => {
      const seen: string[] = []
      outside.carryOut(
        () => {
          seen.push(`${outside.now()} ${outside.random()} ${outside.random()}`)
          outside.answers([question('a', 1000)])
        },
        () => undefined,
        () => false,
      )
      await simulation.advance(1000)
      expect(seen).toHaveLength(2)
      expect(seen[1]).toBe(seen[0])
      expect(outside.now()).toBe(clock.now())
    })
  })

  it('does once what must not be done again', async () => {
    const { simulation, outside, question } = setting()
    await simulation.run(async () => {
      const done: string[] = []
      outside.carryOut(
        () => {
          outside.once('first', () => done.push('first'))
          outside.answers([question('a')])
          outside.once('second', () => done.push('second'))
        },
        () => undefined,
        () => false,
      )
      await simulation.advance(10)
      expect(done).toEqual(['first', 'second'])
      outside.once('first', () => done.push('outside of a request'))
      expect(done).toHaveLength(3)
    })
  })

  it('stops when nobody waits for it, or the server closes', async () => {
    const { simulation, outside, question } = setting()
    await simulation.run(async () => {
      let over = false
      const log: string[] = []
      const carryOut = (name: string): void =>
        outside.carryOut(
          () => {
            outside.answers([question(name, 5)])
            log.push(name)
          },
          error => log.push(String(error)),
          () => over,
        )
      carryOut('left')
      over = true
      await simulation.advance(10)
      over = false
      carryOut('closed')
      outside.close()
      await simulation.advance(10)
      expect(log).toEqual([])
    })
  })

  it('fails with what it throws, what asking throws, and what takes longer than a minute', async () => {
    const { simulation, outside, question } = setting()
    await simulation.run(async () => {
      const failures: unknown[] = []
      const failed = (error: unknown): void => void failures.push(error)
      const broken = new Error('broken')
      outside.carryOut(
        () => {
          throw broken
        },
        failed,
        () => false,
      )
      const throws: Question<string> = { key: 'x', ask: () => Promise.reject(broken) }
      outside.carryOut(
        () => void outside.answers([throws]),
        failed,
        () => false,
      )
      let round = 0
      outside.carryOut(
        () => void outside.answers([question(`round ${++round}`, 25_000)]),
        failed,
        () => false,
      )
      await simulation.advance(100_000)
      expect(failures.slice(0, 2)).toEqual([broken, broken])
      expect(failures[2]).toMatchObject({ code: 504, reason: 'Timeout' })
      expect(round).toBe(4)
      expect(() => outside.answers([question('a')])).toThrow('outside of a request')
    })
  })
})
