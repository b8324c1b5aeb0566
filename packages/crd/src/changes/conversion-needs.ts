import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { DefinitionChange } from './change.ts'
import { schemaChanges } from './schema-changes.ts'

/** What makes the server drop a value, or read one that it would refuse. A limit that is narrower does neither. */
const isLoss = /^(field removed|type is |unknown fields are no longer kept)/
/** So many fields are named. */
const mostNamed = 5

/**
 * Which versions of a definition need a conversion that did not need the same one before: their schemas and that of the storage version do not take the
 * same objects, so that fields get lost on the way.
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

/** The served versions, other than the storage version, that lose fields on the way to it or from it, and these fields. */
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
