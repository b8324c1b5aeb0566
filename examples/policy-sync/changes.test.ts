import { expect, it, vi } from 'vitest'
import { Changes } from './changes.ts'

it('reports changes after a controller has connected again', () => {
  const timers = new Set<() => void>()
  const timer = (_: number, fire: () => void) => {
    timers.add(fire)
    return { cancel: () => timers.delete(fire), unref: () => {} }
  }
  const changes = new Changes({ timer } as unknown as ConstructorParameters<typeof Changes>[0], {
    ...{ delayMs: 1, everyMs: 1 },
    look: () => {},
  })
  changes.reads('a', ['Pod'])
  const received = vi.fn()
  const target = new Proxy({}, { get: () => received }) as unknown as Parameters<Changes['connect']>[0]
  const first = changes.connect(target)
  changes.changed('Pod')
  void first.close()
  expect(timers.size).toBe(0)
  changes.connect(target)
  changes.changed('Pod')
  for (const fire of [...timers]) fire()
  expect(received.mock.calls).toEqual([[{ name: 'a' }]])
})
