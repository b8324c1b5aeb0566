import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { loadData } from '@wherry/data'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { YamlThread, YamlTooSlowError } from './yaml-thread.ts'

const thread = new YamlThread()
const { signal } = new AbortController()
const parse = async (text: string, by = thread): Promise<readonly unknown[] | undefined> =>
  (await by.parse(new Map([['a.yaml', Buffer.from(text)]]), signal)).get('a.yaml')

/** A megabyte of YAML that is hardly anything but values. */
const dense: Readonly<Record<string, string>> = {
  numbers: `a: [${'1,'.repeat(500_000)}1]`,
  lists: `a: [${'[],'.repeat(333_000)}1]`,
  maps: `a: [${'{},'.repeat(333_000)}1]`,
  keys: Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n'),
  lines: 'a:\n'.concat('- 1\n'.repeat(250_000)),
  documents: '---\n'.repeat(250_000),
}

describe('YAML', () => {
  it('is parsed as real manifests have it', async () => {
    const { clusterServiceVersions, crds } = loadData()
    const all = [...clusterServiceVersions, ...crds]
    const files = new Map(all.map((object, i) => [`${i}.yaml`, Buffer.from(stringify(object, { lineWidth: 0 }))]))
    const parsed = await thread.parse(files, signal)
    expect([...parsed.values()]).toEqual(all.map(object => [JSON.parse(JSON.stringify(object))]))
  })

  it('has what JSON has: no dates, no binary data, no merged keys, and of two keys the last one', async () => {
    const text =
      'date: 2026-01-01\nbytes: !!str aGk=\n"<<": { a: 1 }\nyes: yes\nb: 1\nb: 2\n---\n# nothing\n---\n[~, 0x10, 1e3]'
    expect(await parse(text)).toEqual([
      { date: '2026-01-01', bytes: 'aGk=', '<<': { a: 1 }, yes: 'yes', b: 2 },
      null,
      [null, 16, 1000],
    ])
  })

  it('is parsed while the operator goes on', async () => {
    let isParsed = false
    const parsed = parse(`${dense.numbers}`).finally(() => {
      isParsed = true
    })
    let turns = 0
    for (; !isParsed; turns++) await turn()
    expect((await parsed)?.length).toBe(1)
    // In the operator's own thread it would be two or three, whatever the file.
    expect(turns).toBeGreaterThan(50)
  })

  it.each(Object.keys(dense))('of a dense megabyte takes at most 100 MB more: %s', async name => {
    const child = fork(new URL('../testkit/peak-memory.ts', import.meta.url), { execArgv: [] })
    const closed = once(child, 'close')
    child.send(`${dense[name]}`)
    const [{ peak, documents }] = await once(child, 'message')
    await closed
    expect(documents).toBeGreaterThan(0)
    expect(peak).toBeLessThan(100_000_000)
  })
})

describe('hostile YAML', () => {
  it.each([
    ['aliases of aliases', bomb(), 'a.yaml: an object has more than 1572864 bytes, with what its aliases stand for'],
    ['an alias of itself', 'a: &a [*a]', 'a.yaml: an object is more than 200 levels deep'],
    ['a hundred thousand levels', '['.repeat(100_000), 'a.yaml: '],
    ['an open list', 'a: [', 'a.yaml: '],
    ['a type of JavaScript', 'a: !!js/function "function () {}"', 'a.yaml: unknown tag'],
  ])('is refused: %s', async (_, text, message) => {
    const refused = { reason: 'InvalidManifest', message: expect.stringContaining(message) }
    await expect(parse(text)).rejects.toMatchObject(refused)
  })

  it('that needs more than the heap of its thread is refused, and the next file is parsed', async () => {
    const small = new YamlThread({ heapMb: 12 })
    const tooLarge = { reason: 'TooLarge', message: 'a.yaml needs more than 12 MiB to be parsed' }
    await expect(parse(`${dense.maps}`, small)).rejects.toMatchObject(tooLarge)
    expect(await parse('a: 1', small)).toEqual([{ a: 1 }])
  })

  it('that takes longer than it may is given up, and its thread ends', async () => {
    await expect(parse(`${dense.maps}`, new YamlThread({ timeoutMs: 1 }))).rejects.toThrow(YamlTooSlowError)
  })

  it('of several bundles has one thread for those that wait, and another one after one that was given up', async () => {
    const started: unknown[] = []
    const count = (worker: unknown): void => void started.push(worker)
    process.on('worker', count)
    try {
      expect(await Promise.all([1, 2, 3].map(i => parse(`a: ${i}`)))).toEqual([[{ a: 1 }], [{ a: 2 }], [{ a: 3 }]])
      expect(started).toHaveLength(1)
      const small = new YamlThread({ heapMb: 12 })
      const results = await Promise.allSettled(['a: 1', `${dense.maps}`, 'a: 3'].map(text => parse(text, small)))
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(started).toHaveLength(3)
    } finally {
      process.off('worker', count)
    }
  })

  it('is given up with its signal, whether it is being parsed or waits', async () => {
    const stop = new AbortController()
    const file = new Map([['a.yaml', Buffer.from(`${dense.maps}`)]])
    const both = [1, 2].map(() => thread.parse(file, stop.signal))
    await turn()
    stop.abort(new Error('stopped'))
    for (const one of both) await expect(one).rejects.toThrow('stopped')
    expect(await parse('a: 1')).toEqual([{ a: 1 }])
  })
})

/** A few lines that stand for ten thousand million values. */
function bomb(): string {
  const names = 'abcdefghij'
  const line = (one: string, i: number) => `${one}: &${one} [${Array(10).fill(i === 0 ? 'x' : `*${names[i - 1]}`)}]`
  return [...names].map(line).join('\n')
}
