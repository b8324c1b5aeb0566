import type { Environment } from '@wherry/client'
import { asError } from '../as-error.ts'

/** Closes one after the other. One that fails is told of, and keeps none of the others open. */
export async function closeInOrder(steps: readonly (() => unknown)[], { onError }: Environment): Promise<void> {
  for (const close of steps) {
    try {
      await close()
    } catch (thrown) {
      onError(asError(thrown, 'a close threw'), { phase: 'close' })
    }
  }
}
