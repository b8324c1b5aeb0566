import { expect, it } from 'vitest'
import { Waiters } from './waiters.ts'

const signals = () => {
  const heard = new Set<unknown>()
  const controller = new AbortController()
  const { signal } = controller
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (type: string, listener: never) => {
    heard.add(listener)
    add(type, listener)
  }
  signal.removeEventListener = (type: string, listener: never) => {
    heard.delete(listener)
    remove(type, listener)
  }
  return { controller, heard }
}

it('lets those go on that what they wait for has come to hold for, when that is noticed', async () => {
  const holding = new Set<string>()
  const waiters = new Waiters<'a' | 'b'>(what => holding.has(what))
  const { controller, heard } = signals()
  const told: string[] = []
  const first = waiters.wait('a', controller.signal).then(() => told.push('a'))
  const second = waiters.wait('b').then(() => told.push('b'))
  waiters.notice()
  holding.add('a')
  await Promise.resolve()
  expect([told, heard.size]).toEqual([[], 1])
  waiters.notice()
  await first
  expect([told, heard.size]).toEqual([['a'], 0])
  await waiters.wait('a')
  holding.add('b')
  waiters.notice()
  await second
  expect(told).toEqual(['a', 'b'])
})

it('rejects with what ends all waits, and with the reason of a signal, and forgets who waited', async () => {
  const waiters = new Waiters<'a'>(() => false)
  const { controller, heard } = signals()
  const one = waiters.wait('a', controller.signal)
  const other = waiters.wait('a')
  controller.abort(new Error('late'))
  await expect(one).rejects.toThrow('late')
  expect(heard.size).toBe(0)
  await expect(waiters.wait('a', controller.signal)).rejects.toThrow('late')
  waiters.reject(new Error('closed'))
  await expect(other).rejects.toThrow('closed')
})

it('rejects with the reason of an aborted signal also where nothing is to be waited for', async () => {
  const waiters = new Waiters<'a'>(() => true)
  await expect(waiters.wait('a', AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
})
