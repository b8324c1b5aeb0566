import { isBadRequest, type KubernetesObject } from '@wherry/client'
import { type CopyContext, readCopy } from './context.ts'
import { CopyApplication } from './copy-application.ts'
import type { Decider, Decision, WriteDecision } from './decision.ts'
import type { CopyKey } from './marks.ts'

/** Makes decisions for which the caches do not say enough: by a read, or a dry run. Nothing is written. */
export class Foresight<P, T extends KubernetesObject> {
  readonly #of: CopyContext<P, T>

  constructor(of: CopyContext<P, T>) {
    this.#of = of
  }

  /** `read` only where the copy was gone when it was read. */
  async decide(decider: Decider<P, T>, id: string, at: CopyKey): Promise<Decision<P, T>> {
    const decision = decider.decide(id, at.namespace, at.name)
    const whole = decision.what === 'read' ? await readCopy(this.#of, at) : undefined
    const decide = (): Decision<P, T> => decider.decide(id, at.namespace, at.name, whole)
    const read = whole === undefined ? decision : decide()
    if (read.what !== 'write' || !mustLearn(read)) return read
    await this.#learn(read)
    return decide()
  }

  /** Finds out by a dry run what the server makes of it: one for a source, whoever asks meanwhile. */
  async #learn(decision: WriteDecision<P, T>): Promise<void> {
    const { source, copy, observed } = decision
    while (source.learning !== undefined) {
      await source.learning
      if (!mustLearn(decision)) return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    source.learning = promise
    try {
      await new CopyApplication(this.#of, source, copy, 'found').rehearse(observed)
    } catch (error) {
      // A webhook with side effects refuses dry runs; what else is wrong, the write itself will tell.
      if (!isBadRequest(error)) throw error
      source.cannotRehearse = true
    } finally {
      source.learning = undefined
      resolve()
    }
  }
}

/** Whether what differs may be what the server makes of it, of which nothing is known since the process began (rule H6). */
function mustLearn<P, T extends KubernetesObject>({ source, copy, differing }: WriteDecision<P, T>): boolean {
  if (!source.isCold || source.cannotRehearse) return false
  return differing.some(part => !source.fixpoints.knows(part, copy.wanted[part] as string))
}
