import { describe, expect, it } from 'vitest'
import { chance, choose, integer, seededRandom, shuffle } from './random.ts'

const draw = (random: () => number, count: number): number[] => Array.from({ length: count }, random)

describe('seededRandom', () => {
  it('F5: gives the same numbers for the same seed and others for another', () => {
    expect(draw(seededRandom(7), 50)).toEqual(draw(seededRandom(7), 50))
    const firsts = new Set(
      [0, 1, 2, 3, -1, 0.5, 2 ** 32, 2 ** 32 + 1, 2 ** 40].map(seed => draw(seededRandom(seed), 2).join()),
    )
    expect(firsts.size).toBe(9)
  })

  it('keeps its numbers from release to release', () => {
    expect(draw(seededRandom(1), 3)).toMatchInlineSnapshot(`
      [
        0.35007493710145354,
        0.44109167507849634,
        0.4226493430323899,
      ]
    `)
    expect(draw(seededRandom(1).fork('network'), 3)).toMatchInlineSnapshot(`
      [
        0.37412533769384027,
        0.5603882868308574,
        0.4203017440158874,
      ]
    `)
  })

  it('is even: means, and all pairs of nibbles of successive numbers', () => {
    const random = seededRandom(42)
    const pairs = new Array<number>(256).fill(0)
    const runs = 256 * 200
    let sum = 0
    for (let i = 0; i < runs; i++) {
      const first = random()
      sum += first
      const index = Math.floor(first * 16) * 16 + Math.floor(random() * 16)
      pairs[index] = (pairs[index] ?? 0) + 1
    }
    expect(Math.abs(sum / runs - 0.5)).toBeLessThan(0.01)
    const chiSquared = pairs.reduce((total, seen) => total + (seen - 200) ** 2 / 200, 0)
    expect(chiSquared).toBeGreaterThan(150) // 255 degrees of freedom
    expect(chiSquared).toBeLessThan(380)
  })

  it('forks streams that do not depend on what was drawn before', () => {
    const random = seededRandom(3)
    const early = draw(random.fork('network'), 5)
    draw(random, 100)
    expect(draw(random.fork('network'), 5)).toEqual(early)
  })

  it('forks other streams for other names, other seeds and other parents', () => {
    const random = seededRandom(3)
    const streams = [
      random,
      random.fork('a'),
      random.fork('b'),
      random.fork('a').fork('b'),
      random.fork('b').fork('a'),
      random.fork('ab'),
      seededRandom(4).fork('a'),
    ].map(stream => draw(stream, 3).join())
    expect(new Set(streams).size).toBe(streams.length)
  })

  it('takes only a finite seed', () => {
    expect(() => seededRandom(Number.NaN)).toThrow(RangeError)
  })
})

describe('the helpers', () => {
  it('integer gives both ends and nothing beyond', () => {
    const random = seededRandom(5)
    const seen = new Set(Array.from({ length: 200 }, () => integer(random, -1, 2)))
    expect([...seen].sort((a, b) => a - b)).toEqual([-1, 0, 1, 2])
  })

  it('choose gives each element, and refuses an empty list', () => {
    const random = seededRandom(5)
    expect(new Set(Array.from({ length: 100 }, () => choose(random, ['a', 'b', 'c']))).size).toBe(3)
    expect(() => choose(random, [])).toThrow('the list is empty')
  })

  it('chance is never at 0 and always at 1', () => {
    const random = seededRandom(5)
    const count = (probability: number): number =>
      Array.from({ length: 100 }, () => chance(random, probability)).filter(Boolean).length
    expect([count(0), count(1)]).toEqual([0, 100])
  })

  it('shuffle gives every order alike and leaves its argument alone', () => {
    const random = seededRandom(5)
    const list = [1, 2, 3]
    const orders = new Map<string, number>()
    for (let i = 0; i < 6000; i++) {
      const order = shuffle(random, list).join('')
      orders.set(order, (orders.get(order) ?? 0) + 1)
    }
    expect(list).toEqual([1, 2, 3])
    expect(orders.size).toBe(6)
    for (const seen of orders.values()) expect(Math.abs(seen - 1000)).toBeLessThan(150)
  })
})
