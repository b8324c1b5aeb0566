import { expect, it } from 'vitest'
import { Program } from '../../bench/harness/program.ts'
import { once } from './measure.ts'

const node = (code: string): Program => new Program(process.execPath, ['-e', code], {})
const peer = { isPeer: true, isCompared: false }

it('gives the reason if a program of others ends before it is ready, and rejects if a program of ours does', async () => {
  const code = "setTimeout(() => { throw new RangeError('the list is too long') }, 0)"
  const { failed } = await once(node(code), peer)
  expect(failed).toMatch(/^ended after \d+ s: RangeError: the list is too long$/)
  await expect(once(node(code), { ...peer, isPeer: false })).rejects.toThrow('the list is too long')
})

it('kills a program of others that is not ready in its time, and gives its peak', async () => {
  const { failed, peakBytes } = await once(node('setInterval(() => {}, 1000)'), { ...peer, peerMs: 1 })
  expect(failed).toMatch(/^killed after \d+ s$/)
  expect(peakBytes).toBeGreaterThan(10e6)
})

it('gives the figures of a program that says that it is ready and settled', async () => {
  const code =
    "console.log('ready'); console.log('settled'); console.log('first_ms 5'); console.log('get_ms 2'); setInterval(() => {}, 1000)"
  const taken = await once(node(code), { isPeer: false, isCompared: true })
  expect(taken).toMatchObject({ firstMs: 5, getMs: 2 })
  expect(taken.rssBytes).toBeGreaterThan(10e6)
  expect(taken.failed).toBeUndefined()
})
