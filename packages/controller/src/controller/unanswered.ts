import { isApiError, isConnectionError, keyText, type ObjectKey, type View } from '@wherry/client'
import type { InformerReads } from './writing-client.ts'

type Verb = (view: View, target: object, ...rest: unknown[]) => Promise<unknown>

/** A writing call, of which `listeners` hear when its answer is lost: nobody knows then whether the server did it. */
export function notingUnanswered(verb: Verb, listeners: readonly Partial<InformerReads>[]): Verb {
  return async (view, target, ...rest) => {
    try {
      return await verb(view, target, ...rest)
    } catch (error) {
      const key = isAnswered(error) ? undefined : keyOf(view, target)
      if (key === undefined) throw error
      for (const one of listeners) one.unanswered?.(view, key)
      throw error
    }
  }
}

/** Whether it is known what became of a write that rejected: the server refused it, or it was not sent. */
function isAnswered(error: unknown): boolean {
  if (isApiError(error) || error instanceof TypeError || error instanceof RangeError) return true
  return isConnectionError(error) && error.unprocessed
}

/** The key of an object, or of what names one. A namespace that it lacks is the view's, if that has one. */
function keyOf({ namespaces }: View, target: object): string | undefined {
  const { metadata = target } = target as { readonly metadata?: object }
  const only = namespaces?.length === 1 ? namespaces[0] : undefined
  const { name, namespace = only } = metadata as Partial<ObjectKey> & { readonly namespace?: string }
  return name === undefined ? undefined : keyText({ name, namespace } as ObjectKey)
}
