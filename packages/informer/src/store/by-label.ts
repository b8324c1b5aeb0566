import { LabelSelector } from '@wherry/client'
import { labelsOf } from './transformer.ts'

/** An index over the values of one label, which `list({ labels })` uses. */
export interface LabelIndex {
  (object: unknown): Iterable<string>
  readonly label: string
}

/**
 * An index over the values of one label: `addIndex('app', byLabel('app'))`. From then on a `list` with a label
 * selector for values of that label (`app=web`, `app in (web, api)`) checks only those objects. Objects must keep their
 * `metadata.labels`.
 *
 * @throws InvalidNameError for a text that can't be a label's key
 */
export function byLabel(label: string): LabelIndex {
  LabelSelector.of({ [label]: '' }, 'label')
  const of = (object: unknown): Iterable<string> => {
    const labels = labelsOf(object)
    return labels !== undefined && Object.hasOwn(labels, label) ? [labels[label] as string] : []
  }
  return Object.assign(of, { label })
}
