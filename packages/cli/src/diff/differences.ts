import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { type DefinitionChange, definitionChanges } from '@wherry/crd/internal'

/** A change of the definition with this name. */
export interface Difference extends DefinitionChange {
  readonly name: string
}

/** How definitions differ from the old ones, the most dangerous changes first. */
export function differences(
  olds: ReadonlyMap<string, CustomResourceDefinition>,
  definitions: readonly CustomResourceDefinition[],
): readonly Difference[] {
  const all = definitions.flatMap((definition): readonly Difference[] => {
    const name = definition.metadata?.name ?? ''
    const old = olds.get(name)
    if (old === undefined)
      return [{ name, version: undefined, path: '', change: 'new definition', verdict: 'safe', advice: '' }]
    return definitionChanges(old, definition).map(change => ({
      name,
      ...change,
      advice: change.advice.replaceAll('NAME', name),
    }))
  })
  return all.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
}

const order = ['breaks stored objects', 'breaks clients', 'safe'] as const

/** A difference as text for people: the verdict, the place and the change, and the advice below. */
export function differenceText({ name, version, path, change, verdict, advice }: Difference): string {
  const place = [name, version, path].filter(Boolean).join(' ')
  const first = `${verdict.padEnd(margin)}${place}: ${change}\n`
  return advice === '' ? first : `${first}${' '.repeat(margin)}${advice}\n`
}

const margin = 'breaks stored objects'.length + 2
