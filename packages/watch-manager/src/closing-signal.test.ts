import { expect, it } from 'vitest'
import { apples, setUp } from './testkit/set-up.ts'

/** A signal of another library: no instance of Node's AbortSignal. */
class OtherSignal extends EventTarget {
  aborted = false
  reason: unknown

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  abort(reason: unknown): void {
    this.aborted = true
    this.reason = reason
    this.dispatchEvent(new Event('abort'))
  }
}

it('X6: a signal that only behaves as one ends the wait of a close', async () => {
  const { simulation, manager } = setUp({ closeTimeoutMs: 5000 })
  const one = manager.registrar('one', () => new Promise<void>(() => {}))
  await one.add(apples)
  await simulation.advance(50)
  void manager.ifWatching(apples, () => new Promise(() => {}))
  const signal = new OtherSignal()
  const closing = manager.close({ signal: signal as unknown as AbortSignal })
  await simulation.advance(1000)
  signal.abort(new Error('enough'))
  await simulation.run(() => closing)
  expect(simulation.clock.monotonic()).toBe(1050)
})
