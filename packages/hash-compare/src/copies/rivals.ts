import type { KubernetesObject, ManagedFieldsEntry } from '@wherry/client'

/** Who else than `manager` owns one of the fields that the paths lead to, or, where nobody does, any field; the newest first. */
export function rivals(object: KubernetesObject, manager: string, paths: readonly string[]): string[] {
  const others = (object.metadata?.managedFields ?? [])
    .filter(entry => entry.manager !== undefined && entry.manager !== manager)
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))
  const owning = others.filter(entry => paths.some(path => owns(entry, path)))
  return [...new Set((owning.length > 0 ? owning : others).map(entry => entry.manager as string))]
}

/** Whether an entry has the field, or one above or below it. Items of lists go by other names there, and count as their list. */
function owns({ fieldsV1 }: ManagedFieldsEntry, path: string): boolean {
  let fields: unknown = fieldsV1
  for (const part of path.split('/').slice(1)) {
    const name = `f:${part.replaceAll('~1', '/').replaceAll('~0', '~')}`
    const keys = typeof fields === 'object' && fields !== null ? Object.keys(fields) : []
    if (keys.every(key => !key.startsWith('f:'))) return typeof fields === 'object' && fields !== null
    if (!keys.includes(name)) return false
    fields = (fields as Readonly<Record<string, unknown>>)[name]
  }
  return true
}
