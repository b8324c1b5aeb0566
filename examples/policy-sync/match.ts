import { type KubernetesObject, LabelSelector } from '@wherry/client'
import type { Constraint } from './constraint.ts'
import { textOf } from './kinds.ts'

/** A constraint's `labelSelector` can't be used. Its message is for the author of the constraint. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
  readonly code = 'INVALID_SELECTOR'
}

/**
 * Whether a constraint is about an object, by its kind, its namespace and its labels.
 *
 * A Namespace is in itself. An object without a namespace is left out by no list of namespaces.
 */
export class Match {
  readonly #kinds: ReadonlySet<string>
  readonly #labels: LabelSelector
  readonly #namespaces: readonly RegExp[]
  readonly #excluded: readonly RegExp[]

  /** @throws SelectorError */
  constructor({ match, labelSelector = {}, namespaces = [], excludedNamespaces = [] }: Constraint['spec']) {
    this.#kinds = new Set(match.map(textOf))
    this.#namespaces = namespaces.map(patternOf)
    this.#excluded = excludedNamespaces.map(patternOf)
    try {
      this.#labels = LabelSelector.of(labelSelector, 'labelSelector')
    } catch (error) {
      throw new SelectorError((error as Error).message, { cause: error })
    }
  }

  /** @param kind as stores name it */
  matches(kind: string, { metadata = {} }: KubernetesObject): boolean {
    if (!this.#kinds.has(kind) || !this.#labels.matches(metadata.labels)) return false
    const namespace = kind === 'Namespace' ? metadata.name : metadata.namespace
    if (namespace === undefined || namespace === '') return true
    const isIn = (patterns: readonly RegExp[]): boolean => patterns.some(pattern => pattern.test(namespace))
    return (this.#namespaces.length === 0 || isIn(this.#namespaces)) && !isIn(this.#excluded)
  }
}

/** `kube-*`, `*-system` or a name. The schema of constraints lets a `*` stand at the start and the end only. */
function patternOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
}
