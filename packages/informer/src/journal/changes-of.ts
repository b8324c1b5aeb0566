import { abortSignal, checkOptions } from '@wherry/client/internal'
import type { Change } from '../change.ts'
import type { Cursor } from './cursor.ts'

type Result<C> = IteratorResult<Change<C>>

/** Iterates over the changes of a cursor until it is closed. The signal, and the end of the iteration, close the cursor. */
export function changesOf<C>(
  cursor: Cursor<C>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncIterableIterator<Change<C>> {
  checkOptions('changes', options, { signal: abortSignal })
  const { signal } = options
  const asked: ((result: Result<C>) => void)[] = []

  const answer = (): void => {
    for (let next = asked[0]; next !== undefined; next = asked[0]) {
      const [value] = cursor.take(1)
      if (value === undefined && !cursor.closed) return cursor.wake(answer)
      if (value === undefined) signal?.removeEventListener('abort', end)
      asked.shift()
      next(value === undefined ? { done: true, value } : { done: false, value })
    }
  }
  // The close wakes a waiting reader, which then ends.
  const end = (): void => {
    signal?.removeEventListener('abort', end)
    cursor.close()
  }
  if (signal?.aborted) end()
  else signal?.addEventListener('abort', end)

  return {
    next: () =>
      new Promise(resolve => {
        asked.push(resolve)
        if (asked.length === 1) answer()
      }),
    return: () => {
      end()
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
