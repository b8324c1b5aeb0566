import { chance, choose, integer, seededRandom } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Order } from './order.ts'

interface Numbered {
  readonly number: number
  index: number
}

/** Its nodes are looked for where they are taken out. */
class Sought extends Order<Numbered> {
  protected numberOf(node: Numbered): number {
    return node.number
  }
}

class Numbers extends Sought {
  protected override indexOf(node: Numbered): number {
    return node.index
  }

  protected override setIndex(node: Numbered, index: number): void {
    node.index = index
  }
}

/** Adds many, which know where they are by then. */
function appendAll(order: Sought, nodes: readonly Numbered[]): void {
  if (order instanceof Numbers) for (const [at, node] of nodes.entries()) node.index = order.end + at
  order.append(nodes)
}

/** All that is left, from `index` on. */
function rest(order: Sought, index = 0): number[] {
  const numbers: number[] = []
  for (let at = order.next(index); at < order.end; at = order.next(at + 1)) numbers.push(order.at(at).number)
  return numbers
}

it.each([
  ['nodes that know where they are', Numbers],
  ['nodes that are looked for', Sought],
])('R38: of %s, keeps the rest in order, whatever is removed, and finds each place again', (_, Kind) => {
  const random = seededRandom(1)
  const order = new Kind()
  const model: Numbered[] = []
  let compactions = 0
  for (let number = 1; number <= 6000; number++) {
    const node = { number, index: -1 }
    const added = [node]
    if (chance(random, 0.02)) {
      while (chance(random, 0.99) && number < 6000) added.push({ number: ++number, index: -1 })
      appendAll(order, added)
    } else order.push(node)
    model.push(...added)
    const { generation } = order
    while (model.length > 0 && chance(random, model.length > 700 ? 0.6 : 0.45)) {
      const at = chance(random, 0.5) ? integer(random, 0, model.length - 1) : chance(random, 0.5) ? 0 : model.length - 1
      const [gone] = model.splice(at, 1)
      order.remove(gone as Numbered)
      expect(gone?.index).toBe(-1)
    }
    if (order.generation !== generation) compactions++
    if (number % 50 !== 0 && added.length === 1) continue
    expect([order.size, order.last]).toEqual([model.length, model.at(-1)?.number ?? 0])
    expect(rest(order)).toEqual(model.map(one => one.number))
    const from = chance(random, 0.1) ? 0 : (choose(random, [...model, node]).number as number)
    const after = model.filter(one => one.number > from).map(one => one.number)
    expect(rest(order, order.after(from))).toEqual(after)
    expect(order.countFrom(order.after(from))).toBe(after.length)
  }
  expect(compactions).toBeGreaterThan(1)
  expect(order.end).toBeLessThan(model.length * 1.5 + 1100)
})

it('counts and skips over long stretches of holes', () => {
  const order = new Numbers()
  const nodes = Array.from({ length: 3000 }, (_, index) => ({ number: index + 1, index: -1 }))
  for (const node of nodes) order.push(node)
  for (const node of nodes.slice(100, 1100)) order.remove(node)
  expect([order.next(100), order.next(99), order.next(700), order.countFrom(100), order.countFrom(512)]).toEqual([
    1100, 99, 1100, 1900, 1900,
  ])
  expect([order.countFrom(0), order.countFrom(2999), order.countFrom(3000), order.next(3000)]).toEqual([
    2000, 1, 0, 3000,
  ])
})

it('adds many at once, and none, in front of those added singly', () => {
  const order = new Numbers()
  const nodes = Array.from({ length: 1000 }, (_, index) => ({ number: index + 1, index: -1 }))
  appendAll(order, [])
  expect([order.size, order.last, order.end]).toEqual([0, 0, 0])
  appendAll(order, nodes.slice(0, 300))
  appendAll(order, nodes.slice(300, 999))
  expect([order.size, order.last, order.countFrom(0), order.countFrom(700)]).toEqual([999, 999, 999, 299])
  appendAll(order, [])
  expect(order.last).toBe(999)
  for (const node of nodes.slice(999)) order.push(node)
  expect(rest(order)).toEqual(nodes.map(({ number }) => number))
  expect(nodes.map(({ index }) => index)).toEqual(nodes.map((_, index) => index))
})

it('knows the last one that is left, and what comes after it, behind long stretches of holes', () => {
  const order = new Numbers()
  const nodes = Array.from({ length: 1000 }, (_, index) => ({ number: index + 1, index: -1 }))
  appendAll(order, nodes)
  for (const node of nodes.slice(200)) order.remove(node)
  expect([order.last, rest(order, order.after(200)), rest(order, order.after(199))]).toEqual([200, [], [200]])
  for (const node of nodes.slice(1, 200).reverse()) {
    order.remove(node)
    expect(order.last).toBe(node.number - 1)
  }
  order.remove(nodes[0] as Numbered)
  expect([order.last, order.size, order.next(0)]).toEqual([0, 0, 1000])
})

it.each([
  ['where these are more than half of the rest', 4000, 1334],
  ['where these are 1,024 at least', 1100, 1024],
])('takes holes out %s, and not earlier', (_, length, holes) => {
  const order = new Numbers()
  const nodes = Array.from({ length }, (_, index) => ({ number: index + 1, index: -1 }))
  appendAll(order, nodes)
  const { generation } = order
  for (const node of nodes.slice(0, holes - 1)) order.remove(node)
  expect([order.generation, order.end]).toEqual([generation, length])
  order.remove(nodes[holes - 1] as Numbered)
  expect([order.generation > generation, order.end, order.next(0)]).toEqual([true, length - holes, 0])
  expect(rest(order)).toEqual(nodes.slice(holes).map(({ number }) => number))
})

it('is empty after a clear, and has another generation', () => {
  const order = new Numbers()
  order.push({ number: 1, index: -1 })
  const { generation } = order
  order.clear()
  expect([order.size, order.end, order.next(0), order.after(0), order.generation > generation]).toEqual([
    0,
    0,
    0,
    0,
    true,
  ])
})
