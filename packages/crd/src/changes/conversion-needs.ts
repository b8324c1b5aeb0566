import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { DefinitionChange } from './change.ts'
import { schemaChanges } from './schema-changes.ts'

/** The changes by which the server drops a value, or returns it with another type than the version has. A narrower limit does neither. */
const isLoss =
  /^(field removed|type is |unknown fields are no longer kept|(values of the map|items) are no longer described)/
/** The maximum number of fields that are named. */
const mostNamed = 5

/**
 * The versions of a definition that need a conversion, and did not need the same conversion before. The schema of such a version and that of the storage
 * version accept different objects, so that fields get lost between them.
 */
export function conversionNeeds(
  old: CustomResourceDefinition,
  next: CustomResourceDefinition,
): readonly DefinitionChange[] {
  const before = new Map(needs(old).map(({ version, fields }) => [version, fields.join()]))
  const byWebhook = next.spec.conversion?.strategy === 'Webhook'
  const wasByWebhook = old.spec.conversion?.strategy === 'Webhook'
  return needs(next)
    .filter(({ version, fields }) => before.get(version) !== fields.join() || byWebhook !== wasByWebhook)
    .map(({ version, storage, fields }): DefinitionChange => {
      const named = fields.slice(0, mostNamed).join(', ')
      const more = fields.length > mostNamed ? ` and ${fields.length - mostNamed} more` : ''
      const change = `needs a conversion: it differs from the storage version ${storage} in ${named}${more}`
      if (byWebhook) {
        const advice = 'Try it on the stored objects before you apply this: wherry convert MODULE --check cluster'
        return { version, path: '', change, verdict: 'safe', advice }
      }
      const advice =
        'Without one the server drops these fields when it reads or stores an object of the other version. Serve one: webhooks.convert of @wherry/webhook.'
      return { version, path: '', change, verdict: 'breaks clients', advice }
    })
}

/** The served versions, other than the storage version, that lose fields on the way to or from the storage version, with these fields. */
function needs({ spec }: CustomResourceDefinition): readonly {
  readonly version: string
  readonly storage: string
  readonly fields: readonly string[]
}[] {
  const storage = spec.versions.find(one => one.storage)
  const all = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const stored = storage?.schema?.openAPIV3Schema ?? all
  return spec.versions.flatMap(({ name, served, schema }) => {
    if (storage === undefined || !served || name === storage.name) return []
    const shown = schema?.openAPIV3Schema ?? all
    const lost = [...schemaChanges(stored, shown), ...schemaChanges(shown, stored)]
    const fields = [
      ...new Set(lost.filter(({ change }) => isLoss.test(change)).map(({ path }) => path || 'its schema')),
    ]
    return fields.length === 0 ? [] : [{ version: name, storage: storage.name, fields: fields.sort() }]
  })
}
