import { objectAt, own, sameJson } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

const annotation = 'deprecated.daemonset.template.generation'

/** Adds the annotation that counts the templates of a DaemonSet, if it is missing. */
export function countTemplate(daemonSet: KubeObject, count: string): void {
  const { metadata } = daemonSet
  metadata.annotations = { [annotation]: count, ...metadata.annotations }
}

/** Sets the count of the templates of a DaemonSet that is created, or replaces `old`. A new DaemonSet may start at a higher count than 1. */
export function nextTemplate(daemonSet: KubeObject, old: KubeObject | undefined): void {
  const templateOf = (of: KubeObject | undefined): unknown => own(objectAt(of, 'spec') ?? {}, 'template')
  const before = Number(old?.metadata.annotations?.[annotation] ?? 0)
  const same = old !== undefined && sameJson(templateOf(daemonSet) as never, templateOf(old) as never)
  const given = Number(daemonSet.metadata.annotations?.[annotation])
  const count = old === undefined && given > 1 ? given : same ? before : before + 1
  daemonSet.metadata.annotations = { ...daemonSet.metadata.annotations, [annotation]: String(count) }
}
