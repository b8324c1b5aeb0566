import { expect, it } from 'vitest'
import { Damper } from './damper.ts'

const repaired = (damper: Damper, times: number, at: number): void => {
  for (let i = 0; i < times; i++) damper.repaired('a/x', at)
}

it('H6: three repairs wait for nothing, the next ones for 1 s, 2 s, 4 s … 5 min, by default', () => {
  const damper = new Damper()
  const delays: number[] = []
  for (let i = 0; i < 14; i++) {
    delays.push(damper.delayMs('a/x', 0))
    damper.repaired('a/x', 0)
  }
  const seconds = [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
  expect(delays).toEqual(seconds.map(each => each * 1000))
  expect(damper.delayMs('a/y', 0)).toBe(0)
})

it('H6: a wait is from the last repair, and over when that long has passed', () => {
  const damper = new Damper({ repairs: 2, minMs: 10, maxMs: 15, forgetMs: 1000 })
  repaired(damper, 2, 100)
  expect([100, 104, 109, 110, 111].map(now => damper.delayMs('a/x', now))).toEqual([10, 6, 1, 0, 0])
  damper.repaired('a/x', 110)
  expect([110, 124, 125].map(now => damper.delayMs('a/x', now))).toEqual([15, 1, 0])
})

it('H6: forgets a copy that was at peace so long, and never before its longest wait has passed twice', () => {
  const damper = new Damper({ repairs: 1, minMs: 10, maxMs: 100, forgetMs: 500 })
  damper.repaired('a/x', 0)
  damper.told('a/x')
  expect([damper.flapping(499), damper.wasTold('a/x')]).toEqual([['a/x'], true])
  expect([damper.flapping(500), damper.wasTold('a/x')]).toEqual([[], false])
  const patient = new Damper({ repairs: 1, minMs: 400, maxMs: 400, forgetMs: 500 })
  patient.repaired('a/x', 0)
  patient.told('a/x')
  patient.repaired('a/x', 799)
  expect([patient.delayMs('a/x', 799), patient.wasTold('a/x')]).toEqual([400, true])
  patient.repaired('a/x', 1599)
  expect([patient.delayMs('a/x', 1599), patient.wasTold('a/x')]).toEqual([400, false])
})

it('names as flapping those alone that have to wait', () => {
  const damper = new Damper({ repairs: 2 })
  damper.repaired('a/x', 0)
  damper.repaired('a/y', 0)
  damper.repaired('a/y', 1)
  expect(damper.flapping(2)).toEqual(['a/y'])
  damper.told('a/z')
  expect(damper.wasTold('a/z')).toBe(false)
  damper.repaired('a/x', 2)
  // One that was repaired long ago is forgotten, whatever was repaired since.
  expect(damper.flapping(600_001)).toEqual(['a/x'])
})
